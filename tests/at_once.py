"""One test of many small cases: all of them are tried, and what failed is told together.

A case that takes less time than pytest needs to tell of it is no test of its own.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature

type Test = Callable[..., None]
_TOLD = 200


def at_once(names: str | tuple[str, ...], cases: Iterable[object]) -> Callable[[Test], Test]:
    """Run a test on each case, as `parametrize` would, but as one test.

    Args:
        names: of the arguments that a case gives; several as a tuple, of which each case then is one too.
        cases: their values; fixtures are those of the one test.

    Returns:
        what makes the one test.
    """
    every = list(cases)
    assert every, "a test of no case proves nothing"

    def of_all(test: Test) -> Test:
        given = (names,) if isinstance(names, str) else names
        own = signature(test)

        @wraps(test)
        def all_of_them(**fixtures: object) -> None:
            wrong: list[Exception] = []
            for case in every:
                values = (case,) if isinstance(names, str) else tuple(case)  # pyright: ignore[reportArgumentType, reportUnknownVariableType] # ty: ignore[invalid-argument-type] - as many as names
                try:
                    test(**dict(zip(given, values, strict=True)), **fixtures)
                except Exception as error:  # noqa: BLE001 - the others are tried all the same
                    error.add_note(f"of {', '.join(given)} = {values!r}"[:_TOLD])
                    wrong.append(error)
            if wrong:
                raise ExceptionGroup(f"{len(wrong)} of {len(every)} cases", wrong)

        left = [parameter for name, parameter in own.parameters.items() if name not in given]
        vars(all_of_them)["__signature__"] = own.replace(parameters=left)
        return all_of_them

    return of_all
