# SPDX-License-Identifier: BSD-3-Clause
"""What the pages of studies and validations say. Times of a platform without noise are exact, so errors can be chosen."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from browser import Tab, in_browser, needs_browser
from harness import Ended, Sandbox
from orrery.output import checked
from orrery.page.document import Page, write_page
from orrery.page.packing import Column
from orrery.page.parts import Axis, Plot, Series, Strips
from page_files import parts_of, rows_of

EVIDENCE = Path(__file__).parents[1] / "evidence"

_HEAD = "op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90,tmax_mean,tmax_max\n"


def _done(ended: Ended, code: int = 0) -> Ended:
    assert ended.code == code, ended.err
    return ended


def _verdict(page: Path) -> str:
    return page.read_text(encoding="utf-8").partition('<p class="verdict ')[2].partition("</p>")[0]


def test_a_study_says_what_the_selector_loses_and_draws_its_choice_over_all_curves(sandbox: Sandbox) -> None:
    done = _done(sandbox.orrery("collective", "bcast", "-n", "16", "-s", "8,64KiB", "-p", "graphene", "--map", "node",
                                "--algorithm", "all", "--report", "it.html", "--json"))  # fmt: skip
    predictions = json.loads(done.out)["predictions"]
    parts = parts_of(sandbox.folder / "it.html")
    assert parts["bcast, 16 ranks"]["series"][-1] | {"values": None} == {
        "name": "selector's choice",
        "values": None,
        "style": "points",
        "dashed": False,
        "notes": [],
    }
    rows = rows_of(parts["What the selector chose, and what another choice would cost"])
    assert [row["size"] for row in rows] == [8, 65536]
    assert len(rows_of(parts["All predictions"])) == len(predictions)
    assert "chose the fastest algorithm in" in _verdict(sandbox.folder / "it.html")


def test_collectives_beside_sends_have_a_page_of_their_own(sandbox: Sandbox) -> None:
    _done(sandbox.orrery("collective", "bcast", "-n", "8", "-s", "8,64", "--versus-sends", "--report", "it.html"))
    parts = parts_of(sandbox.folder / "it.html")
    assert [row["collective"] for row in rows_of(parts["Scenarios"])] == ["bcast"]
    # Seven others get a message from the root.
    assert [row["sends"] for row in rows_of(parts["All calls"])] == [7, 7]


@pytest.mark.parametrize(
    ("bounds", "code", "said"),
    [
        ((), 0, "plain"),
        (("--most-median", "9"), 0, 'good">Half of 2 predictions'),
        (("--most-median", "0.1"), 1, "Bounds are exceeded: median error"),
    ],
)
def test_a_validation_says_whether_its_bounds_hold(
    sandbox: Sandbox, bounds: tuple[str, ...], code: int, said: str
) -> None:
    (sandbox.folder / "times.csv").write_text(
        f"{_HEAD}bcast,4,8,barrier,10,9,10,11,10,12\nbcast,4,64,barrier,10,9,10,11,10,12\n"
    )
    _done(sandbox.orrery("validate", "--ingest", "times.csv", "--report", "it.html", *bounds), code)
    page = sandbox.folder / "it.html"
    assert said in _verdict(page)
    parts = parts_of(page)
    assert [series["name"] for series in parts["bcast, 4 ranks"]["series"]][-1] == "measured"
    assert [row["cases"] for row in rows_of(parts["Errors"])] == [2, 2, 2, 2, 2, 2]  # three models; bcast, all


def test_a_program_has_its_routines_and_their_errors(sandbox: Sandbox) -> None:
    _done(sandbox.run(4, "ring", "3", options=("--compute", "none", "-o", "it.trace")))
    _done(sandbox.orrery("validate", "trace", "it.trace", "--map", "slot", "--report", "trace.html"))
    parts = parts_of(sandbox.folder / "trace.html")
    (total,) = rows_of(parts["Total time"])
    # The same trace replayed on the platform that it was made on: the times are the same, but for what the trace rounds.
    assert (total["program"], total["ranks"], total["error"]) == ("it.trace", 4, pytest.approx(0, abs=1e-3))
    assert "expected from" not in total  # the platform has no calibration
    calibrated = str(EVIDENCE / "2026-11-25-18h-sites-openmpi" / "platform.toml")
    _done(sandbox.orrery("validate", "trace", "it.trace", "-p", calibrated, "--report", "calibrated.html"))
    (total,) = rows_of(parts_of(sandbox.folder / "calibrated.html")["Total time"])
    assert total["expected from"] < total["expected to"]
    (sandbox.folder / "profile.csv").write_text("function,calls_all_ranks,seconds_all_ranks\nSend,4,1\n")
    _done(sandbox.orrery("validate", "program", "--profile", "profile.csv", "--record", "run.json", "--most-median",
                         "0.1", "--report", "program.html"), 1)  # fmt: skip
    assert "MPI_Send is off most" in _verdict(sandbox.folder / "program.html")


def test_a_suite_says_which_groups_hold_their_bounds(sandbox: Sandbox) -> None:
    _done(sandbox.run(4, "ring", "3", options=("--compute", "none", "-o", "it.trace")))
    (sandbox.folder / "times.csv").write_text(f"{_HEAD}bcast,4,8,barrier,10,9,10,11,10,12\n")
    (sandbox.folder / "suite.toml").write_text(
        '[[groups]]\nname = "close"\nmost_mean = 0.01\n[[groups]]\nname = "far"\nmost_median = 1e-6\n'
        '[[collectives]]\nname = "calls"\ngroup = "far"\nplatform = "default"\ningest = ["times.csv"]\n'
        '[[programs]]\nname = "ring"\ngroup = "close"\nplatform = "default"\nmapping = "slot"\ntraces = ["it.trace"]\n'
    )
    _done(sandbox.orrery("validate", "suite", "suite.toml", "--report", "it.html"), 1)
    page = sandbox.folder / "it.html"
    assert "1 of 2 groups with bounds exceed them." in _verdict(page)
    parts = parts_of(page)
    assert {row["group"]: row["bounds"] for row in rows_of(parts["Groups"])} == {"far": "exceeded", "close": "held"}
    assert [row["program"] for row in rows_of(parts["Programs"])] == ["ring"]
    assert parts["Errors of collectives"]["labels"] == ["calls"]


@needs_browser
def test_many_points_marks_and_strips_are_drawn(tmp_path: Path) -> None:
    sizes = np.geomspace(1, 1e6, 4000)
    plot = Plot(
        title="p", x=Axis(name="size", unit="bytes", log=True), y=Axis(name="time", unit="s", log=True),
        values=Column(sizes), marks=[1000.0],
        series=[Series(name="measured", values=Column(sizes * 1e-9), style="points"),
                Series(name="fitted", values=Column(np.where(sizes > 1e5, np.inf, 1e-3)))],
    )  # fmt: skip
    strips = Strips(title="s", unit="share", axis="error", labels=["a", "b"], values=[[-0.5, 0.5], [1.0]], mark=0.0)
    place = tmp_path / "parts.html"
    write_page(Page(title="parts", verdict="It draws.", parts=[plot, strips]), checked(place))

    async def look(tab: Tab) -> tuple[float, list[str], list[float], str]:
        milliseconds = await tab.ready()
        return (
            milliseconds,
            await tab.evaluate("[...document.querySelectorAll('.strip-number')].map(one => one.textContent)"),
            await tab.evaluate("[...document.querySelectorAll('.dot')].map(one => parseFloat(one.style.left))"),
            await tab.evaluate("[...document.querySelectorAll('.bar-total')].map(one => one.textContent).join()"),
        )

    milliseconds, numbers, places, medians = in_browser(place, look)
    assert milliseconds < 2000
    assert numbers == ["-50 %", "0 %", "50 %", "100 %"]
    assert places == pytest.approx([0, 200 / 3, 100])
    assert medians == "median,0 %,100 %"
