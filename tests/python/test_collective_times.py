# SPDX-License-Identifier: BSD-3-Clause
"""Predicted times of collectives: what they are, and what is said about them."""

from __future__ import annotations

import csv
import html
import io
import json
import struct
from collections.abc import Callable

import pytest

from harness import Sandbox
from orrery import _core
from orrery.collective.call import ALL, Call
from orrery.collective.crossovers import crossovers, losses, selector_changes
from orrery.collective.laboratory import Laboratory
from orrery.collective.named import named_choices
from orrery.collective.predict import Answer, Prediction, Question, predict
from orrery.collective.settings import CollectiveRequest
from orrery.collective.sizes import byte_sizes, rank_counts
from orrery.collective.study import study
from orrery.errors import InputError
from orrery.report.call_panels import choice_has_gaps, panels_of
from orrery.report.collective import write_tables
from orrery.report.collective_plot import draw
from orrery.report.panel_grid import PanelGrid
from page_files import parts_of, rows_of
from recordings import asked


def seconds(platform: str, call: Call, algorithm: str, segment: int = 0) -> float:
    with Laboratory(platform, None, "slot").open() as laboratory:
        choice = _core.named_choice(call.core(0), algorithm, segment, 0)
        return laboratory.time(call, choice)


def test_recursive_doubling_takes_a_message_for_each_doubling(plain: str) -> None:
    assert seconds(plain, Call("allreduce", 1000, 8), "recursive_doubling") == pytest.approx(3 * 2e-6)


def test_segments_that_are_sent_without_overhead_share_the_link_all_the_way(plain: str) -> None:
    # All ten segments leave the root at once and share its link: they arrive together after 1 us and 10 us, and so on.
    assert seconds(plain, Call("bcast", 10_000, 5), "pipeline", 1000) == pytest.approx(4 * 11e-6)


def test_the_pairwise_alltoall_takes_a_message_for_each_other_rank(plain: str) -> None:
    assert seconds(plain, Call("alltoall", 1000, 16), "pairwise") == pytest.approx(15 * 2e-6)


def test_an_experiment_is_made_once_and_gives_the_same_time_every_time(plain: str) -> None:
    call = Call("allreduce", 4096, 24)
    choice = _core.named_choice(call.core(0), "ring")
    with Laboratory(plain, None, "slot").open() as laboratory, Laboratory(plain, None, "slot").open() as another:
        first, again = laboratory.begin([(call, choice)])[0], laboratory.begin([(call, choice)])[0]
        assert first is again
        assert laboratory.time(call, choice) == another.time(call, choice)


def test_ranks_of_one_node_talk_through_its_memory() -> None:
    call = Call("bcast", 8, 16)
    choice = _core.named_choice(call.core(0), "binomial")
    times = []
    for mapping in ("slot", "node"):
        with Laboratory("default", None, mapping).open() as laboratory:  # 16 cores per node
            times.append(laboratory.time(call, choice))
    assert times[0] < times[1]


def test_all_algorithms_that_serve_a_call_are_compared_with_the_selectors_choice() -> None:
    call = Call("allreduce", 64 << 10, 12)
    selector = _core.Selector("openmpi-4.1")
    with Laboratory("default", None, "slot").open() as laboratory:
        answer = predict([call], Question(selector=selector, request=asked(algorithm=(ALL,))), laboratory)[0]
        served = {choice.algorithm for choice in _core.accepting_choices(laboratory.whole(call))}
    assert "hierarchical" in served
    assert {prediction.choice.algorithm for prediction in answer.predictions} == served
    assert answer.chosen is not None
    assert answer.chosen.choice.name == selector.choose(call.core(0)).name
    assert answer.fastest is not None
    assert answer.fastest.time_s == min(prediction.time_s for prediction in answer.predictions)
    assert len({prediction.name for prediction in answer.predictions}) == len(answer.predictions)


