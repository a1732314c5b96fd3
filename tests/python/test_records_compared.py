# SPDX-License-Identifier: BSD-3-Clause
"""Two results compared: the verdict in a sentence, what it rests on, and which routines differ by more than noise."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from harness import Sandbox
from orrery.comparison.records import RecordsCompared, compare
from orrery.comparison.relation import relation
from orrery.noise.intervals import Interval, MedianInterval
from orrery.record.document import Profile, Record, Row
from orrery.report.pages.records_compared import page_of_comparison
from orrery.report.records_compared import describe


def _record(time_s: float = 1.0, routines: dict[str, float] | None = None, **own: Any) -> Record:
    rows = [
        Row(None, None, name, 0.0, 2 * each_s, 2 * each_s, 1, 0, 0, 0)
        for name, each_s in (routines or {".application": time_s}).items()
    ]
    alike: dict[str, Any] = {
        "command": ["./x"], "platform": "p", "platform_file": "", "platform_source": "", "model": "fluid",
        "selector": "default", "coll": "", "mapping": "slot", "hosts": 1, "ranks": 2, "start": "fork",
        "clock": "simulated", "compute": "cpu", "simulated_s": time_s, "wall_s": 1.0, "messages": 0, "bytes": 0,
        "events": 0, "exit_code": 0, "end": "completed", "cause": None, "profile": Profile(rows, []), "cautions": [],
        "peak_rss_bytes": None, "computation": "common",
    }  # fmt: skip
    return Record(**{**alike, **own})


def _repeated(times_s: list[float], **own: Any) -> Record:
    by_routine = {".application": [1.0 for _ in times_s], "MPI_Send()": [2 * (time_s - 0.5) for time_s in times_s]}
    return _record(
        repeats_s=times_s, repeats=MedianInterval.of(times_s), repeats_routines_s=by_routine, computation="", **own
    )


def _drawn(times_s: list[float], **own: Any) -> Record:
    by_routine = {"MPI_Send()": [2 * time_s for time_s in times_s]}
    return _record(noisy=True, replicas_s=times_s, interval=Interval.of(times_s), replicas_routines_s=by_routine, **own)


def _verdict(found: RecordsCompared) -> tuple[str, str]:
    return found.verdict, found.why


@pytest.mark.parametrize(
    ("first_s", "second_s", "said"),
    [
        (1.0, 1.5, "B is 50 % slower than A"),
        (1.0, 0.8, "B is 20 % faster than A"),
        (1.0, 2.5, "B is 2.5 times as slow as A"),
        (3.0, 1.0, "B is 3 times as fast as A"),
        (1.0, 1.0, "B is as fast as A"),
        (0.0, 1.0, "B is slower than A"),
    ],
)
def test_a_relation_in_words(first_s: float, second_s: float, said: str) -> None:
    assert relation(first_s, second_s, "A", "is", "B") == said


def test_on_common_computation_without_noise_every_difference_counts() -> None:
    found = compare(_record(1.0), _record(1.02))
    assert found.sentence_on("A", "B") == (
        "B is 2 % slower than A, 1.02 s instead of 1 s: computation is common and there is no noise, so all of the difference "
        "comes from what was changed."
    )
    assert found.ratio_interval == (1.02, 1.02)
    assert [line.verdict for line in found.lines] == ["apart"]
    same = compare(_record(1.0), _record(1.0))
    assert same.sentence == "The second takes as long as the first, 1 s: to the last bit, on common computation."


def test_computation_that_was_measured_separately_is_not_judged() -> None:
    found = compare(_record(1.0, computation=""), _record(1.5, computation=""))
    assert found.sentence_on("A", "B") == (
        "Unknown: B looks 50 % slower than A, 1.5 s instead of 1 s, but whether that is more than noise is not known: "
        "computation was measured separately for each, and host noise alone makes it differ; record once (-o FILE.trace) and "
        "replay both, or use --repeat 6 for both."
    )
    assert found.ratio_interval is None


def test_replicas_do_not_draw_the_noise_of_the_host() -> None:
    """Two runs with --replicas: their intervals are of the platform's noise, and far apart."""
    first, second = _drawn([1.0] * 20, computation="one"), _drawn([1.5] * 20, computation="other")
    verdict, why = _verdict(compare(first, second))
    assert verdict == "unknown"
    assert "(--replicas draws the platform's noise only)" in why


