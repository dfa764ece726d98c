"""The settings of a sandbox: every switch with its default, or what it was turned to."""

from collections.abc import Iterator, Mapping

from katana_sandbox.switch_list import SWITCHES, Setting, Switch

_BY_NAME = {switch.name: switch for switch in SWITCHES}


class Switches:
    """Settings by name; unknown names and values of the wrong kind are refused with a ValueError."""

    def __init__(self, settings: Mapping[str, Setting] | None = None) -> None:
        self._settings: dict[str, Setting] = {switch.name: switch.default for switch in SWITCHES}
        for name, value in (settings or {}).items():
            self.set(name, value)

    def set(self, name: str, value: Setting) -> None:
        """Change one setting."""
        self._settings[name] = _checked(name, value)

    def on(self, name: str) -> bool:
        """Whether a yes/no switch is on."""
        return bool(self._settings[name])

    def number(self, name: str) -> float:
        """A numeric setting."""
        value = self._settings[name]
        return 0.0 if isinstance(value, str) else float(value)

    def count(self, name: str) -> int:
        """A setting in whole numbers, such as a status code."""
        return int(self.number(name))

    def word(self, name: str) -> str:
        """A setting that is a word."""
        return str(self._settings[name])

    def changed(self) -> dict[str, Setting]:
        """The settings that differ from their defaults."""
        return {name: value for name, value in self._settings.items() if value != _BY_NAME[name].default}

    def __iter__(self) -> Iterator[tuple[str, Setting]]:
        return iter(self._settings.items())


def parse_setting(text: str) -> tuple[str, Setting]:
    """A `name=value` pair from the command line; ValueError says what is allowed."""
    name, equals, value = text.partition("=")
    if not equals:
        raise ValueError(f"switch {text!r} must have the form name=value")
    switch = _find_switch(name)
    if isinstance(switch.default, bool):
        if value.lower() not in {"true", "false"}:
            raise ValueError(f"switch {name} must be true or false, not {value!r}")
        return name, value.lower() == "true"
    if isinstance(switch.default, str):
        return name, value
    try:
        return name, float(value) if "." in value else int(value)
    except ValueError:
        raise ValueError(f"switch {name} must be a number, not {value!r}") from None


def _find_switch(name: str) -> Switch:
    if name not in _BY_NAME:
        raise ValueError(f"unknown switch {name!r}; allowed: {', '.join(sorted(_BY_NAME))}")
    return _BY_NAME[name]


def _checked(name: str, value: Setting) -> Setting:
    switch = _find_switch(name)
    if isinstance(switch.default, bool) != isinstance(value, bool):
        raise ValueError(
            f"switch {name} must be {'true or false' if isinstance(switch.default, bool) else 'no boolean'}"
        )
    if isinstance(switch.default, str) != isinstance(value, str):
        raise ValueError(f"switch {name} must be {'text' if isinstance(switch.default, str) else 'a number'}")
    if switch.words and value not in switch.words:
        raise ValueError(f"switch {name} must be one of {', '.join(switch.words)}, not {value!r}")
    if isinstance(value, int | float) and value < 0:
        raise ValueError(f"switch {name} must not be negative")
    return value
