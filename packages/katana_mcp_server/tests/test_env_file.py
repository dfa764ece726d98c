"""A key goes to its own host: what `.env` may say beside a key from elsewhere, who may write it, how to name one."""

import os
from itertools import product
from pathlib import Path

import pytest

from katana_mcp.configuration.settings import API, HARMLESS, SECRETS, Settings, SettingsError, load, variable

MINE, THEIRS = "https://mine.example/v1", "https://theirs.example/v1"
KEY = "a-key-of-an-account"


def written(path: Path, **settings: str) -> Path:
    path.write_text("".join(f"{name}={value}\n" for name, value in settings.items()))
    path.chmod(0o600)
    return path


@pytest.mark.parametrize(
    ("key", "address"),
    list(product(["environment", "file", "named file"], ["flag", "environment", "file", "named file"])),
)
def test_a_key_never_goes_to_a_host_that_a_weaker_source_names(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, key: str, address: str
) -> None:
    files: dict[str, dict[str, str]] = {"file": {}, "named file": {}}
    if key == "environment":
        no_settings.setenv("KATANA_API_KEY", KEY)
    else:
        files[key]["KATANA_API_KEY"] = KEY
    if address == "environment":
        no_settings.setenv("KATANA_BASE_URL", MINE)
    elif address != "flag":
        files[address]["KATANA_BASE_URL"] = MINE
    flags: dict[str, object] = {"base_url": MINE} if address == "flag" else {}
    if files["named file"]:
        flags["env_file"] = written(tmp_path / "named.env", **files["named file"])
    written(tmp_path / ".env", **files["file"])
    if (key, address) == ("environment", "file"):
        with pytest.raises(SettingsError, match=r"KATANA_BASE_URL in .*: not taken, because the API key comes from"):
            load(**flags)
    elif (key, address) == ("file", "named file"):
        with pytest.raises(SettingsError, match="KATANA_API_KEY is not set"):
            load(**flags)  # a file that is named is read instead of the other
    else:
        settings = load(**flags)
        sent_to = API if (key, address) == ("named file", "file") else MINE
        assert (settings.base_url, settings.api_key.get_secret_value()) == (sent_to, KEY)


@pytest.mark.parametrize("keys", [["KATANA_API_KEY"], ["katana_sync_api_key", "KATANA_API_KEY"]])
@pytest.mark.parametrize("name", sorted(set(Settings.model_fields) - HARMLESS - {"api_key", "sync_api_key"}))
def test_nothing_that_names_a_host_opens_a_door_or_loosens_a_guard_comes_with_the_working_directory(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, keys: list[str], name: str
) -> None:
    for number, key in enumerate(keys):
        no_settings.setenv(key, f"{KEY}-{number}")
    written(tmp_path / ".env", **{variable(name).lower(): "1"})
    with pytest.raises(SettingsError, match=rf"^{variable(name)} (in|stands in) {tmp_path / '.env'}"):
        load()


def test_what_a_stronger_source_says_anyway_may_stand_in_the_file(
    tmp_path: Path, no_settings: pytest.MonkeyPatch
) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    no_settings.setenv("KATANA_MCP_PORT", "8001")
    written(tmp_path / ".env", KATANA_BASE_URL=THEIRS, KATANA_MCP_PORT="8002", KATANA_MCP_LOG_LEVEL="debug")
    settings = load(base_url=MINE)
    assert (settings.base_url, settings.port, settings.log_level) == (MINE, 8001, "DEBUG")


def test_what_a_file_may_always_say_is_no_secret_and_is_there() -> None:
    assert set(Settings.model_fields) > HARMLESS
    assert HARMLESS.isdisjoint(SECRETS)


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_is_refused_with_what_to_do(
    tmp_path: Path, no_settings: pytest.MonkeyPatch, mode: int
) -> None:
    del no_settings
    for file in (tmp_path / ".env", tmp_path / "named.env"):
        written(file, KATANA_API_KEY=KEY).chmod(mode)
        with pytest.raises(SettingsError, match=rf"^{file} can be written by other users .*: chmod go-w {file}$"):
            load(env_file=file if file.name != ".env" else None)
        file.chmod(mode & 0o755)
        assert load(env_file=file if file.name != ".env" else None).api_key.get_secret_value() == KEY
        file.unlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file to another user")
def test_a_file_of_another_user_is_refused(tmp_path: Path, no_settings: pytest.MonkeyPatch) -> None:
    del no_settings
    file = written(tmp_path / ".env", KATANA_API_KEY=KEY)
    os.chown(file, 12_345, 12_345)
    with pytest.raises(SettingsError, match=rf"^{file} belongs to another user"):
        load()


def test_a_file_of_another_program_may_be_written_by_whom_it_likes(
    tmp_path: Path, no_settings: pytest.MonkeyPatch
) -> None:
    no_settings.setenv("KATANA_SANDBOX", "1")
    written(tmp_path / ".env", PORT="80").chmod(0o666)
    assert load().sandbox


def test_a_file_that_is_named_is_read_instead_of_the_one_of_the_directory(
    tmp_path: Path, no_settings: pytest.MonkeyPatch
) -> None:
    written(tmp_path / ".env", KATANA_MCP_PORT="8001", KATANA_BASE_URL=THEIRS)
    named = written(tmp_path / "named.env", KATANA_API_KEY=KEY)
    no_settings.setenv("KATANA_MCP_ENV_FILE", str(named))
    settings = load()
    assert (settings.port, settings.base_url, settings.api_key.get_secret_value()) == (8000, API, KEY)
    no_settings.setenv("KATANA_MCP_ENV_FILE", str(tmp_path / "absent.env"))
    with pytest.raises(SettingsError, match=r"absent\.env does not exist: name a file of settings with --env-file$"):
        load()


def test_a_named_file_may_say_what_is_done_with_a_key_of_the_environment(
    tmp_path: Path, no_settings: pytest.MonkeyPatch
) -> None:
    no_settings.setenv("KATANA_API_KEY", KEY)
    assert load(env_file=written(tmp_path / "named.env", KATANA_BASE_URL=MINE)).base_url == MINE
