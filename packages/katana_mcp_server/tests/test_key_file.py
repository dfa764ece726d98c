"""The API key from a file of its own: read whole, by its owner alone, and never from wherever a server starts."""

from pathlib import Path

import pytest
from command_line import Run

from katana_mcp.configuration.settings import SettingsError, load

KEY = "a-key-of-an-account"


def held(path: Path, text: str | bytes = f"  {KEY}\n", mode: int = 0o600) -> Path:
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    path.chmod(mode)
    return path


@pytest.mark.parametrize("how", ["flag", "environment", "named file", "relative", "home"])
def test_a_key_is_read_from_the_file_that_is_named(tmp_path: Path, no_settings: pytest.MonkeyPatch, how: str) -> None:
    path = held(tmp_path / "key")
    flags: dict[str, object] = {}
    match how:
        case "flag":
            flags["api_key_file"] = path
        case "environment":
            no_settings.setenv("KATANA_API_KEY_FILE", str(path))
        case "named file":
            flags["env_file"] = held(tmp_path / "named.env", f"KATANA_API_KEY_FILE={path}\n")
        case "relative":
            flags["api_key_file"] = "key"
        case _:
            no_settings.setenv("HOME", str(tmp_path))
            flags["api_key_file"] = "~/key"
    assert load(**flags).api_key.get_secret_value() == KEY


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602])
def test_a_file_that_others_may_use_is_refused(tmp_path: Path, no_settings: pytest.MonkeyPatch, mode: int) -> None:
    path = held(tmp_path / "key", mode=mode)
    with pytest.raises(SettingsError, match=r"can be read by other users of this machine: chmod 600 it"):
        load(api_key_file=path)


@pytest.mark.parametrize(
    "text", ["", " \n ", f"{KEY}\n{KEY}", f"KATANA_API_KEY=\n{KEY}\n", b"\xff\xfe\x00", "k" * 10_001], ids=range(6)
)
def test_a_file_that_holds_no_key_alone_is_refused_without_what_it_holds(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, text: str | bytes
) -> None:
    with pytest.raises(SettingsError, match=r"must hold the key alone, in one line") as refused:
        load(api_key_file=held(tmp_path / "key", text))
    assert KEY not in str(refused.value)


def test_what_is_no_file_is_refused(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    with pytest.raises(SettingsError, match=r"--api-key-file\): .*/none does not exist"):
        load(api_key_file=tmp_path / "none")
    with pytest.raises(SettingsError, match=r"is a directory: name the file that holds the key"):
        load(api_key_file=tmp_path)


def test_a_key_and_a_file_are_one_too_many(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    with pytest.raises(SettingsError, match=r"are both set: leave one of them out"):
        load(api_key_file=held(tmp_path / "key"))


def test_the_directory_of_the_start_names_no_file_with_a_key(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    path = held(tmp_path / "key")
    held(tmp_path / ".env", f"KATANA_API_KEY_FILE={path}\nKATANA_BASE_URL=https://theirs.example/v1\n")
    with pytest.raises(SettingsError, match=r"KATANA_API_KEY_FILE stands in .*may name anybody's key"):
        load()


def test_a_file_with_a_key_goes_to_no_host_that_the_directory_of_the_start_names(
    tmp_path: Path, no_settings: pytest.MonkeyPatch
) -> None:
    no_settings.setenv("KATANA_API_KEY_FILE", str(held(tmp_path / "key")))
    held(tmp_path / ".env", "KATANA_BASE_URL=https://theirs.example/v1\n")
    with pytest.raises(SettingsError, match=r"KATANA_BASE_URL in .*: not taken"):
        load()


def test_a_host_is_told_where_the_file_is(tmp_path: Path, command_line: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("KATANA_SANDBOX")
    held(tmp_path / "key")
    listed = command_line("install", "print", "--api-key-file", "key").data["mcpServers"]["katana"]
    assert listed["args"] == ["serve", "--api-key-file", str(tmp_path / "key")]
    assert KEY not in str(listed)
