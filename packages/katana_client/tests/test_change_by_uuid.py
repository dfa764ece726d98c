"""A change of a record that is known by its UUID."""

from katana_client import Call
from katana_client.resources.bom_rows import BomRowUpdate
from katana_client.testing import FakeClient, reply

ROW = "00000000-0000-0000-0000-00000000000a"


def test_a_change_goes_to_the_path_of_its_uuid() -> None:
    client = FakeClient(lambda _: reply({}))
    planned = client.bom_rows.change(ROW.upper(), BomRowUpdate(notes="x"))
    assert planned == Call("PATCH", f"/bom_rows/{ROW}", (), {"notes": "x"})
