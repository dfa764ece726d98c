"""Names of operations and resources: kept so that ids and names agree, served by no endpoint."""

from katana_sandbox.descriptor import Collection, plain_fields

OPERATIONS = Collection(name="operations", fields=plain_fields("name"), foreign_keys=("name",))
RESOURCES = Collection(name="resources", fields=plain_fields("name"), foreign_keys=("name",))