def test_algorithms_that_would_send_too_much_are_left_out_and_named() -> None:
    call = Call("allreduce", 1024, 64)
    question = Question(selector=_core.Selector(), request=asked(algorithm=(ALL,), most_messages=1000))
    with Laboratory("default", None, "slot").open() as laboratory:
        answer = predict([call], question, laboratory)[0]
    assert answer.left_out["ring"] == 64 * 126  # 2 (p - 1) messages of each rank
    assert answer.best_of("ring") is None
    assert answer.best_of("recursive_doubling") is not None


def answers(times: dict[int, dict[str, float]], chosen: str) -> list[Answer]:
    """By size and algorithm of an allreduce."""
    found = []
    for size, by_name in times.items():
        call = Call("allreduce", size, 8)
        choices = {choice.algorithm: choice for choice in _core.accepting_choices(call.core(0))}
        predictions = {name: Prediction(choices[name], time, 1, 1) for name, time in by_name.items()}
        found.append(Answer(call, list(predictions.values()), predictions[chosen]))
    return found


def test_a_crossover_is_where_two_straight_lines_meet() -> None:
    lines: dict[str, Callable[[int], float]] = {  # they meet at 11,000
        "recursive_doubling": lambda n: 3 + 3e-3 * n,
        "ring": lambda n: 14 + 2e-3 * n,
    }
    table = {size: {name: line(size) for name, line in lines.items()} for size in (8, 4096, 16384, 65536)}
    found = crossovers(answers(table, "ring"), lambda _answer, name, size: lines[name](size))
    assert len(found) == 1
    assert (found[0].before, found[0].after) == ("recursive_doubling", "ring")
    assert found[0].above < 11_000 <= found[0].bytes
    assert found[0].bytes - found[0].above <= 0.01 * found[0].bytes
    assert found[0].bytes % 8 == 0


def test_a_crossover_that_is_too_costly_to_narrow_down_keeps_the_sizes_that_were_asked_for() -> None:
    table = {8: {"ring": 2.0, "recursive_doubling": 1.0}, 1024: {"ring": 1.0, "recursive_doubling": 2.0}}
    found = crossovers(answers(table, "ring"), lambda _answer, _name, _size: None)
    assert (found[0].above, found[0].bytes) == (8, 1024)


def test_algorithms_cross_only_where_both_were_simulated_on_both_sides() -> None:
    alone = [_answer(8, 8, {"ring": 1.0}, "ring"), _answer(64, 8, {"recursive_doubling": 2.0}, "recursive_doubling")]
    assert crossovers(alone, lambda _answer, _name, _size: None) == []
    (change,) = selector_changes(alone)
    assert (change.before, change.after, change.above, change.bytes) == ("ring", "recursive_doubling", 8, 64)
    # Beside a third one both sizes have two algorithms, but recursive doubling is not known for 8 bytes.
    others = [
        _answer(8, 8, {"ring": 1.0, "segmented_ring": 2.0}, "ring"),
        _answer(64, 8, {"ring": 3.0, "recursive_doubling": 2.0}, "recursive_doubling"),
    ]
    assert crossovers(others, lambda _answer, _name, _size: None) == []
    assert selector_changes(others) == []  # at both sizes the page says what its choice loses


def test_algorithms_that_are_named_cross_as_they_were_asked_for_without_segments() -> None:
    request = CollectiveRequest(kinds=["bcast"], ranks="8", sizes="8,4MiB", algorithm=("chain", "linear"))
    (call, _) = request.calls
    with Laboratory("graphene", None, "node").open() as laboratory:
        found = study(request.calls, Question(selector=_core.Selector(), request=request), laboratory)

        def time_of(algorithm: str, size: int) -> float:
            choice = _core.named_choice(call.core(0), algorithm)
            return laboratory.time(Call("bcast", size, 8), choice)

        (crossover,) = found.crossovers
        assert (crossover.before, crossover.after) == ("linear", "chain")
        assert time_of("linear", crossover.above) < time_of("chain", crossover.above)
        assert time_of("linear", crossover.bytes) >= time_of("chain", crossover.bytes)


