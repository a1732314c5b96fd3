# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of papers: their files, the verdicts on claims, and the quick form of all of them."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from handbook import claims
from harness import Sandbox
from orrery.errors import InputError
from orrery.papers.claims import Claim, Settings, Verdict
from orrery.papers.experiment import PaperExperiment
from orrery.papers.library import names, paper
from orrery.papers.places import shows
from orrery.papers.rows import Row
from orrery.papers.session import run
from orrery.papers.versus_sends import published
from page_files import parts_of

ROWS: list[Row] = [
    {"model": "hybrid", "bytes": 102400, "ranks": 16, "time_s": 2.0},
    {"model": "loggps", "bytes": 102400, "ranks": 16, "time_s": 0.5},
    {"model": "fluid", "bytes": 102400, "ranks": 16, "time_s": 2.1},
    {"model": "hybrid", "bytes": 8, "ranks": 16, "time_s": 1e-5},
    {"part": "total", "time_s": 1.0, "asked_bytes": 70 << 30, "used_bytes": 2 << 30},
    {"part": "MPI_Wait", "time_s": 3.0, "calls": 12345, "percent": 40.0},
    {"part": "MPI_Bcast", "time_s": 4.0, "calls": 100, "percent": 53.0},
]
A, B, C = (Settings(model=model, bytes="100KiB") for model in ("hybrid", "loggps", "fluid"))

WAIT, BCAST = Settings(part="MPI_Wait"), Settings(part="MPI_Bcast")


def _nothing(_done: int, _whole: int) -> None:
    pass


@pytest.mark.parametrize(
    ("claim", "verdict", "here"),
    [
        ({"ratio": [B, A], "paper": 0.26, "within": 1.1}, "reproduced", "0.25"),
        ({"ratio": [B, A], "paper": 0.5, "within": 1.1}, "sign right", "0.25"),
        ({"ratio": [B, A], "paper": 1.5, "within": 1.1}, "not reproduced", "0.25"),
        ({"ratio": [B, A], "paper": 1.0, "within": 1.1}, "not reproduced", "0.25"),
        ({"ratio": [B, A]}, "reproduced", "0.25"),
        ({"ratio": [A, B]}, "not reproduced", "4"),
        ({"value": {"bytes": 8}, "paper": 1.05e-5, "within": 1.1}, "reproduced", "10 us"),
        ({"value": {"bytes": 8}, "paper": 2e-5, "within": 1.1}, "not reproduced", "10 us"),
        ({"order": [B, A, C]}, "reproduced", "loggps 500 ms, hybrid 2 s, fluid 2.1 s"),
        ({"order": [B, C, A]}, "sign right", "loggps 500 ms, hybrid 2 s, fluid 2.1 s"),
        ({"order": [A, B]}, "not reproduced", "loggps 500 ms, hybrid 2 s"),
        ({"memory": {"part": "total"}, "asked": "71GiB", "below": "12GB"}, "reproduced", "70 GiB in less than 12GB"),
        ({"memory": {"part": "total"}, "asked": "71GiB", "below": "1GB"}, "not reproduced", "70 GiB in 2 GiB"),
        (
            {"memory": {"part": "total"}, "asked": "91GiB", "below": "12GB"},
            "not reproduced",
            "70 GiB in less than 12GB",
        ),
        ({"ratio": [B, {"model": "hybrid", "ranks": 64}]}, "left out", ""),
        ({"value": WAIT, "of": "calls", "paper": 12345}, "reproduced", "12,345"),
        ({"value": WAIT, "of": "calls", "paper": 12346}, "not reproduced", "12,345"),
        ({"value": WAIT, "of": "percent", "paper": 42.0}, "reproduced", "40 %"),
        ({"value": WAIT, "of": "percent", "paper": 12.0}, "sign right", "40 %"),
        ({"value": WAIT, "of": "percent", "paper": 60.0}, "not reproduced", "40 %"),
        ({"order": [WAIT, BCAST], "of": "percent"}, "reproduced", "MPI_Wait 40 %, MPI_Bcast 53 %"),
        ({"order": [WAIT, BCAST], "of": "calls"}, "not reproduced", "MPI_Bcast 100, MPI_Wait 12,345"),
        ({"ratio": [WAIT, BCAST], "of": "calls", "paper": 100.0}, "sign right", "123"),
    ],
)
def test_a_claim_has_the_verdict_that_the_times_give(claim: dict[str, Any], verdict: Verdict, here: str) -> None:
    found = Claim(text="it is so", why="nobody knows", **claim).check(ROWS, "figure 1")
    assert (found.verdict, found.here, found.where) == (verdict, here, "figure 1")
    assert found.why == ("nobody knows" if verdict in ("sign right", "not reproduced") else "")


