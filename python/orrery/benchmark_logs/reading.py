# SPDX-License-Identifier: BSD-3-Clause
"""The tables of a file, whatever benchmarks wrote them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from orrery.benchmark_logs.imb import Imb
from orrery.benchmark_logs.launching import LoggedLaunch, launch_of
from orrery.benchmark_logs.nccl import Nccl, tables_of_json
from orrery.benchmark_logs.osu import Osu
from orrery.benchmark_logs.table import BANDWIDTH, ONE_WAY, LogTable
from orrery.documents import parse_json, read_text

_PROMPT = re.compile(r"^(?:\d+: ?|\[\d+\] ?)(?=#|\s*\d)")
"""What launchers put before lines of a rank, if they label output."""


def read_logs(file: Path, where: object = None) -> list[LogTable]:
    """The tables of a file, in order; empty if there are none.

    Args:
        file: a log, or JSON of nccl-tests or rccl-tests.
        where: what messages begin with; by default the file.
    Raises:
        InputError: the file cannot be read, or is broken JSON.
    """
    text = read_text(file, where)
    begin = text.lstrip()[:1]
    if begin in ("{", "["):
        return _of_json(file, text, where)
    return _of_text(file, text)


def _of_json(file: Path, text: str, where: object) -> list[LogTable]:
    lines = [line for line in text.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines):
        try:
            return tables_of_json(file, [json.loads(line) for line in lines])
        except ValueError:
            pass
    return tables_of_json(file, parse_json(file if where is None else where, text))


def _of_text(file: Path, text: str) -> list[LogTable]:
    osu, imb, nccl = Osu(file), Imb(file), Nccl(file)
    tables: list[LogTable] = []
    reader: Osu | Imb | Nccl | None = None
    launch = LoggedLaunch()
    for number, raw in enumerate(text.splitlines(), 1):
        line = _PROMPT.sub("", raw.strip())
        if (started := launch_of(f" {line}")) is not None:
            launch = started if started.numbers or started.program != launch.program else launch
        for candidate, table in (
            (osu, osu.title(number, line)),
            (imb, imb.title(number, line)),
            (nccl, nccl.title(number, line, launch.program)),
        ):
            if table is not None:
                reader = candidate
                tables.append(table)
                _launched(table, launch)
        if reader is not None and (row := reader.row(number, line)) is not None:
            tables[-1].rows.append(row)
    return tables


def _launched(table: LogTable, launch: LoggedLaunch) -> None:
    """What the command line says that the table itself does not, if it starts the program of the table."""
    if not _prints(launch.program, table):
        return
    ppn = launch.ppn
    if ppn is None and launch.ranks and launch.nodes and launch.ranks % launch.nodes == 0:
        ppn = launch.ranks // launch.nodes
    if table.program == "IMB":  # each table says of how many of the job's ranks it is
        table.ppn = ppn
        return
    if table.ranks is None:
        table.ranks = launch.ranks or (launch.nodes * ppn if launch.nodes and ppn else None)
    if table.nodes is None and table.ppn is None:
        table.nodes, table.ppn = launch.nodes, ppn


_OSU_PROGRAMS = {"osu_latency": ONE_WAY, "osu_bw": BANDWIDTH}


def _prints(program: str, table: LogTable) -> bool:
    """Whether a program prints such tables."""
    if table.program == "OSU":
        return table.operation == _OSU_PROGRAMS.get(program, program.removeprefix("osu_"))
    return program.startswith("IMB-") == (table.program == "IMB")