def test_repeated_runs_are_apart_where_their_ranks_are() -> None:
    """Two of C(12, 6) = 924 orders have no overlap."""
    slow, fast = _repeated([2.0, 2.1, 2.2, 2.3, 2.4, 2.5]), _repeated([1.0, 1.1, 1.2, 1.3, 1.4, 1.5])
    found = compare(fast, slow)
    assert _verdict(found) == (
        "apart", "computation was measured separately, in 6 and 6 runs; p = 0.0022 (Mann-Whitney test; 0.05 or less is more than noise)"
    )  # fmt: skip
    assert found.p_value == pytest.approx(2 / 924)
    assert (found.first_s, found.second_s) == (1.25, 2.25)  # medians
    assert found.ratio_interval is not None
    ratios = sorted(b / a for a in fast.repeats_s for b in slow.repeats_s)  # 5 of 36 are left out: the critical U
    assert list(found.ratio_interval) == pytest.approx([ratios[5], ratios[-6]])
    assert {line.routine: line.verdict for line in found.lines} == {".application": "equal", "MPI_Send()": "apart"}


def test_repeated_runs_whose_ranks_mix_are_within_noise() -> None:
    found = compare(_repeated([1.0, 1.1, 1.2, 1.3, 1.4, 1.5]), _repeated([1.05, 1.15, 1.25, 1.45, 1.55, 1.65]))
    assert found.verdict == "within noise"
    said = found.sentence_on("A", "B")
    assert said.startswith("Within noise: B looks 8 % slower than A, 1.35 s instead of 1.25 s, but ")
    assert (
        "in 6 and 6 runs; p = 0.48 (Mann-Whitney test; 0.05 or less is more than noise); replays of one recording"
        in said
    )
    text = describe(found, ("A", "B"))
    assert text.splitlines()[0] == said
    assert "MPI_Send()" in text
    assert text.count("  within noise") == 1


def test_runs_are_told_apart_whose_intervals_of_the_median_meet() -> None:
    """Six of each, of which one of the slower ones is as quick as the slowest of the others."""
    quick, slow = [1.0, 1.1, 1.2, 1.3, 1.4, 1.5], [1.5, 1.6, 1.7, 1.8, 1.9, 2.0]
    assert MedianInterval.of(quick).high_s >= MedianInterval.of(slow).low_s
    found = compare(_repeated(quick), _repeated(slow))
    assert found.verdict == "apart"
    assert found.p_value == pytest.approx(
        4 / 924
    )  # ties share their ranks: two orders in each tail have this sum or less


def test_routines_of_which_one_record_has_no_draws_are_not_judged() -> None:
    """As records of an earlier version are, beside one of this version with the same seeds."""
    drawn = [1.0 + 0.01 * number for number in range(20)]
    found = compare(_drawn(drawn), replace(_drawn([1.5 * time_s for time_s in drawn]), replicas_routines_s={}))
    assert found.verdict == "apart"
    assert {line.verdict for line in found.lines} == {"unknown"}


def test_few_runs_are_told_apart_by_their_means() -> None:
    """That all of 3 are below all of 3 others happens in 2 of C(6, 3) = 20 orders; of 4 and 4 in 2 of 70. So the means of few decide."""
    assert _verdict(compare(_repeated([1.0, 1.1, 1.2]), _repeated([2.0, 2.1, 2.2]))) == (
        "apart",
        (
            "computation was measured separately, in 3 and 3 runs, too few for a test of ranks: times are taken to be normally "
            "distributed (t test, 5 %)"
        ),
    )  # fmt: skip
    assert compare(_repeated([1.0, 1.1]), _repeated([1.2, 1.3])).verdict == "within noise"
    assert compare(_repeated([1.0, 1.1, 1.2]), _repeated([1.2, 1.3, 1.4])).verdict == "within noise"
    assert compare(_repeated([1.0, 1.1, 1.2, 1.3]), _repeated([2.0, 2.1, 2.2, 2.3])).verdict == "apart"