@pytest.mark.parametrize(
    ("ratios", "verdict", "here"),
    [
        ((0.5, 0.9, 0.7), "reproduced", "0.5 to 0.9"),
        ((1.0, 0.9, 1.0004), "sign right", "0.9 to 1; 1 at 8, 32"),
        ((1.0, 1.0, 1.0), "not reproduced", "1 to 1; 1 at 8 to 32"),
        ((0.5, 1.1, 1.2), "not reproduced", "0.5 to 1.2; above 1 at 16 to 32"),
        ((0.5, 0.5), "left out", ""),
    ],
)
def test_a_claim_may_be_about_each_size(ratios: Sequence[float], verdict: Verdict, here: str) -> None:
    rows: list[Row] = []
    for size, ratio in zip((8, 16, 32), ratios, strict=False):
        rows += [{"part": "new", "bytes": size, "time_s": 2.0 * ratio}, {"part": "old", "bytes": size, "time_s": 2.0}]
    claim = Claim(text="it is so", ratio=[{"part": "new"}, {"part": "old"}], each={"bytes": ["8", "16", "32"]})
    found = claim.check(rows, "figure 1")
    assert (found.verdict, found.here) == (verdict, here)


def test_settings_that_name_several_times_are_refused() -> None:
    with pytest.raises(InputError, match=r"model = hybrid are 2 times: say bytes, too"):
        Claim(text="it is so", ratio=[{"model": "hybrid"}, B]).check(ROWS, "figure 1")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"ratio": [A, B], "value": A},
        {"value": A},
        {"interval": A},
        {"order": [A, B], "at_most": True},
        {"memory": A, "asked": "1GiB"},
        {"interval": A, "paper": 1.0, "of": "calls"},
        {"ratio": [A, B], "paper": 0.5, "each": {"bytes": ["8"]}},
        {"order": [A, B], "each": {"bytes": ["8"]}},
    ],
)
def test_a_claim_is_of_one_kind_and_complete(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"expected one of|value is missing|acts? only with|asked and below"):
        Claim(text="it is so", **wrong)


@pytest.mark.parametrize("name", names())
def test_each_paper_runs_in_its_quick_form_and_has_the_verdicts_of_the_documentation(name: str) -> None:
    found = paper(name)
    outcome = run(found, found.experiments, quick=True, folder=None, advanced=_nothing)
    assert [ran.name for ran in outcome.experiments] == [experiment.name for experiment in found.experiments]
    documented = claims.PAGE.read_text(encoding="utf-8").splitlines()
    for ran in outcome.experiments:
        assert f"    orrery papers {name} --only {ran.name}" in documented
        checked = [claim for claim in ran.claims if claim.verdict != "left out"]
        assert checked, ran.name
        for claim in checked:
            assert claims.claim_line(claim) in documented
            assert claim.why == "" or claim.verdict != "reproduced"


def test_the_table_of_claims_counts_the_claims_below_it() -> None:
    text = claims.PAGE.read_text(encoding="utf-8")
    head, *parts = re.split(r"^## ", text, flags=re.MULTILINE)
    counts = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \| (\d+) \|", head, flags=re.MULTILINE)
    assert [name for name, *_ in counts] == names()
    for (name, *numbers), part in zip(counts, parts, strict=True):
        found = Counter(re.findall(r"^\| (reproduced|sign right|not reproduced) \|", part, flags=re.MULTILINE))
        assert [str(found[verdict]) for verdict in ("reproduced", "sign right", "not reproduced")] == numbers, name


def test_the_forty_rows_of_the_thesis_are_there() -> None:
    folder = paper("thesis").experiments[0].file.parent
    rows = published(folder / "tables-4.csv")
    assert len(rows) == 40
    assert {row["collective"] for row in rows} == {"bcast", "reduce", "gather", "scatter", "alltoall"}
    assert len({row["platform"] for row in rows}) == 8


