# SPDX-License-Identifier: BSD-3-Clause
"""Where in the program calls stand: file and line of each, and the paths that led there."""

from __future__ import annotations

import re
from typing import Any

import pytest

from harness import PROGRAMS, Sandbox
from orrery import _core
from orrery.capture.lines import meanings
from orrery.trace.timeline import calls_of
from real_mpis import MPIS, RealMpi
from skips import needs

pytestmark = needs("addr2line")


@pytest.fixture(params=MPIS)
def real(request: pytest.FixtureRequest, sandbox: Sandbox) -> RealMpi:
    return RealMpi(request.param, sandbox)


def line_of(source: str, mark: str) -> int:
    """Number of the line that has the mark as a comment."""
    lines = (PROGRAMS / source).read_text().splitlines()
    return next(number for number, line in enumerate(lines, start=1) if f"/* {mark} */" in line)


def sites(real: RealMpi) -> dict[tuple[str, str], dict[str, Any]]:
    """By routine and place."""
    return {(site["routine"], site["site"]): site for site in real.profile()["sites"]}


def test_a_call_has_its_file_and_line(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("counted.c", flags=("-g",)), options=("--callsites",))
    assert ended.code == 0, ended.err
    found = sites(real)
    exchange = found["MPI_Sendrecv", f"counted.c:{line_of('counted.c', 'exchange')} exchange"]
    assert (exchange["calls"], exchange["ranks"], exchange["messages"], exchange["bytes"]) == (40, 4, 40, 320)
    assert 0 < exchange["shortest_s"] <= exchange["time_s"] / 40 <= exchange["longest_s"]
    assert found["MPI_Barrier", f"counted.c:{line_of('counted.c', 'barrier')} main"]["calls"] == 4
    times = {row["name"]: row["exclusive_s"] for row in real.profile()["profile"]["summed"] if row["phase"] is None}
    assert exchange["time_s"] == pytest.approx(times["MPI_Sendrecv()"])
    text = real.sandbox.orrery("profile", "it.trace").out
    assert re.search(r"40 +4 .* 320 B  MPI_Sendrecv\(\)  counted\.c:\d+ exchange", text), text
    # The same place, call by call.
    file = _core.TraceFile(str(real.sandbox.folder / "it.trace"))
    sends = [call for call in calls_of(file, 1) if file.routines[call.routine] == "MPI_Sendrecv"]
    assert {file.sites[call.site] for call in sends} == {exchange["site"]}
    assert len(sends) == 10
    assert real.replay().code == 0


def test_a_path_leads_from_main_to_the_call(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("counted.c", flags=("-g",)), options=("--callpath",))
    assert ended.code == 0, ended.err
    (path,) = (site for routine, site in sites(real) if routine == "MPI_Sendrecv")
    line = line_of("counted.c", "exchange")
    assert re.fullmatch(rf"counted\.c:\d+ main => counted\.c:{line} exchange", path), path


def test_without_debugging_information_the_function_is_known(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("counted.c"), options=("--callsites",))
    assert ended.code == 0, ended.err
    (site,) = (site for routine, site in sites(real) if routine == "MPI_Barrier")
    assert re.fullmatch(r"counted\.c\.\w+\+0x[0-9a-f]+ main", site), site


def test_without_the_option_nothing_is_noted(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("counted.c", flags=("-g",)))
    assert ended.code == 0, ended.err
    assert real.profile()["sites"] == []
    assert {call.site for call in calls_of(_core.TraceFile(str(real.sandbox.folder / "it.trace")), 0)} == {0}


def test_calls_of_threads_have_sites_and_are_still_replayed(real: RealMpi) -> None:
    """The number of a call's thread is kept apart from its site."""
    ended, report = real.capture(real.program("threads.c", flags=("-g",)), ranks=2, options=("--callsites",))
    assert (ended.code, report["cut_off"]) == (0, []), ended.err
    assert all(site.startswith("threads.c:") for _, site in sites(real))
    assert real.replay().code == 0


@needs("gfortran")
def test_calls_of_fortran_programs_stand_in_their_source(real: RealMpi) -> None:
    ended, _ = real.capture(real.program("captured.f90", "mpifort", flags=("-g",)), options=("--callsites",))
    assert ended.code == 0, ended.err
    found = {site for routine, site in sites(real) if routine == "MPI_Isend"}
    assert found
    assert all(site.startswith("captured.f90:") for site in found), found


def test_both_at_once_are_refused(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("capture", "--callsites", "--callpath", "--", "mpirun", "true")
    assert ended.code == 2
    assert "use one of them" in ended.err


def test_what_no_file_is_known_of_stays_a_module_and_an_offset() -> None:
    told = meanings(["/no/such/module+0x12", "/no/such/module+0x10 => /no/such/module+0x12", "other"])
    assert told == {
        "/no/such/module+0x12": "module+0x12",
        "/no/such/module+0x10 => /no/such/module+0x12": "module+0x10 => module+0x12",
        "other": "other",
    }
