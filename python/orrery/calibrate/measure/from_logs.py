# SPDX-License-Identifier: BSD-3-Clause
"""The folder of a calibration out of ping-pongs that other benchmarks have timed: OSU's latency, Intel's PingPong."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from orrery.benchmark_logs import ONE_WAY, LogTable, read_logs
from orrery.calibrate.measure.about import About, write_about
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.folder import new_folder
from orrery.calibrate.settings import CalibrationSettings
from orrery.errors import InputError
from orrery.output import write_at_once
from orrery.real_mpi.compiled import Said

_BETWEEN, _INSIDE = "net", "memory"
"""Groups of experiments: messages between nodes, and inside one."""
_LEAST_SIZES = 6
"""How many sizes of messages between nodes there must be; fewer do not tell one regime from another."""
_NODES = 2
"""Nodes of the cluster, where nobody says how many."""


def samples_of_logs(settings: CalibrationSettings, said: Said) -> Files:
    """Write the ping-pongs of all tables as the samples of a calibration.

    Args:
        settings: the files (`ingest`), and what they do not say: `cores`, `nodes`, and `ppn` where a table does not, which is 1 where
            its messages went between nodes, and 2 where inside of one.
        said: is told which tables are left out, and where earlier samples went.
    Returns:
        The folder, for `fit_and_write`.
    Raises:
        InputError: there are no ping-pongs between nodes, or it is not said what they are of.
    """
    if settings.cores is None:
        raise InputError("--cores N is missing: no table says how many cores a node has")
    nodes = _NODES if settings.nodes is None else settings.nodes
    if nodes < 2:
        raise InputError(
            f"--nodes {nodes}: a cluster of two nodes or more is expected; one node alone is measured without --ingest"
        )
    tables = list(_ping_pongs(settings.ingest, said))
    grouped = [(_group(table, settings.ppn), table) for table in tables]
    sizes = {row.bytes for group, table in grouped if group == _BETWEEN for row in table.rows}
    if len(sizes) < _LEAST_SIZES:
        raise InputError(
            f"--ingest {', '.join(map(str, settings.ingest))}: {len(sizes)} sizes of messages between two nodes, expected {_LEAST_SIZES} or "
            "more, as osu_latency and IMB-MPI1 PingPong print them for two ranks on different nodes"
        )
    files = Files(settings.folder)
    new_folder(files, "its samples come from other files now", said)
    inside = any(group == _INSIDE for group, _ in grouped)
    _write(files, grouped, settings, nodes, 2 if inside else 1)
    return files


def _ping_pongs(files: Iterable[Path], said: Said) -> Iterator[LogTable]:
    for file in files:
        tables = read_logs(file, f"--ingest {file}")
        if not tables:
            raise InputError(
                f"--ingest {file}: expected the folder of a calibration (NAME.calibration), or what osu_latency or IMB-MPI1 PingPong print"
            )
        for table in tables:
            if table.operation != ONE_WAY or table.left_out:
                reason = (
                    table.left_out or "it is no ping-pong; `orrery validate collectives --ingest` takes collectives"
                )
                said(f"{table.where} is left out: {reason}")
            else:
                for remark in table.remarks:
                    said(f"{table.where}: {remark}")
                yield table


def _group(table: LogTable, ppn: int | None) -> str:
    """Whether its two ranks were on two nodes or on one. Raises InputError where nobody says it."""
    if table.nodes is not None:
        return _INSIDE if table.nodes == 1 else _BETWEEN
    each = table.ppn if table.ppn is not None else ppn
    if each is None:
        raise InputError(
            f"{table.where}: its text does not say whether the two ranks were on one node; say it: --ppn 1 (on two nodes) or "
            "--ppn 2 (on one)"
        )
    return _BETWEEN if each == 1 else _INSIDE


def _write(
    files: Files, grouped: Sequence[tuple[str, LogTable]], settings: CalibrationSettings, nodes: int, ppn: int
) -> None:
    programs = " and ".join(dict.fromkeys(f"{table.program} {table.version}".strip() for _, table in grouped))
    names = ", ".join(file.name for file in settings.ingest)
    about = About(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        host="",
        command=f"ping-pongs of {programs} in {names}",
        mpicc="",
        nodes=nodes,
        ppn=ppn,
        cabinets=[nodes],
        cores=settings.cores,
        budget_s=0.0,
        seed=0,
        name=settings.platform_name,
    )
    plan, samples = ["hosts1 hosts"], list(_hosts(about, grouped))
    for number, (group, table) in enumerate(grouped, 1):
        name = f"pingpong{number}"
        plan.append(f"{name} pingpong group={group} program={table.program}")
        samples += [
            f"{name},half,0,1,{row.bytes},{repetition},{row.us * 1e-6!r}"
            for repetition, row in enumerate(table.rows)
            if row.us
        ]
        samples.append(f"{name},done,0,0,0,0,0")
    write_at_once(files.plan, "\n".join(plan) + "\n")
    write_at_once(files.results, "\n".join(samples) + "\n")
    write_about(files, about)


def _hosts(about: About, grouped: Sequence[tuple[str, LogTable]]) -> Iterator[str]:
    """Where ranks would be in a calibration of so many nodes."""
    for rank in range(about.nodes * about.ppn):
        node = rank // about.ppn
        yield f"hosts1,host:node-{node + 1},{rank},0,0,0,0"
        yield f"hosts1,kernel:{node},{rank},0,0,0,0"
    library = next((table.library for _, table in grouped if table.library), "")
    if library:
        yield f"hosts1,mpi:{library.replace(',', ';')},0,0,0,0,0"
    yield f"hosts1,processors,0,0,0,0,{about.cores}"
    yield "hosts1,done,0,0,0,0,0"