def test_a_loss_spans_the_sizes_at_which_the_same_algorithm_would_be_cheaper() -> None:
    table = {
        8: {"ring": 3.0, "recursive_doubling": 1.0},
        16: {"ring": 2.0, "recursive_doubling": 1.0},
        32: {"ring": 1.0, "recursive_doubling": 1.0},
    }
    found = losses(answers(table, "ring"))
    assert [(loss.chosen, loss.fastest, loss.first, loss.last, loss.factor) for loss in found] == [
        ("ring", "recursive_doubling", 8, 16, 3.0)
    ]


def test_sizes_and_ranks_are_lists_and_ranges() -> None:
    assert byte_sizes("8:1KiB") == [8, 16, 32, 64, 128, 256, 512, 1024]
    assert byte_sizes("3,10:50") == [3, 10, 20, 40]
    assert rank_counts("2:16,12", 0) == [2, 4, 8, 16, 12]
    for wrong in ("0:8", "8:4", "8:", "x", "8:16:2", "99999999999999999999"):
        with pytest.raises(InputError):
            byte_sizes(wrong)


def test_the_table_marks_the_fastest_and_the_selectors_choice(plain: str) -> None:
    with Laboratory(plain, None, "slot").open() as laboratory:
        question = Question(selector=_core.Selector("default", "bcast=linear"), request=asked(algorithm=(ALL,)))
        found = study(CollectiveRequest(kinds=["bcast"], ranks="8", sizes="8,64KiB").calls, question, laboratory)
    file = io.StringIO()
    write_tables(found, file)
    text = file.getvalue()
    lines = {line.split()[0]: line for line in text.splitlines() if line[1:2].isalpha()}
    # Without overheads and for short messages nothing is faster than to send all at once.
    assert lines["linear"].split()[1:] == ["1.06", "us*<", "460", "us<"]  # 1 us + 7 n ns
    assert "platform    plain, ranks slot by slot" in text
    assert "model       fluid" in text
    assert "64 KiB: linear takes up to" in text
    assert "is cheaper than linear" in text


def test_an_algorithm_with_other_arguments_is_another_one(plain: str) -> None:
    linear = "hierarchical(levels=node,inner=linear)"
    question = Question(
        selector=_core.Selector(),
        request=asked(algorithm=("hierarchical", linear, f"{linear}:segment=1KiB"), segments=(0,)),
    )
    with Laboratory(plain, None, "slot").open() as laboratory:
        found = study(CollectiveRequest(kinds=["bcast"], ranks="8", sizes="8KiB").calls, question, laboratory)
    assert [(row.algorithm, row.segment_bytes) for row in found.predictions] == [
        ("hierarchical", 0),
        (linear, 0),
        (linear, 1024),
    ]
    file = io.StringIO()
    write_tables(found, file)
    shown = [line.split()[0] for line in file.getvalue().splitlines() if line.lstrip().startswith("hierarchical")]
    assert shown == ["hierarchical", linear]


def test_json_and_csv_have_the_same_figures_in_seconds(sandbox: Sandbox) -> None:
    arguments = ["collective", "bcast", "-n", "4,6", "-s", "8,1KiB", "--algorithm", "all", "--platform", "graphene"]
    as_json = json.loads(sandbox.orrery(*arguments, "--json").out)
    as_csv = list(csv.DictReader(io.StringIO(sandbox.orrery(*arguments, "--csv").out)))
    assert list(as_csv[0]) == list(as_json["predictions"][0])
    assert [float(row["time_s"]) for row in as_csv] == [row["time_s"] for row in as_json["predictions"]]
    assert as_json["platform"] == "graphene"
    assert sum(row["fastest"] for row in as_json["predictions"]) == 4  # one for each call
    assert sum(row["chosen"] for row in as_json["predictions"]) == 4


