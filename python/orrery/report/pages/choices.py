# SPDX-License-Identifier: BSD-3-Clause
"""The part that says what other algorithms of collective calls would have cost, and the sentence that follows from it."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from orrery.page.parts import Part, Table, TableColumn
from orrery.record.document import AlgorithmUse, Record
from orrery.simulate.alternatives import Alternatives, CostlyCall, Option

_LEAST_SHARE = 0.02
"""Share of the run: what saves less is not worth a sentence."""
_ALONE = (
    "Each of these calls was simulated alone, where all ranks enter it at one moment and nothing else is on the network: what another "
    "algorithm would save is an estimate. In the run calls took longer where ranks waited for each other. --coll, as in --coll "
    "allreduce=ring, fixes the algorithm of a collective for calls of all sizes."
)
_BY_CHANCE = " The platform has noise, and each algorithm was simulated three times: the best of many may be so by chance; --coll tells."


def choices_parts(record: Record, found: Alternatives) -> Iterator[Part]:
    """What ran, and what another choice would have cost."""
    if found.calls:
        yield _alternatives(record, found)
    if record.algorithms:
        yield _algorithms(record, found)


def choices_sentence(record: Record, found: Alternatives, trace: Path | None) -> str:
    """What may be saved, and how to try it; empty where that is next to nothing.

    Args:
        record: of the run.
        found: for this run.
        trace: of the run, if it was kept.
    """
    worth = [option for option in found.options if option.saves_s >= _LEAST_SHARE * record.simulated_s]
    if not worth:
        return ""
    told = ", ".join(
        f"{option.kind} by {option.algorithm} instead of {' and '.join(option.instead_of)} may save "
        f"{option.saves_s / record.simulated_s:.0%}"
        for option in worth
    )
    return f"{told[0].upper()}{told[1:]}: {_command(record, worth, trace)}"


def _command(record: Record, options: list[Option], trace: Path | None) -> str:
    """That tries them, on the same computation."""
    coll = ",".join([*_still_fixed(record, options), *(f"{option.kind}={option.algorithm}" for option in options)])
    if trace is not None and record.start != "replay":
        return shlex.join(["orrery", "replay", str(trace), "--coll", coll])
    if record.start == "replay":  # of the same recording, so that computation is common
        return shlex.join(["orrery", *record.command, "--coll", coll]) + ", beside the other options of this replay."
    return (
        shlex.join(["orrery", "replay", "FILE.trace", "--coll", coll]) + ", once the run is recorded (-o FILE.trace)."
    )


def _still_fixed(record: Record, options: list[Option]) -> list[str]:
    """What `--coll` had for other collectives."""
    fixed = {option.kind for option in options}
    parts = re.split(r",(?![^(]*\))", record.coll)  # not at commas between the arguments of hierarchical
    return [part for part in parts if part and part.partition("=")[0] not in fixed]


def _alternatives(record: Record, found: Alternatives) -> Table:
    left_out = f" Left out: {'; '.join(found.left_out)}." if found.left_out else ""
    by_chance = _BY_CHANCE if record.noisy else ""
    return Table(
        title="What another algorithm would have cost",
        note=f"{_ALONE}{by_chance}{left_out}",
        columns=[
            TableColumn(name="collective"),
            TableColumn(name="ranks", unit="count", help="Of the communicator"),
            TableColumn(name="size", unit="bytes", help="As `orrery collective --help` explains it"),
            TableColumn(name="calls", unit="count", help="Of each rank that takes part"),
            TableColumn(name="in the run", unit="s", help="Time in these calls, mean of the ranks that take part"),
            TableColumn(name="ran"),
            TableColumn(name="alone", unit="s", help="One call by the algorithm that ran, simulated alone"),
            TableColumn(name="fastest, for --coll"),
            TableColumn(name="alone", unit="s", help="One call by the fastest algorithm, simulated alone"),
            TableColumn(name="would save", unit="s", help="Calls times the difference: an estimate"),
            TableColumn(name="of the run", unit="share"),
        ],
        rows=[_row(call, record) for call in found.calls],
        bar=9,
    )


def _row(call: CostlyCall, record: Record) -> list[object]:
    fastest, saves_s = call.fastest, call.saves_s(call.fastest)
    return [
        call.kind,
        call.ranks,
        call.bytes,
        call.calls,
        call.time_s,
        call.chosen,
        call.costs[call.chosen].time_s,
        f"{call.kind}={fastest}" if fastest != call.chosen else "what ran",
        call.costs[fastest].time_s,
        saves_s,
        saves_s / record.simulated_s if record.simulated_s > 0 else 0.0,
    ]


def _algorithms(record: Record, found: Alternatives) -> Table:
    note = f"What the selector {record.chooser} chose, in the syntax of --coll; summed over ranks."
    if found.why_none is not None:
        note += f" What others would have cost was not simulated: {found.why_none}."
    elif not found.calls and found.left_out:
        note += f" What others would have cost was not simulated: {'; '.join(found.left_out)}."
    missed = any(use.instead_of for use in record.algorithms)
    return Table(
        title="Algorithms of collective calls",
        note=note,
        columns=[
            TableColumn(name="routine"),
            TableColumn(name="algorithm"),
            *([TableColumn(name="asked for, and why it did not serve")] if missed else []),
            TableColumn(name="calls", unit="count"),
            TableColumn(name="messages", unit="count"),
            TableColumn(name="bytes", unit="bytes"),
        ],
        rows=[
            [use.routine, use.algorithm, *([_missed(use)] if missed else []), use.calls, use.messages, use.bytes]
            for use in record.algorithms
        ],
        most=30,
    )


def _missed(use: AlgorithmUse) -> str:
    return f"{use.instead_of}: {use.why}" if use.instead_of else ""
