"""The API key from the system's keyring: named, never written elsewhere, and one sentence where it cannot be had."""

import sys
from collections.abc import Iterator
from pathlib import Path

import keyring
import pytest
from command_line import Run
from keyring.backend import KeyringBackend
from keyring.errors import KeyringLocked

from katana_mcp.configuration.settings import SettingsError, load

KEY = "a-key-of-an-account"


class Held(KeyringBackend):
    """A keyring of entries by program and name."""

    priority = 1  # pyright: ignore[reportAssignmentType] - as its own backends have it

    def __init__(self, entries: dict[tuple[str, str], str]) -> None:
        super().__init__()
        self.entries = entries
        self.locked = False

    def get_password(self, service: str, username: str) -> str | None:
        if self.locked:
            raise KeyringLocked("the keyring is locked")
        return self.entries.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.entries[service, username] = password


@pytest.fixture
def kept() -> Iterator[Held]:
    """Return this machine's keyring for the time of a test."""
    before = keyring.get_keyring()
    held = Held({("katana-mcp", "works"): f" {KEY}\n", ("another", "others"): "not ours"})
    keyring.set_keyring(held)
    yield held
    keyring.set_keyring(before)


@pytest.mark.parametrize("how", ["flag", "environment", "named file"])
def test_the_key_is_that_of_the_entry_that_is_named(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, kept: Held, how: str
) -> None:
    flags: dict[str, object] = {}
    match how:
        case "flag":
            flags["api_key_keyring"] = "works"
        case "environment":
            no_settings.setenv("KATANA_API_KEY_KEYRING", "works")
        case _:
            (tmp_path / "named.env").write_text("KATANA_API_KEY_KEYRING=works\n")
            flags["env_file"] = tmp_path / "named.env"
    assert load(**flags).api_key.get_secret_value() == KEY


def test_an_entry_that_is_not_there_or_is_another_programs_is_told_with_how_to_save_one(
    no_settings: pytest.MonkeyPatch, kept: Held
) -> None:
    with pytest.raises(SettingsError, match=r"has no entry 'others': uvx keyring set katana-mcp others saves the key"):
        load(api_key_keyring="others")


def test_a_keyring_that_cannot_be_asked_is_one_sentence(no_settings: pytest.MonkeyPatch, kept: Held) -> None:
    kept.locked = True
    with pytest.raises(SettingsError, match=r"--api-key-keyring\): the system's keyring cannot be asked: .*locked"):
        load(api_key_keyring="works")


def test_two_places_of_a_key_are_one_too_many(no_settings: pytest.MonkeyPatch, kept: Held) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    message = r"KATANA_API_KEY and KATANA_API_KEY_KEYRING \(--api-key-keyring\) are both set: leave one of them out"
    with pytest.raises(SettingsError, match=message):
        load(api_key_keyring="works")


def test_the_directory_of_the_start_names_no_entry(tmp_path: Path, no_settings: pytest.MonkeyPatch, kept: Held) -> None:
    (tmp_path / ".env").write_text("KATANA_API_KEY_KEYRING=works\nKATANA_BASE_URL=https://theirs.example/v1\n")
    with pytest.raises(
        SettingsError, match=r"KATANA_API_KEY_KEYRING stands in .*as --api-key-keyring, .*anybody's key"
    ):
        load()


def test_without_the_optional_part_one_sentence_says_how_to_get_it(
    no_settings: pytest.MonkeyPatch, command_line: Run
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "keyring"]:
        no_settings.delitem(sys.modules, name)
    no_settings.setitem(sys.modules, "keyring", None)
    ran = command_line("serve", "--api-key-keyring", "works")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        "katana-mcp: KATANA_API_KEY_KEYRING (--api-key-keyring): asking the keyring is an optional part: install "
        "katana-factory-mcp[keyring]\n"
    )


def test_a_host_is_told_the_entry_and_never_the_key(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, kept: Held, command_line: Run
) -> None:
    no_settings.setenv("HOME", str(tmp_path))
    ran = command_line("install", "claude-code", "--api-key-keyring", "works")
    assert ran.code == 0, ran.err
    written = (tmp_path / ".claude.json").read_text()
    assert '"--api-key-keyring"' in written
    assert KEY not in written


@pytest.mark.parametrize("proxy", ["proxy.example", "socks5://proxy.example", "http://u:secret@", "http://a/b?c"])
def test_what_is_no_proxy_is_refused_without_what_it_holds(no_settings: pytest.MonkeyPatch, proxy: str) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    no_settings.setenv("KATANA_PROXY", proxy)
    with pytest.raises(SettingsError, match=r"^KATANA_PROXY.*must be the address of a proxy, as http://") as refused:
        load()
    assert "secret" not in str(refused.value)


def test_a_blank_proxy_is_none(no_settings: pytest.MonkeyPatch) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    no_settings.setenv("KATANA_PROXY", "  ")
    assert load().proxy is None


def test_the_directory_of_the_start_names_no_proxy(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    (tmp_path / ".env").write_text("KATANA_PROXY=http://theirs.example:3128\nKATANA_SYSTEM_CERTIFICATES=1\n")
    with pytest.raises(SettingsError, match=r"KATANA_PROXY, KATANA_SYSTEM_CERTIFICATES in .*: not taken"):
        load()
