"""Which names set a setting: its variable, in the environment or in `.env`, and its flag; no other."""

import os
from pathlib import Path

import pytest

from katana_mcp.commands import cli
from katana_mcp.commands.commandline import settings_of
from katana_mcp.configuration.backend_flags import FLAGS
from katana_mcp.configuration.settings import SECRETS, Choice, Settings, SettingsError, load, load_choice, variable

VALUES = {
    "api_key_file": "kept.key",
    "api_key_keyring": "works",
    "proxy": "http://proxy.example:3128",
    "system_certificates": "true",
    "env_file": "other.env",
    "toolsets": "sales, catalog",
    "tools": "check_inventory",
    "exclude_tools": "cache_status",
    "search_mode": "1",
    "read_only": "on",
    "api_key": "known-key-123456",
    "sync_api_key": "second-key-123456",
    "base_url": "http://127.0.0.1:8765/v1",
    "web_base_url": "https://katana.example",
    "sandbox": "true",
    "catalog": "report",
    "catalog_file": "catalog.toml",
    "cache_dir": "kept",
    "sync": "background",
    "fresh_for": "45",
    "max_plan_lines": "50",
    "max_writes_per_minute": "5",
    "confirm": "required",
    "question_key": "question-key-0123456789-0123456789",
    "telemetry": "yes",
    "metrics": "on",
    "http": "yes",
    "host": "::1",
    "port": "8123",
    "allowed_hosts": "shop.example",
    "allowed_origins": "https://shop.example",
    "http_token": "token-0123456789",
    "max_connections": "40",
    "max_sessions": "30",
    "max_calls": "20",
    "header_timeout": "2.5",
    "body_timeout": "45",
    "session_idle_timeout": "600",
    "log_level": "debug",
} | {name: FLAGS[0] for name in Settings.model_fields if name.startswith("cache_backend")}
"""A lawful value of each setting that is not its default."""


@pytest.fixture
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """No settings but the key that each start needs."""
    for name in [key for key in os.environ if key.startswith("KATANA_")]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KATANA_API_KEY", "key")
    return monkeypatch


@pytest.mark.parametrize("value", [None, "git", ""], ids=["lawful", "nonsense", "blank"])
def test_names_that_are_of_other_programs_set_nothing(
    clean: pytest.MonkeyPatch, tmp_path: Path, value: str | None
) -> None:
    before = load(), load_choice()
    for name in Settings.model_fields:
        clean.setenv(name.upper(), VALUES[name] if value is None else value)
    assert (load(), load_choice()) == before
    lines = [f"{name.upper()}={VALUES[name] if value is None else value}\n" for name in Settings.model_fields]
    (tmp_path / ".env").write_text("".join(lines).lower() if value is None else "".join(lines))
    assert (load(), load_choice()) == before
    for name in Settings.model_fields:
        clean.delenv(name.upper())
    assert (load(), load_choice()) == before


@pytest.mark.parametrize(
    "name", [field for field in Settings.model_fields if not field.startswith(("api_key_", "catalog_file"))]
)
def test_a_variable_and_a_flag_set_the_same(clean: pytest.MonkeyPatch, tmp_path: Path, name: str) -> None:
    value, default = VALUES[name], Settings.model_fields[name].default
    (tmp_path / VALUES["env_file"]).touch()
    values: list[object] = []
    clean.setenv(variable(name), value)
    values.append(getattr(load(), name))
    clean.delenv(variable(name))
    clean.setenv(variable(name).lower(), value)
    values.append(getattr(load(), name))
    clean.delenv(variable(name).lower())
    if name != "env_file":
        clean.delenv("KATANA_API_KEY", raising=False)
        (tmp_path / ".env").write_text(f"KATANA_API_KEY=key\n{variable(name)}='{value}'\n")
        values.append(getattr(load(), name))
        (tmp_path / ".env").write_text(f"KATANA_API_KEY=key\nexport {variable(name)}={value}\n")
        values.append(getattr(load(), name))
        (tmp_path / ".env").unlink()
        clean.setenv("KATANA_API_KEY", "key")
    if name in Choice.model_fields:
        values.append(getattr(load_choice(**{name: value}), name))
    values.append(getattr(load(**{name: value}), name))
    if name not in SECRETS:
        flag = f"--{name.replace('_', '-')}"
        _, bound, _ = cli.app.parse_args(["serve", flag] if default is False else ["serve", flag, value])
        values.append(getattr(settings_of(bound.arguments["flags"]), name))
    assert values == [values[0]] * len(values)
    assert values[0] != default


BOUNDED = [
    ("max_plan_lines", 10_000),
    ("max_writes_per_minute", 1_000),
    ("max_connections", 10_000),
    ("max_sessions", 10_000),
    ("max_calls", 10_000),
]


@pytest.mark.parametrize(("name", "most"), BOUNDED)
def test_a_limit_is_one_or_more_and_bounded(clean: pytest.MonkeyPatch, name: str, most: int) -> None:
    for lawful in (1, most):
        clean.setenv(variable(name), str(lawful))
        assert getattr(load(), name) == lawful
    for wrong in ("0", "-1", str(most + 1), "many", "1.5"):
        clean.setenv(variable(name), wrong)
        with pytest.raises(SettingsError, match=rf"^{variable(name)} \(--{name.replace('_', '-')}\): "):
            load()


@pytest.mark.parametrize(("name", "most"), [("header_timeout", 600), ("body_timeout", 600)])
def test_nobody_is_waited_for_without_end(clean: pytest.MonkeyPatch, name: str, most: int) -> None:
    for lawful in ("0.5", str(most)):
        clean.setenv(variable(name), lawful)
        assert getattr(load(), name) == float(lawful)
    for wrong in ("0", "-1", str(most + 1), "long", "inf", "nan"):
        clean.setenv(variable(name), wrong)
        with pytest.raises(SettingsError, match=rf"^{variable(name)} \(--{name.replace('_', '-')}\): "):
            load()


@pytest.mark.parametrize("entity", ["sales_order", "purchase_order", "inventory_movement"])
def test_a_flag_of_an_entity_that_has_none_is_refused_with_the_entities_that_have_one(
    entity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"KATANA_CACHE_BACKEND_{entity.upper()}", "typed")
    with pytest.raises(SettingsError, match=r"have no flag: orders, .* always in typed; .*variant"):
        load(sandbox=True)
