"""Refusals, and the envelope they travel in. Every rule raises one of these and nothing else."""

from collections.abc import Mapping, Sequence

from katana_sandbox.wire.encoding import Record

INVALID_BODY = "The request body is invalid. See error object `details` property for more info."
UNFORESEEN = "ERR_NON_2XX_3XX_RESPONSE"
"""The code of an answer of the gateway to what Katana did not foresee, which has no name."""
_NAMES = {
    400: "BadRequestError",
    401: "UnauthorizedError",
    403: "ForbiddenError",
    404: "NotFoundError",
    412: "PreconditionFailedError",
    422: "UnprocessableEntityError",
    429: "TooManyRequests",
    500: "InternalServerError",
}
_MESSAGES = {
    400: "Bad Request",
    401: "Unauthorized",
    404: "Not found",
    429: "Too Many Requests",
    500: "Internal Server Error",
}


class Refused(Exception):
    """The API says no: a status, a message, and for schema errors a code with details."""

    def __init__(
        self,
        status: int,
        message: str | None = None,
        *,
        code: str | None = None,
        details: Sequence[Mapping[str, object]] = (),
    ) -> None:
        self.status = status
        self.message = message or _MESSAGES.get(status, "Error")
        self.code = code
        self.details = tuple(dict(detail) for detail in details)
        super().__init__(f"{status} {self.message}")

    def inner(self) -> Record:
        """The error object without its envelope."""
        named = {} if self.code == UNFORESEEN else {"name": _NAMES.get(self.status, "Error")}
        error: Record = {"statusCode": self.status, **named, "message": self.message}
        if self.code is not None:
            error["code"] = self.code
        if self.details:
            error["details"] = list(self.details)
        return error


def unprocessable(message: str) -> Refused:
    """A business rule refuses (422 without details)."""
    return Refused(422, message)


def not_found() -> Refused:
    """Unknown id, unknown path, or no such operation."""
    return Refused(404)


def bad_parameter(name: str, value: str, *, allowed: Sequence[str] = ()) -> Refused:
    """A query or path value of the wrong form, or outside its enum."""
    details: list[Mapping[str, object]] = []
    if allowed:
        details.append(
            {
                "path": "",
                "code": "enum",
                "message": "must be equal to one of the allowed values",
                "info": {"allowedValues": list(allowed)},
            }
        )
    return Refused(
        400,
        f'Invalid data "{value}" for parameter "{name}".',
        code="INVALID_PARAMETER_VALUE",
        details=details,
    )