def test_nothing_is_the_fastest_where_the_selectors_choice_alone_was_simulated(sandbox: Sandbox) -> None:
    line = ["collective", "bcast", "-n", "64", "-s", "8KiB,16KiB", "-p", "graphene", "--map", "node"]
    chosen = [(8192, "binomial_halving"), (16384, "scatter_allgather_ring")]
    rows = list(csv.DictReader(io.StringIO(sandbox.orrery(*line, "--csv").out)))
    assert [(int(row["bytes"]), row["algorithm"]) for row in rows] == chosen
    assert [(row["fastest"], row["chosen"]) for row in rows] == [("", "True"), ("", "True")]

    record = json.loads(sandbox.orrery(*line, "--json").out)
    assert [row["fastest"] for row in record["predictions"]] == [None, None]
    assert record["crossovers"] == []
    assert record["selector_changes"] == [
        {"kind": "bcast", "ranks": 64, "before": chosen[0][1], "after": chosen[1][1], "above": 8192, "bytes": 16384}
    ]

    text = sandbox.orrery(*line, "--report", "it.html").out
    alone = "only the selector's choice was simulated: --algorithm all compares it with the others"
    assert f"compared    {alone}\n" in text
    assert "the selector changes from binomial_halving to scatter_allgather_ring at 16 KiB (above 8 KiB)\n" in text
    assert "is cheaper than" not in text
    parts = parts_of(sandbox.folder / "it.html")
    assert [row["chosen"] for row in rows_of(parts["What the selector chose"])] == [name for _, name in chosen]
    assert "fastest" not in [column["name"] for column in parts["What the selector chose"]["columns"]]
    assert [row["fastest"] for row in rows_of(parts["All predictions"])] == ["", ""]
    assert "Where algorithms cross" not in parts
    assert [row["at size"] for row in rows_of(parts["Where the selector changes"])] == [16384]
    page = (sandbox.folder / "it.html").read_text(encoding="utf-8")
    assert f"O{alone[1:]}." in html.unescape(page)
    assert "chose the fastest" not in page


def test_an_algorithm_that_was_named_alone_is_not_the_fastest_and_the_selector_was_not_asked(sandbox: Sandbox) -> None:
    line = "collective bcast -n 8 -s 8 --algorithm binomial_halving"
    record = json.loads(sandbox.orrery(*line.split(), "--json").out)
    assert [(row["fastest"], row["chosen"]) for row in record["predictions"]] == [(None, None)]
    text = sandbox.orrery(*line.split(), "--report", "it.html").out
    assert "compared    only one algorithm was simulated: --algorithm all compares all that serve\n" in text
    page = (sandbox.folder / "it.html").read_text(encoding="utf-8")
    assert "Algorithms were named, so the selector was not asked. Only one algorithm was simulated: " in page
    assert list(parts_of(sandbox.folder / "it.html")) == ["All predictions"]


def test_calls_with_nothing_to_compare_are_counted_beside_those_that_were_compared(sandbox: Sandbox) -> None:
    # Between two ranks each algorithm sends a message or two; among 64 all send more than ten, and the selector's alone is kept.
    line = "collective bcast -n 2,64 -s 8 --algorithm all --most-messages 10 --report it.html"
    assert "compared    only one algorithm was simulated for 1 of 2 calls\n" in sandbox.orrery(*line.split()).out
    page = (sandbox.folder / "it.html").read_text(encoding="utf-8")
    assert " of 1 calls. Only one algorithm was simulated for 1 of 2 calls." in page
    rows = rows_of(parts_of(sandbox.folder / "it.html")["What the selector chose, and what another choice would cost"])
    assert [(row["ranks"], row["fastest"] == "") for row in rows] == [(2, False), (64, True)]


