"""Names of operations and resources: kept so that ids and names agree, served by no endpoint."""

from katana_sandbox.descriptor import Collection, Field

OPERATIONS = Collection(name="operations", fields=(Field("name"),), foreign_keys=("name",))
RESOURCES = Collection(name="resources", fields=(Field("name"),), foreign_keys=("name",))
