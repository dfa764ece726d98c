"""Every setting of the server: as a `--flag` (secrets are none), an environment variable, or in `.env`, in this order.

Refuses what cannot work before anything starts, in one sentence that names the variable and what is allowed.
"""

import os
from collections.abc import Iterable, Mapping, Set
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, ValidationError, model_validator

from cache_core.specs import SPECS
from katana_mcp.configuration.addresses import (
    THIS_MACHINE,
    checked_hosts,
    checked_origins,
    checked_proxy,
    checked_web_address,
)
from katana_mcp.configuration.backend_flags import DEFAULTS, FLAGS, Flag, chosen_flags
from katana_mcp.configuration.choice import CatalogChoice as CatalogChoice
from katana_mcp.configuration.choice import Choice as Choice
from katana_mcp.configuration.choice import Directory, Names, directory
from katana_mcp.configuration.env_file import EnvFile, read_env_file
from katana_mcp.configuration.env_file import SettingsError as SettingsError
from katana_mcp.configuration.key_file import FILE as KEY_FILE
from katana_mcp.configuration.key_file import with_key
from katana_mcp.configuration.key_ring import KEYRING
from katana_mcp.tools.argument_errors import wrong
from katana_mcp.tools.hints import nearest

API = "https://api.katanamrp.com/v1"
_KEY_CHARACTERS = 32


def _proxy(value: SecretStr | None) -> SecretStr | None:
    """Take a blank proxy for none."""
    return SecretStr(checked_proxy(held)) if value is not None and (held := value.get_secret_value()) else None


def _trimmed(value: SecretStr) -> SecretStr:
    return SecretStr(value.get_secret_value().strip())


type Secret = Annotated[SecretStr, AfterValidator(_trimmed)]


