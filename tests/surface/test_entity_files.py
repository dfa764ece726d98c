"""Every entity has its file in each package and its line in each registry; what was forgotten is named."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from cache_core.specs import SPECS
from cache_typed.tables import TABLES
from katana_client.collection import Bound
from katana_client.resources import Collections
from katana_mcp.entities import ENTITIES
from katana_mcp.surface.descriptor import Entity

ROOT = Path(__file__).resolve().parents[2]
RESOURCES = "packages/katana_client/src/katana_client/resources"
COLLECTIONS = "packages/katana_sandbox/src/katana_sandbox/collections"
SPEC_FILES = "packages/cache_core/src/cache_core/specs"
TABLE_FILES = "packages/cache_typed/src/cache_typed/tables"
FOLDERS = "packages/katana_mcp_server/src/katana_mcp/entities"
KEPT_AS = {"po_additional_cost_rows": "purchase_order_additional_cost_rows", "inventory": "stock"}
"""Collections that the cache calls otherwise than Katana's path: an abbreviation, and stock beside its movements."""
BESIDE_ITS_PARENT = {"sales_return_rows": "sales_returns", "stocktake_rows": "stocktakes"}
"""Collections that the sandbox has in the file of another, whose rules they share."""
NO_RESOURCES = {"addresses", "items", "reranks", "searches"}
"""What several collections of the client share."""
BY_ENTITY = {spec.name: spec.collection for spec in SPECS}
WORDS = (ROOT / "docs/explanation/search.md").read_text("utf-8")


def files_of(collection: str) -> Iterator[str]:
    """Yield the files that a cached collection has."""
    kept = KEPT_AS.get(collection, collection)
    yield f"{RESOURCES}/{collection}.py"
    yield f"{COLLECTIONS}/{BESIDE_ITS_PARENT.get(collection, collection)}.py"
    yield f"{SPEC_FILES}/{kept}.py"
    yield f"{TABLE_FILES}/{kept}.py"


def files_of_entity(entity: Entity) -> Iterator[str]:
    """Yield the files that an entity of the tool surface has, and those of what it reads."""
    folder = f"{FOLDERS}/{entity.plural}"
    yield f"{folder}/__init__.py"
    if entity.summary is not None:
        yield f"{folder}/rows.py"
    if entity.list_request is not None:
        yield f"{folder}/filters.py"
    if entity.get is not None:
        yield f"{folder}/get.py"


def modules(folder: str, root: Path = ROOT) -> set[str]:
    """Return the names of the modules and packages of a folder."""
    found = (path for path in (root / folder).iterdir() if path.suffix == ".py" or (path / "__init__.py").is_file())
    return {path.stem for path in found} - {"__init__"}


def missing(files: Iterator[str], root: Path = ROOT) -> list[str]:
    """Return the files that are not there."""
    return [file for file in files if not (root / file).is_file()]


@pytest.mark.parametrize("collection", sorted(BY_ENTITY.values()))
def test_a_cached_collection_has_its_file_in_each_package(collection: str) -> None:
    assert missing(files_of(collection)) == []


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda entity: entity.plural)
def test_an_entity_of_the_surface_has_the_files_that_its_sisters_have(entity: Entity) -> None:
    assert missing(files_of_entity(entity)) == []
    assert [source for source in (*entity.sources, *entity.reads) if source not in BY_ENTITY] == []


def test_every_file_has_its_line_in_the_registry_beside_it() -> None:
    kept = {KEPT_AS.get(collection, collection) for collection in BY_ENTITY.values()}
    tables = {KEPT_AS.get(collection, collection) for collection in (mapping.spec.collection for mapping in TABLES)}
    bound = {name for name, value in vars(Collections).items() if isinstance(value, Bound)}
    assert modules(SPEC_FILES) - kept == set()
    assert modules(TABLE_FILES) - tables == set()
    assert kept - tables == set()
    assert modules(FOLDERS) == {entity.plural for entity in ENTITIES}
    assert modules(RESOURCES) - NO_RESOURCES - bound == set()


@pytest.mark.parametrize("entity", ENTITIES, ids=lambda entity: entity.plural)
def test_what_an_entity_is_searched_in_is_written_down_for_people(entity: Entity) -> None:
    assert f"\n| {entity.titles} | " in WORDS


def test_a_forgotten_file_is_named(tmp_path: Path) -> None:
    for file in files_of("customers"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).touch()
    (tmp_path / TABLE_FILES / "customers.py").unlink()
    assert missing(files_of("customers"), tmp_path) == [f"{TABLE_FILES}/customers.py"]
    assert modules(SPEC_FILES, tmp_path) == {"customers"}
