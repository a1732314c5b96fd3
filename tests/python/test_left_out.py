# SPDX-License-Identifier: BSD-3-Clause
"""What a conversion of a trace leaves out is counted and said, everywhere in the same way."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from harness import Sandbox
from orrery.left_out import Omissions
from orrery.trace.contents import contents_of
from paraver_traces import event, write_trace

needs_otf2 = pytest.mark.skipif(importlib.util.find_spec("_otf2") is None, reason="otf2 is not installed")

_METRIC = "events of type 42000050 (PAPI_TOT_INS)"


def test_what_was_left_out_is_counted_by_what_it_was_the_most_frequent_first() -> None:
    found = Omissions()
    found.add("probes", "there is no word for them")
    found.add("messages", "they have no times", 1200)
    found.add("nothing", "there was none", 0)
    assert found.lines == [
        "left out: messages, 1,200 times: they have no times",
        "left out: probes, once: there is no word for them",
    ]
    assert list(found.left_out) == list(found.left_out_why) == ["messages", "probes"]
    assert Omissions.from_text(found.to_text()).lines == found.lines
    assert not Omissions.from_text("what somebody else wrote")


def test_each_command_says_what_an_import_left_out(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder, (100_100_000, event(1, 100_100_000, 42000050, 7))))
    said = f"left out: {_METRIC}, once: a trace has calls of MPI only"
    for arguments in (
        ("trace", "convert", prv, "-o", "a.csv"),
        ("trace", "import", prv, "-o", "a.trace"),
        ("trace", "dump", prv),
        ("replay", prv),
    ):
        ended = sandbox.orrery(*arguments)
        assert ended.code == 0, ended.err
        assert said in ended.err + ended.out, arguments
    assert said.removeprefix("left out: ") in sandbox.orrery("trace", "info", prv).out
    assert said in sandbox.orrery("profile", prv).out


def test_documents_of_conversions_have_what_was_left_out_and_why(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder, (100_100_000, event(1, 100_100_000, 42000050, 7))))
    for arguments in (
        ("trace", "convert", prv, "-o", "a.csv"),
        ("trace", "import", prv, "-o", "a.trace"),
        ("trace", "info", prv),
    ):
        found = json.loads(sandbox.orrery(*arguments, "--json").out)
        assert found["left_out"] == {_METRIC: 1}
        assert found["left_out_why"] == {_METRIC: "a trace has calls of MPI only"}
        assert found["damage"] == []


def test_a_trace_that_was_imported_says_later_what_it_lacks(sandbox: Sandbox) -> None:
    prv = str(write_trace(sandbox.folder, (100_100_000, event(1, 100_100_000, 42000050, 7))))
    assert sandbox.orrery("trace", "import", prv, "-o", "a.trace").code == 0
    found = contents_of(sandbox.folder / "a.trace")
    assert found.left_out.left_out == {_METRIC: 1}
    assert "left_out" not in found.properties


def test_formats_without_messages_or_times_say_so(sandbox: Sandbox) -> None:
    assert sandbox.run(4, "ring", options=("-o", "it.trace")).code == 0
    paje = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.paje")
    assert "left out: messages, " in paje.err
    assert "they are not written: states only" in paje.err


@needs_otf2
def test_an_archive_says_what_it_took_instead(sandbox: Sandbox) -> None:
    assert sandbox.run(5, "wildcard", options=("-o", "it.trace")).code == 0
    ended = sandbox.orrery("trace", "convert", "it.trace", "-o", "it.otf2", "--json")
    found = json.loads(ended.out)
    what = "that receives were of any source or tag"
    assert found["left_out"][what] > 0
    assert found["left_out_why"][what] == "the format has no word for it: they are of what they took"


@needs_otf2
def test_metrics_of_an_archive_are_named(tmp_path: Path) -> None:
    import otf2
    from otf2.enums import MetricMode, MetricType, Type

    from orrery.trace.imports.detect import import_trace
    from otf2_archives import Archive

    with Archive(tmp_path / "a", 1, creator="Score-P 10.0") as archive:
        definitions = archive._definitions
        group = definitions.metric("PAPI_L2_DCM", unit="#", value_type=Type.INT64,
                                   metric_mode=MetricMode.ACCUMULATED_START, metric_type=MetricType.PAPI)  # fmt: skip
        archive.call(0, "MPI_Init", 0, 1000)
        for time in (2000, 3000, 4000):
            archive._writers[0](otf2.events.Metric(time, group, [7]))
        archive.call(0, "MPI_Finalize", 5000, 6000)
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert target.left_out.left_out == {"values of the metric PAPI_L2_DCM": 3}


@needs_otf2
def test_an_archive_of_the_newest_score_p_is_read_and_what_it_says_besides_is_counted(tmp_path: Path) -> None:
    """Score-P 10 writes OTF2 3.2, and events of communicators, of threads, and of the program's own functions."""
    import otf2
    from otf2 import events

    from orrery.trace.imports.detect import import_trace
    from otf2_archives import OP, Archive

    with Archive(tmp_path / "a", 2, creator="Score-P 10.0") as archive:
        solve = archive._definitions.region("solve", paradigm=otf2.enums.Paradigm.USER)
        parameter = archive._definitions.parameter("step", parameter_type=otf2.enums.ParameterType.INT64)
        for rank in range(2):
            archive.call(rank, "MPI_Init", 0, 1000)
            archive.event(rank, "CommCreate", 1000, archive.world)
            archive._writers[rank].enter(1100, solve)
            archive._writers[rank](events.ParameterInt(1150, parameter, 7))
            archive.collective(rank, "MPI_Barrier", (1200, 1300), OP.BARRIER, (0, 0))
            archive._writers[rank].leave(1400, solve)
            archive.event(rank, "CommDestroy", 1500, archive.world)
            archive.call(rank, "MPI_Finalize", 5000, 6000)
    assert archive.path.read_bytes()[7:9] == b"\x03\x02"  # of the format
    target = import_trace(archive.path, tmp_path / "own.trace", lossy=False)
    assert target.left_out.left_out == {"calls of functions outside of MPI": 2, "events ParameterInt": 2}
    assert dict(contents_of(tmp_path / "own.trace").calls) == {"MPI_Init": 2, "MPI_Barrier": 2, "MPI_Finalize": 2}