class Settings(CatalogChoice):
    """What the server was told.

    Environment variables are named `KATANA_…`; the field's description says which, as its flag is its name.
    """

    api_key: Annotated[Secret, Field(validation_alias="KATANA_API_KEY")] = SecretStr("")
    """The API key, from Katana: Settings, API. Only from the environment or `.env`, never a flag."""
    api_key_file: Annotated[Directory, Field(validation_alias="KATANA_API_KEY_FILE")] = None
    """A file that holds the API key alone and that only you can read, instead of the key itself."""
    api_key_keyring: Annotated[str | None, Field(validation_alias="KATANA_API_KEY_KEYRING")] = None
    """The entry of the system's keyring that holds the API key, under katana-mcp; needs katana-factory-mcp[keyring]."""
    sync_api_key: Annotated[Secret | None, Field(validation_alias="KATANA_SYNC_API_KEY")] = None
    """A second API key of the same account, for listings, with a rate limit of its own. Never a flag either."""
    base_url: Annotated[str, Field(validation_alias="KATANA_BASE_URL")] = API
    """Where the API is; https, or http on this machine."""
    proxy: Annotated[Secret | None, AfterValidator(_proxy), Field(validation_alias="KATANA_PROXY")] = None
    """A proxy on the way to Katana, as http://proxy.example:3128; may hold a password, so never a flag either."""
    system_certificates: Annotated[bool, Field(validation_alias="KATANA_SYSTEM_CERTIFICATES")] = False
    """Trust the authorities that this machine trusts, a company's own for example, and not the public ones alone."""
    web_base_url: Annotated[str, AfterValidator(checked_web_address), Field(validation_alias="KATANA_WEB_BASE_URL")] = (
        "https://factory.katanamrp.com"
    )
    """Katana's web app, for the links in answers."""
    sandbox: Annotated[bool, Field(validation_alias="KATANA_SANDBOX")] = False
    """Work on invented data instead of an account; with a base URL of this machine, on the sandbox that runs there."""
    cache_backend: Annotated[
        Flag | None,
        Field(
            validation_alias="KATANA_CACHE_BACKEND",
            description=f"Cache backend of the catalogue and reference data: {', '.join(FLAGS)}.",
        ),
    ] = None
    cache_backend_variant: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_VARIANT")] = None
    """The same for variants alone."""
    cache_backend_product: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_PRODUCT")] = None
    """The same for products alone."""
    cache_backend_material: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_MATERIAL")] = None
    """The same for materials alone."""
    cache_backend_service: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_SERVICE")] = None
    """The same for services alone."""
    cache_backend_customer: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_CUSTOMER")] = None
    """The same for customers alone."""
    cache_backend_supplier: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_SUPPLIER")] = None
    """The same for suppliers alone."""
    cache_backend_location: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_LOCATION")] = None
    """The same for locations alone."""
    cache_backend_tax_rate: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_TAX_RATE")] = None
    """The same for tax rates alone."""
    cache_backend_operator: Annotated[Flag | None, Field(validation_alias="KATANA_CACHE_BACKEND_OPERATOR")] = None
    """The same for operators alone."""
    sync: Annotated[
        Literal["off", "lazy", "background"],
        BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
        Field(validation_alias="KATANA_SYNC"),
    ] = "lazy"
    """off: answers come from the cache alone. lazy, the default: a read of old rows asks Katana first. background: also
    refreshed ahead, so that reads wait for nothing; it takes up to half of Katana's 60 requests a minute."""
    fresh_for: Annotated[int | None, Field(validation_alias="KATANA_FRESH_FOR", ge=5, le=86_400)] = None
    """Seconds for which what was read from Katana is answered without asking again, 5 to 86400; by default 30 for
    orders and stock, 120 for the catalogue and customers, 900 for what seldom changes."""
    max_plan_lines: Annotated[int, Field(validation_alias="KATANA_MCP_MAX_PLAN_LINES", ge=1, le=10_000)] = 200
    """Lines that one plan of a write may hold, and requests, 1 to 10000; 200 by default."""
    max_writes_per_minute: Annotated[
        int, Field(validation_alias="KATANA_MCP_MAX_WRITES_PER_MINUTE", ge=1, le=1_000)
    ] = 30
    """Requests that write to Katana, of one caller in a minute, 1 to 1000; 30 by default."""
    confirm: Annotated[
        Literal["auto", "required"],
        BeforeValidator(lambda value: value.strip().lower() if isinstance(value, str) else value),
        Field(validation_alias="KATANA_MCP_CONFIRM"),
    ] = "auto"
    """auto, the default: a person is asked before a write where the client can ask. required: where it cannot, nothing
    is written."""
    question_key: Annotated[Secret | None, Field(validation_alias="KATANA_MCP_QUESTION_KEY")] = None
    """Seals questions to a person, 32 characters or more: servers on different machines that share it take each other's
    answers. By default a key kept in the cache directory. Never a flag either."""
    telemetry: Annotated[bool, Field(validation_alias="KATANA_MCP_TELEMETRY")] = False
    """Send traces and metrics over OTLP, by the variables of OpenTelemetry; needs katana-factory-mcp[otel]."""
    metrics: Annotated[bool, Field(validation_alias="KATANA_MCP_METRICS")] = False
    """Serve metrics for Prometheus at /metrics over HTTP, to who has the token; needs katana-factory-mcp[otel]."""
    http: Annotated[bool, Field(validation_alias="KATANA_MCP_HTTP")] = False
    """Serve over HTTP instead of stdio; needs KATANA_MCP_HTTP_TOKEN."""
    host: Annotated[str, Field(validation_alias="KATANA_MCP_HOST", min_length=1)] = "127.0.0.1"
    """Address to bind, 127.0.0.1 by default; any but this machine's needs --allowed-hosts."""
    port: Annotated[int, Field(validation_alias="KATANA_MCP_PORT", ge=0, le=65_535)] = 8000
    """Port to bind, 8000 by default; 0 takes a free one."""
    allowed_hosts: Annotated[
        Names, AfterValidator(checked_hosts), Field(validation_alias="KATANA_MCP_ALLOWED_HOSTS")
    ] = ()
    """Host headers that are served besides the bound address, separated by commas."""
    allowed_origins: Annotated[
        Names, AfterValidator(checked_origins), Field(validation_alias="KATANA_MCP_ALLOWED_ORIGINS")
    ] = ()
    """Origins whose pages may call besides the server's own, as https://shop.example, separated by commas."""
    http_token: Annotated[Secret, Field(validation_alias="KATANA_MCP_HTTP_TOKEN")] = SecretStr("")
    """Bearer token that HTTP clients must send, 16 characters or more. Only from the environment or `.env`."""
    max_connections: Annotated[int, Field(validation_alias="KATANA_MCP_MAX_CONNECTIONS", ge=1, le=10_000)] = 512
    """Connections over HTTP at once, 1 to 10000; 512 by default. Past that the one that has waited longest without a
    request makes room."""
    max_sessions: Annotated[int, Field(validation_alias="KATANA_MCP_MAX_SESSIONS", ge=1, le=10_000)] = 256
    """Sessions over HTTP at once, 1 to 10000; 256 by default. Past that new ones get 503."""
    max_calls: Annotated[int, Field(validation_alias="KATANA_MCP_MAX_CALLS", ge=1, le=10_000)] = 128
    """Requests over HTTP that are worked on at once, 1 to 10000; 128 by default. Past that they get 503."""
    header_timeout: Annotated[
        float, Field(validation_alias="KATANA_MCP_HEADER_TIMEOUT", ge=0.05, le=600, allow_inf_nan=False)
    ] = 10
    """Seconds that a client has for the headers of a request, up to 600; 10 by default."""
    body_timeout: Annotated[
        float, Field(validation_alias="KATANA_MCP_BODY_TIMEOUT", ge=0.05, le=600, allow_inf_nan=False)
    ] = 30
    """Seconds that a client has for the body of a request, and that an answer may stay unread, up to 600; 30 by
    default."""
    session_idle_timeout: Annotated[
        float, Field(validation_alias="KATANA_MCP_SESSION_IDLE_TIMEOUT", ge=0.05, le=604_800, allow_inf_nan=False)
    ] = 1_800
    """Seconds after which a session over HTTP without a request is closed, up to 604800; 1800 by default."""
    log_level: Annotated[
        Literal["DEBUG", "INFO", "WARNING", "ERROR"],
        BeforeValidator(lambda value: value.upper() if isinstance(value, str) else value),
        Field(validation_alias="KATANA_MCP_LOG_LEVEL"),
    ] = "INFO"
    """DEBUG, INFO, WARNING or ERROR; logs go to stderr."""

    @model_validator(mode="before")
    @classmethod
    def _key_of_file(cls, given: dict[str, object]) -> dict[str, object]:
        return with_key(given)

    @model_validator(mode="after")
    def _key_or_sandbox(self) -> Self:
        if not self.sandbox and not self.api_key.get_secret_value():
            raise ValueError(
                "KATANA_API_KEY is not set: put the key from Katana (Settings, API) into the environment or into "
                ".env, or start with --sandbox to work on invented data"
            )
        return self

    @model_validator(mode="after")
    def _second_key_is_another(self) -> Self:
        second = None if self.sync_api_key is None else self.sync_api_key.get_secret_value()
        if second == "":
            raise ValueError("KATANA_SYNC_API_KEY is blank: give it a second key of the same account, or leave it out")
        if second is not None and second == self.api_key.get_secret_value():
            raise ValueError(
                "KATANA_SYNC_API_KEY is the same key as KATANA_API_KEY, and Katana limits each key: make a second key "
                "in Katana (Settings, API), or leave it out"
            )
        return self

    @model_validator(mode="after")
    def _question_key_is_long(self) -> Self:
        key = None if self.question_key is None else self.question_key.get_secret_value()
        if key is not None and len(key) < _KEY_CHARACTERS:
            raise ValueError(
                f"KATANA_MCP_QUESTION_KEY is too short: give it {_KEY_CHARACTERS} random characters or more, or leave "
                "it out"
            )
        return self

    @model_validator(mode="after")
    def _sandbox_stays_here(self) -> Self:
        host = urlsplit(self.base_url).hostname or ""
        if self.sandbox and self.base_url != API and host not in THIS_MACHINE:
            raise ValueError(
                "KATANA_SANDBOX (--sandbox) works on invented data of this machine: leave KATANA_BASE_URL "
                "(--base-url) out, or name a sandbox that runs here, http://127.0.0.1:PORT/v1"
            )
        return self

    @property
    def runs_own_sandbox(self) -> bool:
        """Whether the sandbox is to be run inside this process."""
        return self.sandbox and self.base_url == API

    def flags(self) -> dict[str, Flag]:
        """Return the cache backend of each entity that both backends hold."""
        single: dict[str, Flag | None] = {entity: getattr(self, f"cache_backend_{entity}") for entity in DEFAULTS}
        return chosen_flags(self.cache_backend, single)