def test_algorithms_that_are_named_stand_beside_all(sandbox: Sandbox) -> None:
    named = "hierarchical(levels=cluster,inner=linear)"
    arguments = [
        "collective",
        "bcast",
        "-n",
        "8",
        "-s",
        "1KiB",
        "--platform",
        "grid2",
        "--map",
        "node@orsay-1:4,rennes-1:4",
    ]
    rows = json.loads(sandbox.orrery(*arguments, "--algorithm", "all", "--algorithm", named, "--json").out)[
        "predictions"
    ]
    everything = json.loads(sandbox.orrery(*arguments, "--algorithm", "all", "--json").out)["predictions"]
    assert {row["algorithm"] for row in rows} == {row["algorithm"] for row in everything} | {named}


def test_the_plot_stands_for_itself(sandbox: Sandbox) -> None:
    sandbox.orrery("collective", "bcast", "-n", "4", "-s", "8:64KiB", "--algorithm", "all", "-o", "p.html")
    text = (sandbox.folder / "p.html").read_text()
    assert len(text) < 400_000
    assert 'src="http' not in text
    (curves,) = parts_of(sandbox.folder / "p.html").values()
    assert (curves["x"]["name"], curves["y"]["name"]) == ("size", "time until the last rank goes on")
    assert "Dots: what the selector default chooses." in curves["note"]
    assert curves["series"][-1]["name"] == "selector's choice"


def _answer(size: int, ranks: int, times: dict[str, float], chosen: str) -> Answer:
    call = Call("allreduce", size, ranks)
    choices = {choice.algorithm: choice for choice in _core.accepting_choices(call.core(0))}
    predictions = {name: Prediction(choices[name], time, 1, 1) for name, time in times.items()}
    return Answer(call, list(predictions.values()), predictions[chosen])


def test_calls_of_one_size_on_several_numbers_of_ranks_are_a_panel_over_ranks() -> None:
    of_ranks = [_answer(8, ranks, {"ring": 1e-6 * ranks}, "ring") for ranks in (16, 2, 8)]
    (panel,) = panels_of(of_ranks)
    assert (panel.title, panel.over, panel.places) == ("allreduce, 8 B", "ranks", [2, 8, 16])
    both = [*of_ranks, *(_answer(1024, ranks, {"ring": 1e-5 * ranks}, "ring") for ranks in (16, 2, 8))]
    assert [(panel.title, panel.over, panel.places) for panel in panels_of(both)] == [
        (f"allreduce, {ranks} ranks", "size", [8, 1024]) for ranks in (16, 2, 8)
    ]
    (single,) = panels_of(of_ranks[:1])
    assert (single.title, single.over) == ("allreduce, 16 ranks", "size")


def test_choices_have_a_gap_where_no_curve_of_an_algorithm_goes_on() -> None:
    def chosen(size: int, name: str, *others: str) -> Answer:
        return _answer(size, 8, dict.fromkeys((name, *others), 1e-6), name)

    assert choice_has_gaps([chosen(8, "recursive_doubling"), chosen(1024, "ring")])
    assert not choice_has_gaps([chosen(8, "ring"), chosen(1024, "ring")])
    # Where the algorithm before, or the one after, was simulated on both sides, its curve leads across.
    assert not choice_has_gaps([chosen(8, "recursive_doubling"), chosen(1024, "ring", "recursive_doubling")])
    assert not choice_has_gaps([chosen(8, "recursive_doubling", "ring"), chosen(1024, "ring")])


