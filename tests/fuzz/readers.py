# SPDX-License-Identifier: BSD-3-Clause
"""All readers of files that others write: by name, which of its files a reader is given, and what reads it.

A reader may refuse what it gets with InputError, and with nothing else. It takes memory and time by the rule of `judging`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from orrery import _core
from orrery.benchmark_logs.reading import read_logs
from orrery.collective.rules_file import read_rules
from orrery.collective.selector import selector_named
from orrery.deploy.places import read_places
from orrery.deploy.rules import read_rules as read_deployed_rules
from orrery.experiment.rank_file import placed_by_file
from orrery.job.reading import load as load_job
from orrery.job.reading import parse as parse_job
from orrery.job.writing import to_toml, to_xml
from orrery.placement.matrix_files import read_matrix
from orrery.platform import core
from orrery.platform.load import load as load_platform
from orrery.platform.simgrid.convert import convert
from orrery.record.document import read as read_record
from orrery.record.tau import read_tau
from orrery.trace.contents import contents_of
from orrery.trace.imports.detect import import_trace
from orrery.trace.sources import SourceOptions, open_source
from orrery.trace.workload import load as load_workload
from orrery.trace.workload import phases


@dataclass(frozen=True)
class Reader:
    """What reads one kind of files."""

    main: str
    """The file, or folder, that it is given; the others of a case lie beside it."""
    read: Callable[[Path], object]


_MOST_RANKS = 8
"""More are opened, and not simulated: they cost time in proportion, and say nothing new."""


def _replay(path: Path) -> None:
    """Open what can be replayed, and simulate it until no rank can go on."""
    source = open_source(path, SourceOptions()).source
    if source.capacity > _MOST_RANKS:
        return
    platform = load_platform("default").model_dump()
    hosts = [rank % 2 for rank in range(source.capacity)]
    run = _core.Replay(
        core.build(platform),
        core.parameters(platform, "fluid"),
        selector_named("default", ""),
        sources=[source],
        host_of_rank=hosts,
        compute_factor=[1.0] * len(hosts),
    )
    run.run()


def _import(path: Path) -> None:
    import_trace(path, path.parent / "own.trace", lossy=True)


def _job(file: Path) -> None:
    job = load_job(file)
    job.resolve(8)  # refuses what is never written, such as groups of one name
    for text in (to_toml(job.profile), to_xml(job.profile)):
        if parse_job("again", text.encode()).profile != job.profile:
            raise AssertionError(text)


def _platform(file: Path) -> None:
    core.build(load_platform(str(file)).model_dump())


READERS: dict[str, Reader] = {
    "trace": Reader("a.trace", contents_of),
    "replay": Reader("a.trace", _replay),
    "goal": Reader("a.goal", _replay),
    "ti": Reader("a.txt", _replay),
    "dumpi": Reader("t.meta", _import),
    "paraver": Reader("a.prv", _import),
    "otf2": Reader("a/traces.otf2", _import),
    "tau": Reader("tau", read_tau),
    "platform-toml": Reader("a.toml", _platform),
    "platform-xml": Reader("a.xml", lambda file: convert(file, "fuzz", None)),
    "workload": Reader("a.toml", lambda file: phases(load_workload(file))),
    "job": Reader("a.job", _job),
    "rules": Reader("a.conf", read_rules),
    "deployed-rules": Reader("a.toml", read_deployed_rules),
    "deployed-places": Reader("a.toml", read_places),
    "rank-file": Reader(
        "a.ranks", lambda file: list(islice(placed_by_file(str(file), ["a", "b"], [2, 4], [1, 2])[0], 100))
    ),
    "matrix-csv": Reader("a.csv", read_matrix),
    "matrix-market": Reader("a.mtx", read_matrix),
    "logs": Reader("a.log", read_logs),
    "record": Reader("a.json", read_record),
}
"""By name."""