def test_replicas_of_one_trace_are_compared_draw_by_draw() -> None:
    """Each draw is 1 % slower, while the draws themselves lie 50 % apart."""
    times_s = [1.0 + 0.05 * number for number in range(10)]
    found = compare(_drawn(times_s), _drawn([1.01 * time_s for time_s in times_s]))
    assert _verdict(found) == (
        "apart",
        (
            "computation is common, and in 10 draws of the platform's noise it is faster 0 times and slower 10 times; "
            "p = 0.002 (Wilcoxon signed-rank test; 0.05 or less is more than noise)"
        ),
    )
    assert found.ratio_interval is not None
    assert list(found.ratio_interval) == pytest.approx([1.01, 1.01])
    mixed = compare(_drawn(times_s), _drawn([time_s + (0.01 if i % 2 else -0.01) for i, time_s in enumerate(times_s)]))
    assert mixed.verdict == "within noise"
    assert "it is faster 5 times and slower 5 times; p = 0.85 (" in mixed.why
    assert [line.verdict for line in mixed.lines] == ["within noise"]


def test_draws_of_parameters_count_by_how_many_agree() -> None:
    """More draws do not make a parameter better known: one side has to be faster in nearly all of them."""
    times_s = [1.0 + 0.01 * number for number in range(40)]
    other = [time_s + (0.01 if number % 4 else -0.01) for number, time_s in enumerate(times_s)]
    of_noise = compare(_drawn(times_s), _drawn(other))
    assert of_noise.verdict == "apart"
    assert of_noise.p_value is not None
    of_parameters = compare(_drawn(times_s, vary="calibration"), _drawn(other, vary="calibration"))
    assert of_parameters.verdict == "within noise"
    assert of_parameters.p_value is None


def test_replicas_with_other_seeds_are_compared_as_separate_samples() -> None:
    times_s = [1.0 + 0.05 * number for number in range(10)]
    found = compare(_drawn(times_s), _drawn([1.01 * time_s for time_s in times_s], seed=100))
    assert found.verdict == "within noise"
    assert compare(_drawn(times_s), _drawn([3.0 * time_s for time_s in times_s], seed=100)).verdict == "apart"


def test_single_draws_are_not_judged() -> None:
    verdict, why = _verdict(compare(_record(1.0, noisy=True), _record(1.5, noisy=True)))
    assert verdict == "unknown"
    assert why == "computation is common, but each is one draw of the platform's noise; use --replicas 20 for both"
    verdict, why = _verdict(compare(_record(1.0, noisy=True), _drawn([1.0] * 20)))
    assert "one of them is one draw" in why


def test_few_draws_are_told_apart_by_their_means_and_few_parameters_are_not() -> None:
    few = [[1.0, 1.1], [2.0, 2.1]]
    verdict, why = _verdict(compare(*(_drawn(times_s) for times_s in few)))
    assert verdict == "apart"
    assert "faster 0 times and slower 2 times, too few for a test of ranks" in why
    verdict, why = _verdict(compare(*(_drawn(times_s, vary="calibration") for times_s in few)))
    assert verdict == "unknown"
    assert "too few; use --replicas 20" in why


def test_a_run_that_failed_is_not_judged() -> None:
    failed = replace(_record(0.1), end="crashed", cause="rank 1 crashed")
    found = compare(_record(1.0), failed)
    assert _verdict(found) == (
        "unknown", "the second did not come to its end, so its time is not that of the whole program"
    )  # fmt: skip


def test_routines_of_records_without_samples_are_not_judged() -> None:
    """As those of earlier versions, which kept the times of repeated runs only."""
    first, second = (replace(_repeated([base + i for i in range(6)]), repeats_routines_s={}) for base in (1.0, 10.0))
    second = replace(second, profile=_record(10.0).profile)
    found = compare(first, second)
    assert found.verdict == "apart"
    assert [line.verdict for line in found.lines] == ["unknown"]


