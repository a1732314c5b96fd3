# SPDX-License-Identifier: BSD-3-Clause
"""Measured collectives in what benchmarks print: OSU's, Intel's, NVIDIA's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from orrery.benchmark_logs import BANDWIDTH, ONE_WAY, LogRow, LogTable, read_logs
from orrery.benchmark_logs.table import SPLIT
from orrery.collective.call import Call
from orrery.errors import InputError
from orrery.validate.measured_rows import Run

_CALLS = 20
"""Where nobody says how many there were."""
_EXPECTED = (
    "expected a table with commas, as `orrery validate collectives --keep` writes it, or the output of the OSU "
    "micro-benchmarks, IMB-MPI1, nccl-tests or rccl-tests"
)


@dataclass(frozen=True)
class UserLayout:
    """What the user says about tables that do not say it themselves; None: nothing."""

    ranks: int | None = None
    nodes: int | None = None
    ppn: int | None = None
    """Ranks on each node."""


def runs_of_logs(file: Path, where: Mapping[str, str], told: UserLayout, cautions: list[str]) -> list[Run]:
    """The runs of a file, in order.

    Args:
        file: to read.
        where: values of columns that a table must have.
        told: what the user says of it.
        cautions: gets a sentence for what is left out, and for what its times are.
    Raises:
        InputError: there is no table of a collective in it, or a number of ranks is missing.
    """
    tables = read_logs(file, f"--ingest {file}")
    if not tables:
        raise InputError(f"--ingest {file}: {_EXPECTED}; it begins with: {_beginning(file)}")
    usable = []
    for table in tables:
        if reason := _reason(table):
            cautions.append(f"{table.where} is left out: {reason}")
        else:
            usable.append(table)
    if not usable:
        raise InputError(f"--ingest {file}: has no table of a collective. {'; '.join(cautions[-len(tables) :])}")
    found = []
    for table in usable:
        placed = _placed(table, told, cautions)
        if all(_column(table, placed, key) == value for key, value in where.items()):
            cautions += [f"{table.where}: {remark}" for remark in table.remarks]
            found += list(_runs(table, placed, cautions))
    return found


def _reason(table: LogTable) -> str:
    """Why a table is of no use here; empty: it is."""
    if table.left_out:
        return table.left_out
    if table.operation == ONE_WAY:
        return "it is no collective; `orrery calibrate --ingest` takes it"
    if table.operation == BANDWIDTH:
        return "it is no collective"
    return "" if table.rows else "it has no rows"


def _placed(table: LogTable, told: UserLayout, cautions: list[str]) -> UserLayout:
    """Ranks, nodes and ranks on each node: as the table says, or else the user. Raises InputError if nobody says how many ranks."""
    for name, option in (("ranks", "-n"), ("nodes", "--nodes"), ("ppn", "--ppn")):
        of_table, of_user = getattr(table, name), getattr(told, name)
        if of_table is not None and of_user is not None and of_table != of_user:
            cautions.append(f"{table.where} says {of_table} itself, which counts, not {option} {of_user}")
    nodes = table.nodes if table.nodes is not None else told.nodes
    ppn = table.ppn if table.ppn is not None else told.ppn
    ranks = table.ranks if table.ranks is not None else told.ranks
    if ranks is None and nodes is not None and ppn is not None:
        ranks = nodes * ppn
    if ranks is None:
        raise InputError(
            f"{table.where}: its text does not say on how many ranks; say it: -n N (and --nodes N or --ppn N)"
        )
    if table.program == "IMB" and ranks != told.ranks and ppn is not None:
        nodes = -(-ranks // ppn)  # of a job with more ranks, the first ones
    return UserLayout(ranks, nodes, ppn)


def _column(table: LogTable, placed: UserLayout, name: str) -> str | None:
    values = {
        "file": table.file.name,
        "program": table.program,
        "version": table.version,
        "op": table.operation,
        "nprocs": placed.ranks,
        "nodes": placed.nodes,
        "ppn": placed.ppn,
    }
    return None if values.get(name) is None else str(values[name])


def _runs(table: LogTable, placed: UserLayout, cautions: list[str]) -> Iterator[Run]:
    ranks = placed.ranks or 0
    without_time = uneven = empty = 0
    for row in table.rows:
        size = row.bytes
        if table.of_all_ranks and table.operation in SPLIT:
            if size % ranks:
                uneven += 1
                continue
            size //= ranks
        if size == 0 and table.operation != "barrier":
            empty += 1
            continue
        if not row.us or row.us <= 0:
            without_time += 1
            continue
        yield _run(row, Call(table.operation, size, ranks), placed)
    if without_time:
        cautions.append(f"{table.where}: {without_time} rows have no time, and are left out")
    if empty:
        cautions.append(f"{table.where}: {empty} rows are of 0 bytes, and are left out: libraries send nothing then")
    if uneven:
        cautions.append(f"{table.where}: {uneven} rows do not divide into {ranks} blocks, and are left out")


def _run(row: LogRow, call: Call, placed: UserLayout) -> Run:
    middle = row.us or 0.0
    least, most = row.least_us or middle, row.longest_us or middle
    return Run(
        call=call,
        calls=row.calls or _CALLS,
        least_us=min(least, middle),
        middle_us=middle,
        most_us=max(most, middle),
        nodes=placed.nodes,
        ppn=placed.ppn,
        mean=True,
    )


def _beginning(file: Path) -> str:
    lines = (line.strip() for line in file.read_text(encoding="utf-8").splitlines())
    first = next((line for line in lines if line), "nothing")
    return f'"{first[:60]}"' if first.isprintable() else "characters that cannot be printed"