def test_a_picture_of_several_sizes_and_ranks_has_one_range_of_times_and_joins_the_choices() -> None:
    with Laboratory("default", None, "slot").open() as laboratory:
        question = Question(selector=_core.Selector("default"), request=asked())
        figure = draw(
            study(CollectiveRequest(kinds=["allreduce"], ranks="2,64", sizes="8,1MiB").calls, question, laboratory)
        )
        over_ranks = draw(
            study(CollectiveRequest(kinds=["allreduce"], ranks="2,8,64", sizes="8").calls, question, laboratory)
        )
    assert figure.layout.yaxis.range == figure.layout.yaxis2.range
    times = [time_s for trace in figure.data for time_s in trace.y]
    low, high = (10**end for end in figure.layout.yaxis.range)
    assert low < min(times)
    assert max(times) < high
    # The selector takes recursive doubling for 8 B and another algorithm for 1 MiB, neither of which is drawn at both.
    (joined,) = [trace for trace in figure.data if trace.name == "from choice to choice" and trace.xaxis == "x"]
    (rings,) = [trace for trace in figure.data if trace.name == "selector's choice" and trace.xaxis == "x"]
    assert (joined.x, joined.y, joined.mode) == (rings.x, rings.y, "lines")
    assert over_ranks.layout.xaxis.title.text == "ranks"
    assert over_ranks.layout.xaxis.ticktext == ("2", "8", "64")
    assert "from choice to choice" not in {trace.name for trace in over_ranks.data}


@pytest.mark.parametrize(
    ("kind", "ranks", "more"), [("bcast", "2:256", ""), ("allreduce", "2,4,6,8", "--versus-sends")]
)
def test_a_picture_of_many_numbers_of_ranks_is_at_most_three_screens_high(
    sandbox: Sandbox, kind: str, ranks: str, more: str
) -> None:
    line = f"collective {kind} -n {ranks} -s 8,1KiB -o p.png -o p.svg {more}"
    assert sandbox.orrery(*line.split()).code == 0
    width, height = struct.unpack(">II", (sandbox.folder / "p.png").read_bytes()[16:24])
    assert (width, height <= 3 * 1080) == (3000, True)  # two columns
    text = (sandbox.folder / "p.svg").read_text()
    assert all(f"{kind}, {number} ranks" in text for number in rank_counts(ranks, 0))


@pytest.mark.parametrize("panels", range(1, 41))
def test_each_panel_of_a_picture_has_a_place_of_its_own(panels: int) -> None:
    grid = PanelGrid(panels)
    cells = [tuple(grid.cell(number).values()) for number in range(panels)]
    assert len(set(cells)) == panels
    assert all(1 <= row <= grid.rows and 1 <= column <= grid.columns for row, column in cells)
    assert 2 * grid.height <= 3 * 1080  # pixels of a PNG file
    assert len(list(grid.figure(["title"] * panels).select_xaxes())) >= panels


def test_the_page_has_times_over_ranks_too(sandbox: Sandbox) -> None:
    for more in ([], ["--versus-sends"]):
        line = ["collective", "allreduce", "-n", "2:16", "-s", "8", *more, "-o", "p.html"]
        assert sandbox.orrery(*line).code == 0
        plots = [part for part in parts_of(sandbox.folder / "p.html").values() if part["kind"] == "plot"]
        assert [(plot["title"], plot["x"]["name"]) for plot in plots] == [("allreduce, 8 B", "ranks")]


