# SPDX-License-Identifier: BSD-3-Clause
"""Tables: rows, text in columns, or frames of pandas or polars where these are installed."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, Literal, get_args, overload

from orrery.api.html import table
from orrery.errors import InputError

Library = Literal["pandas", "polars", "rows"]
Values = dict[str, Any]
"""A row: values by the names of the columns, which end in their unit (`exclusive_s`)."""


class Table(Sequence[Values]):
    """Rows of values, each a dictionary with the same keys.

    Example:
        >>> print(table)             # all rows, in columns
        >>> table[0]["time_s"]
        >>> table.frame()            # pandas.DataFrame, if pandas is installed
    """

    def __init__(self, rows: Iterable[Values]) -> None:
        self._rows = list(rows)

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
        return list(self._rows[0]) if self._rows else []

    def frame(self, library: Library | None = None) -> Any:
        """The table as a frame.

        Args:
            library: `pandas` or `polars` for a DataFrame of shape (rows, columns), or `rows` for a list of dictionaries; None:
                pandas, or polars where only that is installed.
        Raises:
            InputError: the library is not installed, or none of both.
        """
        return frame(self._rows, library)

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, index: int) -> Values: ...
    @overload
    def __getitem__(self, index: slice) -> Table: ...
    def __getitem__(self, index: int | slice) -> Values | Table:
        return Table(self._rows[index]) if isinstance(index, slice) else self._rows[index]

    def __str__(self) -> str:
        from orrery.report.columns import in_columns

        return in_columns(self._rows)

    def __repr__(self) -> str:
        return f"Table of {len(self)} rows: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        return table(self._rows)


class Tabular(ABC):
    """What is a table above all."""

    @property
    @abstractmethod
    def table(self) -> Table:
        """The table."""

    def frame(self, library: Library | None = None) -> Any:
        """`table` as a DataFrame, see `Table.frame`."""
        return self.table.frame(library)


def frame(rows: Sequence[Values], library: Library | None = None) -> Any:
    """Rows as a frame, see `Table.frame`."""
    if library is not None and library not in get_args(Library):
        raise InputError(f'library "{library}": expected pandas, polars or rows')
    chosen: str | None = library or next((name for name in ("pandas", "polars") if find_spec(name) is not None), None)
    if chosen == "rows":
        return list(rows)
    if chosen is None:
        raise InputError(
            'frame(): neither pandas nor polars is installed: pip install pandas, or frame(library="rows")'
        )
    if find_spec(chosen) is None:
        raise InputError(f'library "{chosen}": is not installed; install it, or use library="rows"')
    if chosen == "pandas":
        import pandas as pd

        return pd.DataFrame(list(rows))
    import polars as pl

    return pl.DataFrame(list(rows), infer_schema_length=None)
