# SPDX-License-Identifier: BSD-3-Clause
"""The calls of a trace in columns, with how long each waited and for whom."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from orrery import _core
from orrery.trace.timeline import CAUSES, call_columns, wait_columns

Numbers = NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class RankCalls:
    """The calls of one rank in the order of time; all arrays have as many values as there are calls."""

    begin_ns: Numbers
    end_ns: Numbers
    bytes: Numbers
    peer: Numbers
    tag: Numbers
    comm: Numbers
    routine: Numbers
    """Key of `TraceFile.routines`."""
    site: Numbers
    """Number of the call site; 0: not known."""
    waited_ns: Numbers
    """Shape (causes, calls): how long the call waited for another rank, by `CAUSES`."""

    def __len__(self) -> int:
        return len(self.begin_ns)

    @property
    def length_ns(self) -> Numbers:
        """How long each call took."""
        return self.end_ns - self.begin_ns

    @property
    def over_ns(self) -> int:
        """When the last call is over; 0: there is none."""
        return int(self.end_ns[-1]) if len(self) else 0


@dataclass(frozen=True, kw_only=True)
class Waits:
    """Each wait of a trace; all arrays of the same length."""

    rank: Numbers
    call: Numbers
    """Position of the call that waited among those of its rank."""
    cause: Numbers
    """Index into `CAUSES`."""
    by: Numbers
    """For which rank it waited."""
    by_call: Numbers
    """Position of the call with which that rank came."""
    length_ns: Numbers


def read_calls(file: _core.TraceFile) -> tuple[list[RankCalls], Waits]:
    """Calls by rank, and all waits. Memory: about 100 bytes for each call.

    Raises InputError when the trace does not say when anything happened.
    """
    columns = [call_columns(file, rank) for rank in range(file.streams)]
    found = {name: np.asarray(column, dtype=np.int64) for name, column in wait_columns(file).items()}
    begins = [np.asarray(own["begin_ns"], dtype=np.int64) for own in columns]
    named = np.array([len(begin) > 0 for begin in begins])
    among = named[found["rank"]] & named[found["by"]]  # operations that no routine is known of are no calls
    found = {name: column[among] for name, column in found.items()}
    call, by_call = np.zeros((2, len(found["rank"])), dtype=np.int64)
    length = found["end_ns"] - found["begin_ns"]
    ranks = []
    of_rank, of_by = _places(found["rank"], len(begins)), _places(found["by"], len(begins))
    for begin, own_columns, own, caused in zip(begins, columns, of_rank, of_by, strict=True):
        call[own] = _at(begin, found["begin_ns"][own])
        by_call[caused] = _at(begin, found["end_ns"][caused])
        waited = np.zeros((len(CAUSES), len(begin)), dtype=np.int64)
        np.add.at(waited, (found["cause"][own], call[own]), length[own])
        ranks.append(_calls(own_columns, waited))
    waits = Waits(
        rank=found["rank"], call=call, cause=found["cause"], by=found["by"], by_call=by_call, length_ns=length
    )
    return ranks, waits


def _places(ranks: Numbers, number: int) -> list[Numbers]:
    """By rank, the positions of its number."""
    order = np.argsort(ranks, kind="stable")
    limits = np.searchsorted(ranks[order], np.arange(number + 1))
    return [order[first:last] for first, last in pairwise(limits.tolist())]


def mixed(*columns: Numbers) -> Numbers:
    """A number for each row of the columns, equal for equal rows; that others are equal is as likely as 1 in 2^64.

    Source of the constants: Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014.
    """
    found = np.zeros(len(columns[0]), dtype=np.uint64)
    for column in columns:
        found = (found ^ column.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        found ^= found >> np.uint64(30)
        found *= np.uint64(0xBF58476D1CE4E5B9)
        found ^= found >> np.uint64(27)
    return found.view(np.int64)


def _at(begins: Numbers, times: Numbers) -> Numbers:
    """Positions of the calls that begin at these times, or are the last to begin before them."""
    return np.maximum(np.searchsorted(begins, times, side="right") - 1, 0)


def _calls(columns: dict[str, memoryview], waited: Numbers) -> RankCalls:
    def numbers(name: str) -> Numbers:
        return np.asarray(columns[name], dtype=np.int64)

    return RankCalls(
        begin_ns=numbers("begin_ns"),
        end_ns=numbers("end_ns"),
        bytes=numbers("bytes"),
        peer=numbers("peer"),
        tag=numbers("tag"),
        comm=numbers("comm"),
        routine=numbers("routine"),
        site=numbers("site") if "site" in columns else np.zeros(waited.shape[1], dtype=np.int64),
        waited_ns=waited,
    )