def test_curves_that_coincide_are_one_and_jumps_are_explained(sandbox: Sandbox) -> None:
    line = "collective allreduce -n 16 -s 8:256KiB --algorithm all -p graphene --map node -o p.html"
    assert sandbox.orrery(*line.split()).code == 0
    (curves,) = parts_of(sandbox.folder / "p.html").values()
    names = [series["name"] for series in curves["series"]]
    # On 16 ranks, a power of two, both exchange everything with the same partners in the same order.
    assert "recursive_doubling (2 algorithms)" in names
    assert "swing_doubling" not in names
    assert "share a curve: " in curves["note"]
    assert "recursive_doubling, swing_doubling" in curves["note"]
    notes = curves["series"][names.index("recursive_doubling (2 algorithms)")]["notes"]
    # Recursive doubling sends the whole vector, and graphene's ranges between nodes begin at 1,421, 10,001, 65,537 and 327,681 B.
    begins = {2048: "asynchronous", 16384: "asynchronous", 131072: "detached"}
    assert [note.rpartition(" ")[2] for note in notes] == [begins.get(8 << i, "") for i in range(len(notes))]
    assert sandbox.orrery(*line.replace("256KiB", "1MiB").split()).code == 0
    (curves,) = parts_of(sandbox.folder / "p.html").values()
    notes = next(series for series in curves["series"] if series["name"].startswith("recursive_doubling "))["notes"]
    assert notes[16].endswith("between_nodes, synchronous, so senders wait for receivers (rendezvous)")  # 512 KiB


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["allreduce", "-n", "4", "-s", "9"], "-s 9: allreduce is of numbers of 8 bytes"),
        (["allreduce", "-n", "4", "-s", "64:8"], "a range goes from a number above 0 to a larger one"),
        (["allreduce", "-n", "4", "--algorithm", "rings"], 'no algorithm of allreduce is named "rings"'),
        (["allreduce", "-n", "4", "--selector", "best-ever"], '--selector: no selector is named "best-ever"'),
        (
            ["allreduce", "-n", "4", "--selector", "openmpi"],
            'openmpi-5.0, best (by simulation), did you mean "openmpi-5.0"?',
        ),
        (["allreduce", "-n", "4", "--coll", "alreduce=ring"], 'new_comm, did you mean "allreduce"?'),
        (["allreduce", "-n", "4", "--coll", "bcast=chain,allreduce=rings"], 'multi_lane, did you mean "ring"?'),
        (["allreduce", "-n", "4", "--platform", "nowhere"], "nowhere"),
    ],
)
def test_what_cannot_be_predicted_is_said_in_one_line(sandbox: Sandbox, arguments: list[str], said: str) -> None:
    ended = sandbox.orrery("collective", *arguments)
    assert ended.code == 2
    assert said in ended.err
    assert ended.err.count("\n") == 1


def test_calls_that_stay_on_one_node_say_so(sandbox: Sandbox) -> None:
    said = "all ranks are on one node, where no message crosses the network: --map node gives each its own"
    line = ["collective", "bcast", "-s", "8", "-p", "graphene"]
    assert said in sandbox.orrery(*line, "-n", "4").out  # graphene has four cores a node
    assert said not in sandbox.orrery(*line, "-n", "4,5").out
    assert said not in sandbox.orrery(*line, "-n", "4", "--map", "node").out


@pytest.mark.parametrize(
    ("option", "parameter", "more"),
    [
        ("--segment 4KiB", "segment=4KiB", ""),
        ("--segment 0,4KiB", "segment=4KiB", ""),
        ("--segment 4KiB", "segment=4KiB", "--messages"),
        ("--fanout 4", "fanout=4", ""),
        ("--fanout 4", "fanout=4", "--messages"),
    ],
)
def test_what_the_algorithm_has_no_use_for_is_refused_in_the_words_of_coll(
    sandbox: Sandbox, option: str, parameter: str, more: str
) -> None:
    line = ["collective", "allreduce", "-n", "8", "-s", "8KiB", *more.split()]
    fixed = sandbox.orrery(*line, "--coll", f"allreduce=ring:{parameter}")
    told = sandbox.orrery(*line, "--algorithm", "ring", *option.split())
    assert (told.code, told.out) == (2, "")
    assert told.err.removeprefix(
        f"orrery: error: {option.split(maxsplit=1)[0]}: allreduce by ring "
    ) == fixed.err.removeprefix(f'orrery: error: --coll: "allreduce=ring:{parameter}": allreduce by ring ')
    assert told.err.count("\n") == 1


