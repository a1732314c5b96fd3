# SPDX-License-Identifier: BSD-3-Clause
"""Orrery from Python: the same results and the same texts as the command line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import orrery as o
from conftest import PLAIN_HYBRID
from harness import ORRERY, Sandbox
from orrery.errors import InputError, SimulationError
from page_files import parts_of

WORKLOAD = """
ranks = 8
steps = 5

[[phase]]
kind = "compute"
compute_s = "1ms"

[[phase]]
kind = "allreduce"
bytes = "64KiB"
"""


pytestmark = pytest.mark.usefixtures("own_folders")


@pytest.fixture
def workload(tmp_path: Path) -> Path:
    path = tmp_path / "steps.toml"
    path.write_text(WORKLOAD, encoding="utf-8")
    return path


@pytest.fixture
def replayed(workload: Path) -> o.Result:
    return o.replay(workload, platform="graphene", mapping="node")


def _fresh(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_importing_orrery_loads_nothing_of_the_api() -> None:
    loaded = _fresh("import orrery, sys; print(*[name for name in sys.modules if name.startswith('orrery.')])")
    assert loaded == ""


def test_a_function_stays_one_when_the_room_of_its_name_is_loaded() -> None:
    code = (
        "import orrery as o; import orrery.run.session, orrery.replay.session, orrery.collective.call, orrery.validate.settings; "
        "from orrery.calibrate import measure; print(all(map(callable, (o.run, o.replay, o.collective, o.validate, o.calibrate))))"
    )
    assert _fresh(code) == "True"


def test_all_that_the_api_has_is_in_the_package_and_known_to_type_checkers() -> None:
    import orrery.api

    assert set(orrery.api.__all__) | {"__version__"} == set(dir(o))
    stub = Path(orrery.api.__file__).parent.parent / "__init__.pyi"
    typed = stub.read_text(encoding="utf-8")
    assert all(f" as {name}\n" in typed or f"\ndef {name}(\n" in typed for name in orrery.api.__all__)
    assert all(callable(getattr(o, name)) for name in orrery.api.__all__)
    assert all(getattr(o, name).__doc__ for name in orrery.api.__all__)
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = o.runn  # type: ignore[attr-defined]


def test_a_run_gives_what_the_command_line_writes(sandbox: Sandbox, tmp_path: Path) -> None:
    program = sandbox.program("ring")
    result = o.run([Path(program), 1000, "3"], ranks=4, platform="graphene", mapping="node", compute="none", quiet=True)
    told = sandbox.run(
        4, "ring", "1000", "3", options=("--platform", "graphene", "--map", "node", "--compute", "none")
    ).record
    assert result.completed
    assert result.simulated_s == told["simulated_s"] > 0
    assert result.messages == told["messages"] == 12  # 3 rounds of 4 ranks
    assert result.record["profile"] == told["profile"]
    assert set(result.record) == set(told)
    assert result.provenance["platform"] == "graphene"
    assert result.expected is None  # graphene has no calibration of ours
    assert "not calibrated" in result.record["not_expected"]
    assert o.load(result.save(tmp_path / "saved.json")).record == result.record


def test_a_run_is_recorded_and_replayed_to_the_last_bit(sandbox: Sandbox, tmp_path: Path) -> None:
    trace = tmp_path / "ring.trace"
    result = o.run(f"{sandbox.program('ring')} 1000 3", ranks=4, trace=trace, report=tmp_path / "r.html", quiet=True)
    assert 'id="data"' in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert o.replay(trace).simulated_s == result.simulated_s
    other = o.replay(trace, platform="graphene")
    assert any("platform graphene, recorded on default" in what for what in other.differs)
    found = o.compare(o.replay(trace), other)
    assert found.verdict == "apart"
    assert not found.within_noise
    usage = o.profile(trace)
    assert usage.ranks == 4
    page = usage.write_report(tmp_path / "trace.html").read_text(encoding="utf-8")
    assert "<title>" in page
    with pytest.raises(InputError, match=r"expected \.html"):
        usage.write_report(tmp_path / "trace.txt")
    assert [row["messages"] for row in usage.table("ranks")] == [3, 3, 3, 3]


def test_repeated_runs_leave_standard_input_as_it_was_and_are_compared_by_intervals(sandbox: Sandbox) -> None:
    before = os.fstat(0)
    result = o.run([sandbox.program("ring")], ranks=2, repeat=3, quiet=True)
    assert os.fstat(0).st_ino == before.st_ino
    assert result.interval is not None
    assert result.interval.low_s <= result.interval.median_s <= result.interval.high_s
    found = o.compare(result, result)
    assert found.within_noise
    assert "Within noise" in repr(found)


def test_two_runs_differ_by_what_the_host_did_and_the_verdict_says_so(sandbox: Sandbox) -> None:
    first, second = (o.run([sandbox.program("ring")], ranks=2, quiet=True) for _ in range(2))
    found = o.compare(first, second)
    assert found.verdict == "unknown"
    assert "host noise" in found.why


def test_a_result_is_a_small_page_of_its_own_for_light_and_dark(replayed: o.Result) -> None:
    page = replayed._repr_html_()
    assert len(page) < 8_000
    assert "prefers-color-scheme: dark" in page
    assert "http" not in page
    assert "<script" not in page
    assert "MPI_Allreduce" in page
    assert "how far the real time is from that is not known" in page  # graphene has no calibration of ours
    assert "MPI_Allreduce" in str(replayed)


def test_what_a_page_shows_is_escaped(replayed: o.Result) -> None:
    from dataclasses import replace

    page = o.Result(replace(replayed.recorded, command=["<script>"]))._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_a_frame_without_a_library_is_refused_with_the_cure_and_rows_are_there(
    replayed: o.Result, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("orrery.api.frames.find_spec", lambda _name: None)
    refused = r"neither pandas nor polars .* pip install pandas, or frame\(library="
    for ask in (replayed.frame, replayed.table("jobs").frame):
        with pytest.raises(InputError, match=refused):
            ask()
    with pytest.raises(InputError, match=refused):
        _ = replayed.routines
    rows = replayed.frame("routines", library="rows")
    assert rows == list(replayed.table("routines"))
    assert {row["name"] for row in rows} >= {".application", "MPI_Allreduce()"}
    with pytest.raises(InputError, match=r"pandas.*not installed"):
        replayed.frame("routines", library="pandas")


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_are_frames(replayed: o.Result, library: str) -> None:
    if find_spec(library) is None:
        pytest.skip(f"{library} is not installed")
    frame = replayed.frame("per_rank", library=library)  # type: ignore[arg-type]
    rows = replayed.table("per_rank")
    assert frame.shape == (len(rows), len(rows.columns))
    assert sorted(set(frame["rank"])) == list(range(8))
    assert list(replayed.frame("algorithms", library=library)["routine"]) == ["MPI_Allreduce"]  # type: ignore[arg-type]


def test_a_collective_is_predicted_as_the_command_line_does(sandbox: Sandbox) -> None:
    found = o.collective(
        "allreduce", ranks=8, sizes=[8, "1KiB"], algorithm="all", platform="graphene", mapping="node", progress=False
    )
    line = "collective allreduce -n 8 -s 8,1KiB --algorithm all --platform graphene --map node --json"
    told = json.loads(sandbox.orrery(*line.split()).out)
    assert found.record["predictions"] == told["predictions"]
    assert [row["bytes"] for row in found.fastest] == [8, 1024]
    assert len(found.losses) == len(told["losses"])
    assert "allreduce on graphene: 2 calls" in found._repr_html_()
    assert str(found) == sandbox.orrery(*line.split()[:-1]).out


def test_a_collective_whose_selectors_choice_was_simulated_alone_has_no_fastest_algorithm() -> None:
    found = o.collective("bcast", ranks=64, sizes="8KiB,16KiB", platform="graphene", mapping="node", progress=False)
    assert [(row["fastest"], row["chosen"]) for row in found.table] == [(None, True), (None, True)]
    assert list(found.fastest) == list(found.crossovers) == []
    assert [row["bytes"] for row in found.selector_changes] == [16384]
    assert "only the selector's choice was simulated: --algorithm all compares it with the others" in repr(found)
    assert "fastest" not in found._repr_html_()
    named = o.collective("bcast", ranks=4, sizes=8, algorithm="binomial", progress=False)._repr_html_()
    assert '<td class="text">binomial</td>' in named
    assert "fastest" not in named


def test_a_collective_has_a_page_and_a_picture(sandbox: Sandbox) -> None:
    found = o.collective("bcast", ranks=4, sizes=[8, "1KiB"], algorithm="all", progress=False)
    page = found.write_report(sandbox.folder / "page.html")
    assert {"bcast, 4 ranks", "All predictions"} <= set(parts_of(page))
    picture = found.write_picture(sandbox.folder / "picture.html")
    assert "binomial" in picture.read_text()
    found.write_picture(picture)  # its own it replaces
    (sandbox.folder / "mine.html").write_text("notes")
    for write in (found.write_report, found.write_picture):
        with pytest.raises(InputError, match="Orrery did not write it"):
            write(sandbox.folder / "mine.html")
        with pytest.raises(InputError, match="its ending says what is written; expected"):
            write(sandbox.folder / "picture.txt")


def test_a_table_is_printed_in_columns() -> None:
    rows: list[dict[str, Any]] = [
        {"name": "ring", "time_s": 0.25, "fastest": True, "low_s": None},
        {"name": "binomial", "time_s": 1 / 3, "fastest": False, "low_s": 1.0},
    ]
    assert str(o.Table(rows)) == (
        "name        time_s  fastest  low_s\nring          0.25      yes\nbinomial  0.333333       no      1\n"
    )
    assert str(o.Table([])) == "no rows\n"


def test_a_platform_is_a_mapping_of_dotted_keys() -> None:
    graphene = o.Platform.load("graphene")
    assert graphene.name == "graphene"
    assert graphene["cluster[0].latency_s"] == graphene["cluster.latency_s"] > 0
    assert "cluster[0].latency_s" in graphene
    assert "cluster.latency" not in graphene
    assert "network.rate_noise" in list(graphene.keys())
    assert "graphene" in [row["name"] for row in o.platforms()]
    assert "hosts" in graphene._repr_html_()


def test_a_changed_platform_changes_times_and_says_what_was_changed(replayed: o.Result, workload: Path) -> None:
    graphene = o.Platform.load("graphene")
    slow = graphene.with_values({"cluster.latency_s": "1ms", "transport.connections": None})
    assert slow["cluster.latency_s"] == 1e-3
    assert graphene["cluster.latency_s"] < 1e-3
    result = o.replay(workload, platform=slow, mapping="node")
    assert result.simulated_s > 2 * replayed.simulated_s
    assert "changed: cluster.latency_s = 1ms" in result.provenance["platform_source"]
    assert o.load(result.save("slow.json")).provenance["platform"] == "graphene (changed)"
    again = o.replay(workload, platform=str(slow.save("slow.toml")), mapping="node")
    assert again.simulated_s == result.simulated_s
    assert o.Platform.load("slow.toml") == slow
    same = o.replay(workload, platform=graphene.with_values({}), mapping="node")
    assert same.simulated_s == replayed.simulated_s


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"cluster.latenzy_s": 1}, r'cluster\[0\].latenzy_s.*did you mean "latency_s"'),
        ({"cluster.latency_s": "1 parsec"}, r"cluster\[0\].latency_s"),
        ({"cluster[7].latency_s": 1}, r"there is no \[7\]"),
        ({"name.x": 1}, "no key of a table"),
        ({"a..b": 1}, "names with dots"),
    ],
)
def test_a_value_that_cannot_be_names_its_key(values: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        o.Platform.load("graphene").with_values(values)


def test_mistakes_have_the_texts_of_the_command_line(sandbox: Sandbox, workload: Path) -> None:
    with pytest.raises(InputError) as failed:
        o.replay(workload, platform="grafene")
    assert str(failed.value) in sandbox.orrery("replay", str(workload), "--platform", "grafene").err
    with pytest.raises(InputError, match=r"-n|ranks"):
        o.run(["true"], ranks=0)
    with pytest.raises(InputError, match=r"launch.*expected auto, fork, exec"):
        o.run(["true"], ranks=1, launch="frok")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not a collective"):
        o.collective("allreduz", ranks=4)
    with pytest.raises(InputError, match="chooses nothing"):
        o.collective("allreduce", ranks=4, algorithm="ring", selector="openmpi-5.0")
    with pytest.raises(InputError, match="vary calibration"):
        o.replay(workload, vary="calibration")
    with pytest.raises(InputError, match="no such file"):
        o.load("nothing.json")
    with pytest.raises(InputError, match=r'table "routine".*did you mean "routines"'):
        o.replay(workload).frame("routine")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "options"),
    [
        ({"root": 1}, "--root 1"),
        ({"kinds": "bcast", "operation": "commutative"}, "--operation commutative"),
        ({"segments": "8KiB"}, "--segment 8KiB"),
        ({"fanout": 2}, "--fanout 2"),
        ({"kinds": "scan", "algorithm": "all", "fanout": 2}, "--algorithm all --fanout 2"),
        ({"algorithm": "ring", "segments": "4KiB"}, "--algorithm ring --segment 4KiB"),
        ({"algorithm": "ring", "fanout": 2}, "--algorithm ring --fanout 2"),
        ({"algorithm": "ring", "most_messages": 10}, "--algorithm ring --most-messages 10"),
        ({"algorithm": "ring", "rules": "rules.conf"}, "--algorithm ring --selector-rules rules.conf"),
        ({"vary": "calibration"}, "--vary calibration"),
    ],
)
def test_what_would_not_act_on_a_collective_is_refused_as_on_the_command_line(
    sandbox: Sandbox, settings: dict[str, Any], options: str
) -> None:
    kind = settings.pop("kinds", "allreduce")
    with pytest.raises(InputError) as refused:
        o.collective(kind, ranks=4, sizes=8, progress=False, **settings)
    told = sandbox.orrery("collective", kind, "-n", "4", "-s", "8", *options.split())
    said = str(refused.value)
    for parameter, option in (("segments", "--segment"), ("fanout", "--fanout")):
        said = said.replace(f"{parameter}: acts only with algorithm", f"{option}: acts only with --algorithm")
    assert (told.code, told.err) == (2, f"orrery: error: {said}\n")


def test_parameters_that_only_replicas_have_are_refused_without_any(sandbox: Sandbox, workload: Path) -> None:
    said = "--vary calibration: acts on replicas from the second one on"
    with pytest.raises(InputError, match=said):
        o.run([sandbox.program("ring")], ranks=2, vary="calibration", quiet=True)
    with pytest.raises(InputError, match=said):
        o.replay(workload, platform="graphene", vary="calibration")
    with pytest.raises(InputError, match=said):
        o.validate("times.csv", platform="graphene", replicas=1, vary="calibration")
    (sandbox.folder / "times.csv").write_text("op,nprocs,bytes,sync,iters,tmax_min,tmax_med,tmax_p90\n")
    validated = "validate collectives --ingest times.csv -p graphene --replicas 1 --vary calibration"
    assert said in sandbox.orrery(*validated.split()).err


def test_nothing_replaces_a_file_that_orrery_did_not_write(replayed: o.Result, tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="Orrery did not write it"):
        replayed.save(mine)
    assert mine.read_text(encoding="utf-8") == "mine"
    assert replayed.save(mine, overwrite=True) == mine


def test_a_crash_is_an_exception_with_what_there_was(sandbox: Sandbox, tmp_path: Path) -> None:
    program = [sandbox.program("crash"), str(tmp_path / "mark")]
    with pytest.raises(SimulationError, match=r"the run failed: .*rank 1") as failed:
        o.run(program, ranks=2, quiet=True)
    assert failed.value.exit_code == 128 + signal.SIGSEGV
    assert not failed.value.result.completed
    assert "failed after" in failed.value.result._repr_html_()
    assert not o.run(program, ranks=2, quiet=True, check=False).completed


def test_a_time_limit_is_a_failure(sandbox: Sandbox, tmp_path: Path) -> None:
    with pytest.raises(SimulationError, match=r"time limit of 0.5 s"):
        o.run([sandbox.program("endless"), str(tmp_path / "mark")], ranks=2, timeout_s=0.5, quiet=True)


def test_ctrl_c_raises_keyboard_interrupt_with_the_result_so_far(sandbox: Sandbox, tmp_path: Path) -> None:
    told: list[o.Advance] = []

    def stop(advance: o.Advance) -> None:
        told.append(advance)
        if len(told) == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stopped:
        o.run([sandbox.program("endless"), str(tmp_path / "mark")], ranks=2, quiet=True, progress=stop)
    assert isinstance(stopped.value, o.InterruptedCall)
    assert stopped.value.result.simulated_s > 0
    assert "MPI_Allreduce" in str(stopped.value.result)
    assert told[1].simulated_s is not None
    assert "simulated" in told[1].text
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_among_replicas_raises_with_those_that_have_ended(tmp_path: Path) -> None:
    (tmp_path / "it.toml").write_text(WORKLOAD)
    (tmp_path / "noisy.toml").write_text(f"{PLAIN_HYBRID}[network]\nrate_noise = 0.1\n")

    def stop(advance: o.Advance) -> None:
        if advance.done == 2:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(o.InterruptedCall, match=r"the replay was interrupted, with \d+ replicas done") as stopped:
        o.replay(tmp_path / "it.toml", platform=tmp_path / "noisy.toml", replicas=5000, progress=stop)
    result = stopped.value.result
    assert 2 < len(result.recorded.replicas_s) < 5000
    assert result.completed  # the first one, whose times these are
    assert result.interval is not None


def test_an_exception_of_who_is_told_ends_the_run(sandbox: Sandbox, tmp_path: Path) -> None:
    def fail(_advance: o.Advance) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        o.run([sandbox.program("endless"), str(tmp_path / "mark")], ranks=2, quiet=True, progress=fail)


def test_in_a_notebook_a_line_says_how_far_the_work_is_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    """Told as ipykernel has it: a kernel at the shell, and a display that can be updated."""
    shown: list[str] = []

    class Display:
        def update(self, data: dict[str, str], *, raw: bool) -> None:
            assert raw
            shown.append(data["text/plain"])

    def display(data: dict[str, str], *, raw: bool, display_id: bool) -> Display:
        assert raw
        assert display_id
        shown.append(data["text/plain"])
        return Display()

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(display=display))
    o.collective("bcast", ranks=4, sizes=[8, 16])
    assert shown == ["", "simulated 1 of 2", "simulated 2 of 2", ""]


def test_an_interrupted_study_has_the_calls_that_were_simulated() -> None:
    def stop(advance: o.Advance) -> None:
        if advance.done == 2:
            raise KeyboardInterrupt

    with pytest.raises(o.InterruptedCall, match="1 of 3 calls") as stopped:
        o.collective("bcast", ranks=4, sizes=[8, 16, 32], progress=stop)
    assert [row["bytes"] for row in stopped.value.result.table] == [8]


def test_a_run_in_another_thread_works_and_has_its_time_limit(sandbox: Sandbox, tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1) as worker:
        program = sandbox.program("ring")
        assert worker.submit(lambda: o.run([program], ranks=2, quiet=True).completed).result()
        endless = [sandbox.program("endless"), str(tmp_path / "mark")]
        with pytest.raises(SimulationError, match="time limit"):
            worker.submit(lambda: o.run(endless, ranks=2, quiet=True, timeout_s=0.5)).result()


EVIDENCE = Path(__file__).parent.parent / "evidence" / "2026-11-22-openmpi"


def test_predictions_are_validated_against_measured_collectives() -> None:
    found = o.validate(
        EVIDENCE / "collectives.csv",
        platform=EVIDENCE / "platform.toml",
        selector="openmpi-4.1",
        models="hybrid",
        where={"op": "bcast", "nprocs": "4"},
        replicas=1,
        progress=False,
    )
    assert set(found.table[0]) >= {"collective", "measured_s", "predicted_s", "error"}
    assert {row["ranks"] for row in found.table} == {4}
    assert found.summary[0]["cases"] == len(found.table)
    assert "off by" in found._repr_html_()


@pytest.mark.slow
def test_a_cluster_is_calibrated_and_its_samples_are_fitted_again(tmp_path: Path) -> None:
    """The cluster is a simulated one."""
    told: list[o.Advance] = []
    found = o.calibrate(
        nodes=4,
        budget_s=20,
        mpirun=f"{ORRERY} run -n {{n}} --platform graphene --map node --compute none",
        mpicc=str(o.prefix() / "bin" / "mpicc"),
        output="mine.toml",
        progress=told.append,
    )
    assert found.grade in ("good", "usable", "poor")
    assert found.platform.name == "mine"
    assert found.page.exists()
    assert told[-1].done == told[-1].total
    again = o.calibrate(ingest=tmp_path / "mine.calibration", output="again.toml")
    assert again.record["samples"] == found.record["samples"]
    assert f"again.toml: {again.grade}" in again._repr_html_()


def test_a_calibration_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--nodes is missing"):
        o.calibrate(output=tmp_path / "a.toml")
    with pytest.raises(InputError, match="one rank exchanges no messages"):
        o.calibrate(nodes=1, output=tmp_path / "a.toml")
    with pytest.raises(InputError, match="budget_s"):
        o.calibrate(nodes=2, budget_s=0, output=tmp_path / "a.toml")