def test_what_is_kept_is_not_run_again(sandbox: Sandbox) -> None:
    line = ("papers", "xt4", "--only", "table-1", "--only", "figure-10-calls", "-o", "kept", "--json")
    first = sandbox.orrery(*line)
    assert first.code == 0, first.err
    file = sandbox.folder / "kept" / "table-1.json"
    content = json.loads(file.read_text(encoding="utf-8"))
    content["rows"][0]["time_s"] = 1.0
    file.write_text(json.dumps(content), encoding="utf-8")
    assert '"time_s": 1.0' in sandbox.orrery(*line).out
    content["digest"] = "of another file"
    file.write_text(json.dumps(content), encoding="utf-8")
    assert sandbox.orrery(*line).out == first.out
    (sandbox.folder / "kept" / "figure-10-calls.json").write_text("{", encoding="utf-8")
    assert sandbox.orrery(*line).out == first.out


def test_a_paper_has_a_page_with_its_verdicts(sandbox: Sandbox) -> None:
    ran = sandbox.orrery("papers", "smpi", "--quick", "--report", "smpi.html")
    assert ran.code == 0, ran.err
    assert "LogGPS is up to 4 times too short" in ran.out
    parts = parts_of(sandbox.folder / "smpi.html")
    assert next(iter(parts)) == "Claims"
    assert {row[0] for row in parts["Claims"]["rows"]} <= {"reproduced", "sign right", "not reproduced"}
    assert any(part["kind"] == "plot" for part in parts.values())


@pytest.mark.parametrize(
    ("where", "kind", "number", "shown"),
    [
        ("section 3.3, figures 6 to 8", "figure", "7", True),
        ("section 3.3, figures 6 to 8", "figure", "9", False),
        ("section 3.3, figures 6 to 8", "table", "7", False),
        ("section 3.4, figure 10", "figure", "1", False),
        ("tables 4.1 to 4.5, figures A.1 to A.40", "figure", "A.12", True),
        ("tables 4.1 to 4.5, figures A.1 to A.40", "figure", "B.12", False),
        ("tables 4.1 to 4.5, figures A.1 to A.40", "table", "4.5", True),
        ("figures 4.1 to 4.6, section 4.1", "figure", "5.2", False),
        ("section 4", "figure", "4", False),
    ],
)
def test_what_shows_a_figure_is_found(where: str, kind: str, number: str, shown: bool) -> None:  # noqa: FBT001
    assert shows(where, kind, number) == shown


def test_a_figure_is_run_by_its_number(sandbox: Sandbox) -> None:
    ran = sandbox.orrery("papers", "xt4", "--table", "1", "--figure", "3", "-o", "kept", "--json")
    assert ran.code == 0, ran.err
    assert [experiment["name"] for experiment in json.loads(ran.out)["experiments"]] == ["figure-3", "table-1"]
    assert "Claims" in parts_of(sandbox.folder / "kept" / "xt4.html")


def test_papers_are_listed_with_what_is_missing(sandbox: Sandbox) -> None:
    assert "not yet: figures 6, 7 and 9" in sandbox.orrery("papers").out
    listed = json.loads(sandbox.orrery("papers", "--json").out)["papers"]
    assert [entry["name"] for entry in listed] == names()


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (["papers", "smpy"], 'did you mean "smpi"?'),
        (["papers", "smpi", "--only", "figure-44"], 'did you mean "figure-4"?'),
        (["papers", "smpi", "--figure", "99"], "--figure 99: no experiment of smpi shows it; there are: section 6"),
        (["papers", "--figure", "4"], "acts only beside a paper"),
        (["papers", "--quick"], "acts only beside a paper"),
        (["papers", "smpi", "-o", "mine.txt"], "name a folder for results"),
    ],
)
def test_what_is_not_there_is_refused(sandbox: Sandbox, line: list[str], said: str) -> None:
    (sandbox.folder / "mine.txt").write_text("mine")
    ran = sandbox.orrery(*line)
    assert (ran.code, said in ran.err) == (2, True), ran.err


def test_ctrl_c_leaves_what_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    found = paper("xt4")
    first, second, *others = found.experiments
    rows = PaperExperiment.rows

    def rows_of_first(self: PaperExperiment, advanced: Callable[[int, int], object], *, quick: bool) -> list[Row]:
        if self.name == second.name:
            raise KeyboardInterrupt
        return rows(self, advanced, quick=quick)

    monkeypatch.setattr(PaperExperiment, "rows", rows_of_first)
    outcome = run(found, found.experiments, quick=True, folder=None, advanced=_nothing)
    assert [ran.name for ran in outcome.experiments] == [first.name]
    assert outcome.missing == [experiment.name for experiment in (second, *others)]
