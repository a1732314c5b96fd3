# SPDX-License-Identifier: BSD-3-Clause
"""What values of a platform file may be, and what any of its tables is.

Each key that holds a quantity ends in its unit. A bare number is in that unit; a text brings its own:
`latency_s = 24e-6` and `latency_s = "24us"` are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationInfo, field_validator
from pydantic_core import CoreSchema, core_schema

from orrery import units


@dataclass(frozen=True)
class Quantity:
    """A number in the base unit, or text that brings its own unit."""

    read: Callable[[str], float]
    """The number that a text says, in the base unit. Raises ValueError."""
    base: str
    """The base unit: `seconds`."""
    what: str
    """What is expected, for messages: `a number of seconds`."""
    unit: str
    """Regular expression of the units that a text may have."""
    example: str
    """A text."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(self._number, handler(source))

    def _number(self, value: object) -> object:
        expected = f'expected {self.what}, or text with a unit such as "{self.example}"'
        if isinstance(value, str):
            try:
                return self.read(value)
            except units.BitsError:
                raise
            except ValueError:
                raise ValueError(expected) from None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ValueError(expected)  # noqa: TRY004  pydantic reports ValueError with the place, TypeError as ours
        return value


def _time(example: str) -> Quantity:
    return Quantity(units.seconds, "seconds", "a number of seconds", units.TIME_UNIT, example)


Seconds = Annotated[float, Field(ge=0, allow_inf_nan=False), _time("24us")]
SignedSeconds = Annotated[float, Field(allow_inf_nan=False), _time("-3us")]
SecondsPerByte = Annotated[
    float,
    Field(allow_inf_nan=False),
    Quantity(
        units.seconds_per_byte, "seconds per byte", "a number of seconds per byte", units.TIME_PER_BYTE_UNIT, "0.8ns/B"
    ),
]
CostPerByte = Annotated[SecondsPerByte, Field(ge=0)]
Rate = Annotated[
    float,
    Field(ge=0, allow_inf_nan=False),
    Quantity(units.bytes_per_second, "bytes per second", "a number of bytes per second", units.RATE_UNIT, "10Gbit/s"),
]
Size = Annotated[
    int, Field(ge=0), Quantity(units.byte_count, "bytes", "a whole number of bytes", units.SIZE_UNIT, "64KiB")
]
MOST_COUNT = (1 << 31) - 1
"""The largest number of things of a kind: ranks are ints in MPI."""
_MOST = {
    "seed": (1 << 63) - 1,
    "per_host": 1 << 15,
    **dict.fromkeys(("cores", "host_cores", "sockets", "rails"), 1 << 16),
}
"""The largest values of keys that may be larger than `MOST_COUNT`, or have to be smaller: those of a node."""


def most_of(key: str) -> int:
    """The largest whole number that a key may hold."""
    return units.MOST_BYTES if key.endswith("_bytes") else _MOST.get(key, MOST_COUNT)


Share = Annotated[float, Field(ge=0, le=1)]
Factor = Annotated[float, Field(gt=0, allow_inf_nan=False)]


@dataclass(frozen=True)
class OrOne:
    """A list of numbers or truths may be written as its only value, without brackets."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_before_validator_function(
            lambda value: [value] if isinstance(value, bool | int | float) else value, handler(source)
        )


class Table(BaseModel):
    """Any table of the file: unknown keys and values of another type are mistakes."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True, populate_by_name=False)

    @field_validator("*")
    @classmethod
    def _fits_the_core(cls, value: object, info: ValidationInfo) -> object:
        """Refuse whole numbers that the core has no room for: counts have 31 bits, bytes 53, seeds 63, and what a node has is less."""
        most = most_of(info.field_name or "")
        for number in value if isinstance(value, list) else (value,):
            if isinstance(number, int) and abs(number) > most:
                raise ValueError(f"expected at most {most:,}")
        return value