SECRETS = ("api_key", "sync_api_key", "question_key", "http_token", "proxy")
"""Fields that are never flags: a command line can be read by every user of the machine."""


def load(**flags: object) -> Settings:
    """Return the settings from flags, environment and `.env`.

    Raises:
        SettingsError: one sentence per problem, with the variable's name and what is allowed; never the value.
    """
    return _read(Settings, flags)


def load_choice(**flags: object) -> Choice:
    """Return which tools the flags, the environment and `.env` choose; everything else may be wrong or missing.

    Raises:
        SettingsError: as `load` does.
    """
    return _read(Choice, flags)


def load_catalog_choice(**flags: object) -> CatalogChoice:
    """Return the same, and which catalogue there is; no key is needed for it.

    Raises:
        SettingsError: as `load` does.
    """
    return _read(CatalogChoice, flags)


def _read[S: Choice](model: type[S], flags: Mapping[str, object]) -> S:
    try:
        # By its own name a field could also be set from the environment, where HOST and API_KEY are other programs'.
        given: dict[str, Any] = {_flag_names(name): value for name, value in flags.items() if value is not None}
        file = read_env_file(_named_file(given))
        _refuse_misspelt(file.names)
        _refuse_from_elsewhere(file, set(given))
        return model(_env_file=file.path, **given)  # pyright: ignore[reportCallIssue] - pydantic-settings takes it
    except ValidationError as error:
        problems = (
            _sentence(problem["loc"], wrong(problem["type"], problem.get("ctx", {}), problem["msg"]))
            for problem in error.errors()
        )
        raise SettingsError("; ".join(problems)) from None