def test_algorithms_without_segments_or_fanout_run_without_beside_those_that_have_them(sandbox: Sandbox) -> None:
    line = "collective bcast -n 8 -s 64KiB --algorithm linear --algorithm chain --algorithm pipeline:segment=1KiB"
    more = ["--segment", "4KiB,16KiB", "--fanout", "2"]
    record = json.loads(sandbox.orrery(*line.split(), *more, "--json").out)
    assert [(row["algorithm"], row["segment_bytes"]) for row in record["predictions"]] == [
        ("linear", 0),
        ("chain:fanout=2", 4096),
        ("chain:fanout=2", 16384),
        ("pipeline", 1024),
    ]
    assert [caution for caution in record["cautions"] if caution.startswith("--")] == [
        "--segment: acts on bcast by chain; without it: bcast by linear, pipeline:segment=1KiB",
        "--fanout: acts on bcast by chain; without it: bcast by linear, pipeline:segment=1KiB",
    ]
    # A name with options of its own takes the one that it does not have.
    named = json.loads(
        sandbox.orrery(*line.split()[:6], "--algorithm", "chain:segment=1KiB", "--fanout", "2", "--json").out
    )
    assert [(row["algorithm"], row["segment_bytes"]) for row in named["predictions"]] == [("chain:fanout=2", 1024)]


def test_all_algorithms_that_fan_out_do_so_as_asked_and_the_others_run_without(sandbox: Sandbox) -> None:
    line = "collective gather -n 8 -s 64KiB --algorithm all --fanout 4 --json"
    record = json.loads(sandbox.orrery(*line.split()).out)
    asked_for = {row["algorithm"] for row in record["predictions"] if "fanout" in row["algorithm"]}
    assert asked_for == {"contiguous_knomial:fanout=4"}
    assert "contiguous_knomial" not in {row["algorithm"] for row in record["predictions"]}
    assert "--fanout: acts on gather by contiguous_knomial; without it: all other algorithms" in record["cautions"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (
            "scan -s 64 --algorithm all --segment 8",
            "--segment: none of the algorithms that serve scan has segments shorter",
        ),
        (
            "bcast -s 64 --algorithm all --segment 64",
            "--segment: none of the algorithms that serve bcast has segments shorter",
        ),
        ("scan -s 64 --algorithm all --fanout 2", "--fanout: none of the algorithms that serve scan has a fanout"),
        (
            "bcast -s 64 --algorithm chain:segment=8 --segment 16",
            '--segment: "chain:segment=8" has a segment of its own',
        ),
        ("bcast -s 64 --algorithm chain --fanout -1", "'--fanout': -1: expected a number from 0 to 32"),
        ("bcast -s 64 --fanout 2", "--fanout: acts only with --algorithm"),
    ],
)
def test_segments_and_fanouts_that_act_on_nothing_are_refused(sandbox: Sandbox, line: str, said: str) -> None:
    ended = sandbox.orrery("collective", "-n", "4", *line.split())
    assert ended.code == 2
    assert said in ended.err


@pytest.mark.parametrize("immediate", [False, True])
def test_no_label_says_of_an_algorithm_what_it_does_not_obey(immediate: bool) -> None:  # noqa: FBT001
    request = asked(segments=(1024,), fanout=3)
    there = {(algorithm.collective, algorithm.name): algorithm for algorithm in _core.algorithms()}
    seen = 0
    for kind, name in there:
        for ranks in (2, 6, 8):
            for size in (8, 64 << 10):
                call = Call(kind, size, ranks, immediate)
                try:
                    (choice,) = named_choices(call, call.core(0), name, request)
                except InputError:  # it does not serve so many ranks, or is for inter-communicators
                    continue
                seen += 1
                serving = there[kind, choice.algorithm]
                assert choice.segment_bytes == 0 or serving.segments, choice.name
                assert ":fanout=" not in choice.name or serving.fans_out, choice.name
                if not choice.instead_of:
                    assert (choice.segment_bytes, ":fanout=3" in choice.name) == (
                        1024 * serving.segments,
                        serving.fans_out,
                    )
    assert seen > 500
