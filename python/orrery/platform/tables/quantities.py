# SPDX-License-Identifier: BSD-3-Clause
"""What values of a platform file may be, and what any of its tables is.

Each key that holds a quantity ends in its unit. A bare number is in that unit; a text brings its own:
`latency_s = 24e-6` and `latency_s = "24us"` are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from orrery import units


def _quantity(read: Callable[[str], float], what: str, example: str) -> BeforeValidator:
    expected = f'expected {what}, or text with a unit such as "{example}"'

    def validate(value: object) -> object:
        if isinstance(value, str):
            try:
                return read(value)
            except ValueError:
                raise ValueError(expected) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(expected)  # noqa: TRY004  pydantic reports ValueError with the place, TypeError as ours
        return value

    return BeforeValidator(validate)


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), _quantity(units.seconds, "a number of seconds", "24us")]
SignedSeconds = Annotated[float, Field(allow_inf_nan=False), _quantity(units.seconds, "a number of seconds", "-3us")]
SecondsPerByte = Annotated[
    float, Field(allow_inf_nan=False), _quantity(units.seconds_per_byte, "a number of seconds per byte", "0.8ns/B")
]
CostPerByte = Annotated[SecondsPerByte, Field(ge=0)]
Rate = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    _quantity(units.bytes_per_second, "a number of bytes per second", "10Gbit/s"),
]
Size = Annotated[int, Field(ge=0), _quantity(units.byte_count, "a whole number of bytes", "64KiB")]
Share = Annotated[float, Field(ge=0, le=1)]
Factor = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class Table(BaseModel):
    """Any table of the file: unknown keys and values of another type are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, populate_by_name=False)