def _named_file(given: Mapping[str, object]) -> Path | None:
    """Return the file that a flag or the environment names; no file of settings names another."""
    name = variable("env_file")
    named = given.get(name) or next((os.environ[key] for key in os.environ if key.upper() == name), None)
    return cast("Path | None", directory(named))


def _refuse_misspelt(names: Iterable[str]) -> None:
    """Stop at a name like one of ours that is none: unread, it would leave a setting where it was, in silence."""
    existing = {variable(name) for name in Settings.model_fields}
    unknown = sorted({name.upper() for name in (*os.environ, *names)} - existing)
    for name in unknown:
        entity = name.removeprefix(_FLAG).lower()
        if name.startswith(_FLAG) and entity in _ENTITIES:
            what = f"{entity.replace('_', ' ')} records have no flag: orders, their rows and stock are always in typed"
            raise SettingsError(f"{name}: {what}; the entities with a flag are {', '.join(DEFAULTS)}")
        near = nearest(name, sorted(existing), like=_LIKE) if name.startswith("KATANA") else None
        if near or name.startswith(_OURS):
            hint = f"did you mean {near}?" if near else f"there are {', '.join(sorted(existing))}"
            raise SettingsError(f"{name}: no such setting; {hint}")


def _refuse_from_elsewhere(file: EnvFile, given: Set[str]) -> None:
    """Stop where a working directory's `.env` would say what is done with a key that is not its own.

    Who may write into the directory in which the server happens to start would name the host that the key is sent to,
    open a door, or loosen a guard.
    """
    ours = {variable(name) for name in Settings.model_fields}
    stronger = {name.upper() for name in os.environ} | given
    taken = {name.upper() for name in file.names} & ours - stronger
    if variable("env_file") in taken:
        raise SettingsError(
            f"{variable('env_file')} stands in {file.path}: it is taken from the environment or as --env-file alone"
        )
    for name, what in _NEVER_FROM_A_DIRECTORY.items():
        if not file.named and name in taken:
            flag = name.removeprefix("KATANA_").removeprefix("MCP_").lower().replace("_", "-")
            raise SettingsError(
                f"{name} stands in {file.path}: it is taken from the environment, as --{flag}, or from a file "
                f"named with --env-file, because the directory in which a server starts may name anybody's {what}"
            )
    guarded = sorted(taken - {variable(name) for name in HARMLESS} - _KEYS)
    if not file.named and _KEYS & stronger and guarded:
        raise SettingsError(
            f"{', '.join(guarded)} in {file.path}: not taken, because the API key comes from the environment and the "
            "file from whatever directory the server starts in; set it in the environment too, keep the key in the "
            "same file, or name the file with --env-file"
        )


HARMLESS = frozenset(
    {"toolsets", "tools", "exclude_tools", "read_only", "search_mode", "sync", "fresh_for", "log_level"}
    | {name for name in Settings.model_fields if name.startswith("cache_backend")}
)
"""Fields that name no host, open no door, loosen no guard and run nothing: a `.env` may always set them."""
_NEVER_FROM_A_DIRECTORY = {KEY_FILE: "key", KEYRING: "key", "KATANA_MCP_CATALOG_FILE": "programs"}
_KEYS = frozenset({"KATANA_API_KEY", KEY_FILE, KEYRING, "KATANA_SYNC_API_KEY"})
_OURS = ("KATANA_MCP_", "KATANA_CACHE_")
_FLAG = "KATANA_CACHE_BACKEND_"
_ENTITIES = frozenset(spec.name for spec in SPECS) - DEFAULTS.keys()
"""Entities without a flag."""
_LIKE = 0.85


def variable(field: str) -> str:
    """Return the environment variable of a field."""
    return str(Settings.model_fields[field].validation_alias)


def _flag_names(flag: str) -> str:
    return variable(flag) if flag in Settings.model_fields else flag


def _sentence(loc: tuple[int | str, ...], message: str) -> str:
    if not loc:
        return message
    field = next((name for name in Settings.model_fields if loc[0] in {name, variable(name)}), str(loc[0]))
    is_setting = field in Settings.model_fields
    return f"{variable(field)} (--{field.replace('_', '-')}): {message}" if is_setting else f"{field}: {message}"