def test_a_page_has_the_verdict_both_bars_and_what_differs() -> None:
    first = _record(1.0, {".application": 0.5, "MPI_Send()": 0.5, "MPI_Wtime()": 0.0}, cautions=["same", "mine"])
    second = _record(1.25, {".application": 0.5, "MPI_Send()": 0.75}, selector="best", cautions=["same"])
    page = page_of_comparison(compare(first, second), (first, second), ("a.json", "b.json"))
    assert page.verdict.startswith("b.json is 25 % slower than a.json")
    assert list(page.cautions) == ["same", "a.json: mine"]
    assert list(page.facts) == [("selector", "default / best")]
    bars, routines, both = page.parts
    assert (bars.kind, routines.kind, both.kind) == ("bars", "table", "table")
    assert routines.rows == [["MPI_Send()", 0.5, 0.75, 0.25, 0.25, ""], [".application", 0.5, 0.5, 0.0, 0.0, "equal"]]  # type: ignore[union-attr]


def test_the_command_says_it_writes_it_and_keeps_to_json(sandbox: Sandbox) -> None:
    (sandbox.folder / "it.toml").write_text('ranks = 4\nsteps = 3\n[[phase]]\nkind = "allreduce"\nbytes = "64KiB"\n')
    for name, coll in (("a", "allreduce=ring"), ("b", "allreduce=reduce_bcast")):
        assert sandbox.orrery("replay", "it.toml", "-o", f"{name}.json", "-p", "graphene", "--coll", coll).code == 0
    ended = sandbox.orrery("compare", "a.json", "b.json", "--report", "ab.html")
    assert ended.code == 0
    assert ended.out.startswith("b.json is ")
    page = (sandbox.folder / "ab.html").read_text()
    assert ended.out.splitlines()[0].split(",")[0] in page
    told = json.loads(sandbox.orrery("compare", "a.json", "b.json", "--json").out)
    assert told["verdict"] == "apart"
    assert told["sentence"].startswith("The second is ")
    assert {line["verdict"] for line in told["lines"]} <= {"apart", "equal"}
    (sandbox.folder / "mine.html").write_text("mine")
    assert sandbox.orrery("compare", "a.json", "b.json", "--report", "mine.html").code == 2
    assert sandbox.orrery("compare", "a.json", "b.json", "--report", "mine.html", "--overwrite").code == 0


def test_repeated_runs_keep_their_routines(sandbox: Sandbox) -> None:
    record = sandbox.run(2, "ring", options=("--repeat", "3")).record
    assert set(record["repeats_routines_s"]) >= {".application", "MPI_Finalize()"}
    assert {len(times) for times in record["repeats_routines_s"].values()} == {3}


def test_draws_of_a_noisy_platform_beside_one_without_noise() -> None:
    noisy = _drawn([1.1 + 0.001 * draw for draw in range(20)])
    found = compare(_record(1.0), noisy)
    assert found.verdict == "apart"
    assert found.why == (
        "computation is common, one side has no noise, and in 20 draws of the other's it is faster 0 times and slower 20 times"
    )
    assert found.ratio_interval is not None
    assert 1.1 <= found.ratio_interval[0] < found.ratio_interval[1] <= 1.12
    assert compare(noisy, _record(1.0)).verdict == "apart"
    assert compare(_record(1.11), noisy).verdict == "within noise"
    assert compare(_record(1.0, noisy=True), noisy).verdict == "unknown"  # one draw, whose noise nobody knows


def test_platforms_of_one_name_that_differ_are_told_by_their_files() -> None:
    first, second = (_record(1.0, platform_file=f"{name}.toml", platform_digest=name) for name in ("monday", "friday"))
    assert compare(first, second).settings == {"platform": ("monday.toml", "friday.toml")}
    assert compare(first, _record(1.0, platform_file="copy.toml", platform_digest="monday")).settings == {}
