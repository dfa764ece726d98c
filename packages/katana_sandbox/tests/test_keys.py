"""Keys, places and links of a store against plain lists and dictionaries, for ids of every kind."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from katana_sandbox.store.keys import NOWHERE, Key, Keys, Links, Places

# Too far ahead to be counted, until an id just before it has come.
_FAR = 10000101 + (1 << 20)
_KEYS = st.one_of(
    st.integers(10000090, 10000130),
    st.integers(10000101, 14_000_000),
    st.integers(),
    st.uuids().map(str),
    st.sampled_from(["", "10000101", "null"]),
)


@settings(deadline=None)
@example([(_FAR, 1), (_FAR - 9, 2), (_FAR, 3), (_FAR + 1, 4)], _FAR + 2)
@given(st.lists(st.tuples(_KEYS, st.integers(NOWHERE, 50))), _KEYS)
def test_places_agree_with_a_dictionary(writes: list[tuple[Key, int]], absent: Key) -> None:
    places, plain = Places(), dict[Key, int]()
    for key, place in writes:
        assert places.put(key, place) == plain.get(key, NOWHERE)
        plain[key] = place
    copy = Places()
    copy.restore(places.saved())
    for store in (places, copy):
        assert [store.get(key) for key in [*plain, absent]] == [plain.get(key, NOWHERE) for key in [*plain, absent]]
    assert copy.put(absent, 7) == plain.get(absent, NOWHERE)


@settings(deadline=None)
@given(st.lists(_KEYS, unique=True), _KEYS)
def test_keys_agree_with_a_list(given_keys: list[Key], other: Key) -> None:
    first, copy = Keys(), Keys()
    for key in given_keys:
        first.append(key)
    copy.restore(first.saved())
    for keys in (first, copy):
        assert list(keys) == given_keys
        assert keys[1:3] == given_keys[1:3]
        assert [keys.slot(key) for key in given_keys] == list(range(len(given_keys)))
        assert keys.slot(other) == (given_keys.index(other) if other in given_keys else None)


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([10000101, 10000102, 9, "a"]), st.integers(0, 12))))
def test_links_agree_with_sets_of_slots(toggles: list[tuple[Key, int]]) -> None:
    links, plain = Links(), dict[int, Key]()
    for value, slot in toggles:
        before = plain.pop(slot, None)
        if before is not None:
            links.remove(before, slot)
        if before != value:
            links.add(value, slot)
            plain[slot] = value
    copy = Links()
    copy.restore(links.saved())
    for value in (10000101, 10000102, 9, "a", "b"):
        expected = sorted(slot for slot, held in plain.items() if held == value)
        assert (links.of(value), copy.of(value)) == (expected, expected)
