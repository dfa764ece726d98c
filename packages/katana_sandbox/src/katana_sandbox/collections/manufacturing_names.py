"""Names of operations and resources: kept so that ids and names agree, served by no endpoint."""

from katana_sandbox.descriptor import Collection, Field

OPERATIONS = Collection(name="operations", entity="operation", fields=(Field("name"),), foreign_keys=("name",))
RESOURCES = Collection(name="resources", entity="resource", fields=(Field("name"),), foreign_keys=("name",))
