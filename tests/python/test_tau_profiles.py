# SPDX-License-Identifier: BSD-3-Clause
"""Profiles of TAU, read and written, and tables and pictures of each node."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from harness import Sandbox
from needs import NEEDS
from orrery.errors import InputError
from orrery.record.document import Profile, Row
from orrery.record.sums import by_node, throttled
from orrery.record.tau import is_tau, read_tau
from orrery.record.tau_writing import write_tau
from page_files import parts_of
from skips import needs

# As TAU 2.33 writes them: a name may be followed by spaces, threads have files of their own, paths a group of their own.
RANK_0 = """\
4 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls # <metadata><attribute><name>Metric Name</name><value>TIME</value></attribute>\
<attribute><name>Hostname</name><value>a&amp;b</value></attribute></metadata>
".TAU application" 1 3 1000000 4000000 0 GROUP="TAU_DEFAULT"
"MPI_Send()  " 2 0 2.5E6 2.5E6 0 GROUP="MPI"
"MPI_Comm_rank()  [THROTTLED]" 100001 0 500000 500000 0 GROUP="TAU_DISABLE"
".TAU application  => MPI_Send()  " 2 0 2500000 2500000 0 GROUP="MPI | TAU_CALLPATH"
0 aggregates
0 userevents
"""
RANK_0_THREAD_1 = """\
1 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
"MPI_Send()  " 1 0 1000000 1000000 0 GROUP="MPI"
0 aggregates
"""
RANK_1 = RANK_0.replace("a&amp;b", "c").replace('"MPI_Send()  " 2 0 2.5E6', '"MPI_Send()  " 3 0 2.5E6')


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "profiles"
    made.mkdir()
    (made / "profile.0.0.0").write_text(RANK_0)
    (made / "profile.0.0.1").write_text(RANK_0_THREAD_1)
    (made / "profile.1.0.0").write_text(RANK_1)
    return made


def row(rank: int, name: str, seconds: float, calls: int = 1, subrs: int = 0) -> Row:
    return Row(rank, None, name, 0.0, seconds, seconds, calls, subrs, 0, 0)


def test_ranks_threads_and_metadata_are_read(folder: Path) -> None:
    assert is_tau(folder)
    assert is_tau(folder / "profile.1.0.0")
    found = read_tau(folder)
    assert found.hosts == ["a&b", "c"]
    rows = {(row.rank, row.name): row for row in found.profile.per_rank}
    assert rows[0, "MPI_Send()"].calls == 3  # two of thread 0, one of thread 1
    assert rows[0, "MPI_Send()"].inclusive_s == pytest.approx(3.5)
    assert rows[1, "MPI_Comm_rank() [THROTTLED]"].calls == 100_001
    application = found.profile.summed[0]
    assert (application.name, application.calls, application.subrs, application.percent_time) == (
        ".application", 2, 6, 100)  # fmt: skip
    assert application.exclusive_s == pytest.approx(2.0)
    assert [(path.name, path.calls) for path in found.paths] == [(".application => MPI_Send()", 4)]


def test_one_file_and_a_folder_of_several_metrics_are_read(folder: Path) -> None:
    assert len({row.rank for row in read_tau(folder / "profile.1.0.0").profile.per_rank}) == 1
    several = folder.parent / "several"
    several.mkdir()
    (several / "MULTI__PAPI_TOT_INS").mkdir()
    folder.rename(several / "MULTI__TIME")
    assert is_tau(several)
    assert read_tau(several).profile.summed[0].calls == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", ":1: is no profile of TAU"),
        ("2 templated_functions\n# Name\n", "has 0 of the 2 routines"),
        ('1 templated_functions\n#\n"a" 1 2\n', ":3: is no line of a routine"),
        ('1 templated_functions_MULTI_PAPI_TOT_INS\n#\n"a" 1 0 1 1 0 GROUP="x"\n', "not of time"),
    ],
)
def test_a_damaged_profile_is_refused_with_its_line(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "profile.0.0.0"
    file.write_text(text)
    with pytest.raises(InputError, match=r"profile\.0\.0\.0") as refused:
        read_tau(tmp_path)
    assert said in str(refused.value)


def test_what_is_written_reads_as_it_was(folder: Path, tmp_path: Path) -> None:
    before = read_tau(folder).profile
    out = tmp_path / "out"
    out.mkdir()
    write_tau(before.per_rank, out, {0: {"Hostname": "x<y"}, 1: {"Hostname": "z"}})
    after = read_tau(out)
    assert after.hosts == ["x<y", "z"]
    assert [(r.rank, r.name, r.calls, r.subrs) for r in after.profile.per_rank] == [
        (r.rank, r.name, r.calls, r.subrs) for r in before.per_rank
    ]
    assert [r.exclusive_s for r in after.profile.per_rank] == pytest.approx([r.exclusive_s for r in before.per_rank])
    first = (out / "profile.0.0.0").read_text().splitlines()
    assert first[0] == "5 templated_functions_MULTI_TIME"
    assert '"MPI_Comm_rank() [THROTTLED]" 100001 0 500000 500000 0 GROUP="TAU_DISABLE"' in first


def test_routines_are_throttled_as_tau_does() -> None:
    """More than 100,000 calls of under 10 us; the rest of their time is the application's."""
    quick, slow, few = 4e-6 * 400_000, 11e-6 * 200_000, 1e-6 * 100_000
    rows = [
        row(0, ".application", 1.0, subrs=700_000),
        row(0, "MPI_Iprobe()", quick, 400_000),
        row(0, "MPI_Test()", slow, 200_000),
        row(0, "MPI_Comm_rank()", few, 100_000),
    ]
    found = {row.name: row for row in throttled(Profile(summed=[], per_rank=rows)).summed}
    assert set(found) == {".application", "MPI_Iprobe() [THROTTLED]", "MPI_Test()", "MPI_Comm_rank()"}
    marked = found["MPI_Iprobe() [THROTTLED]"]
    assert marked.calls == 100_001
    assert marked.inclusive_s == pytest.approx(100_001 * 4e-6)
    assert found[".application"].exclusive_s == pytest.approx(1.0 + quick - 100_001 * 4e-6)
    assert found[".application"].subrs == 700_000 - 299_999


def test_a_node_is_the_sum_of_its_ranks() -> None:
    rows = [row(rank, name, 1.0 + rank) for rank in range(4) for name in (".application", "MPI_Send()")]
    nodes = by_node(Profile(summed=[], per_rank=rows), ["a", "b", "a", "b"])
    assert list(nodes) == ["a", "b"]
    assert {row.name: row.exclusive_s for row in nodes["b"]} == {".application": 6.0, "MPI_Send()": 6.0}
    assert list(by_node(Profile(summed=[], per_rank=rows), [])) == ["rank 0", "rank 1", "rank 2", "rank 3"]
    with pytest.raises(InputError, match="only sums over ranks"):
        by_node(Profile(summed=rows, per_rank=[]), [])


def test_the_command_writes_shows_and_draws_them(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "hello", options=("--map", "node"))
    assert ended.code == 0, ended.err
    assert sandbox.orrery("profile", "run.json", "-o", "it.tau").code == 0
    assert sandbox.orrery("profile", "-o", "it.tau").code == 0  # its own, replaced
    assert sorted(file.name for file in (sandbox.folder / "it.tau").iterdir()) == [
        f"profile.{rank}.0.0" for rank in range(4)
    ]
    shown = json.loads(sandbox.orrery("profile", "it.tau", "--json").out)
    kept = {(r["name"], r["calls"], r["subrs"]) for r in ended.record["profile"]["summed"] if r["phase"] is None}
    assert {(r["name"], r["calls"], r["subrs"]) for r in shown} == kept
    nodes = json.loads(sandbox.orrery("profile", "it.tau", "--per-node", "--json").out)
    assert list(nodes) == ended.record["host_of_rank"]
    assert len(nodes) == 4
    for source in ("it.tau", "run.json"):
        drawn = sandbox.orrery("profile", source, "-o", f"{source}.html", "--report", f"{source}.page.html")
        assert drawn.code == 0, drawn.err
        assert "outside of MPI" in (sandbox.folder / f"{source}.html").read_text()
        bars = parts_of(sandbox.folder / f"{source}.page.html")["Time by node and routine"]
        assert bars["labels"] == ended.record["host_of_rank"]
        times = {series["name"]: sum(series["values"]) for series in bars["series"]}
        assert times["outside of MPI"] == pytest.approx(
            ended.record["profile"]["summed"][0]["exclusive_s"],
            abs=4e-6,  # TAU's are whole microseconds of each rank
        )


def test_the_command_throttles_what_it_reads(sandbox: Sandbox) -> None:
    place = sandbox.folder / "profiles"
    place.mkdir()
    quick = RANK_0.replace('"MPI_Comm_rank()  [THROTTLED]" 100001', '"MPI_Comm_rank()" 500005')
    (place / "profile.0.0.0").write_text(quick)
    text = sandbox.orrery("profile", "profiles").out
    assert "[THROTTLED]" not in text
    assert "paths of calls" not in text  # the only one says what the routine's own row says
    deeper = quick.replace("application  => MPI_Send", "application  => solve()  => MPI_Send")
    (place / "profile.0.0.0").write_text(deeper)
    assert ".application => solve() => MPI_Send()" in sandbox.orrery("profile", "profiles").out
    shown = json.loads(sandbox.orrery("profile", "profiles", "--throttle", "--json").out)
    marked = next(row for row in shown if row["name"] == "MPI_Comm_rank() [THROTTLED]")
    assert marked["calls"] == 100_001
    assert marked["exclusive_s"] == pytest.approx(0.5 * 100_001 / 500_005)


def test_a_folder_without_profiles_is_refused(sandbox: Sandbox) -> None:
    (sandbox.folder / "empty").mkdir()
    refused = sandbox.orrery("profile", "empty")
    assert (refused.code, refused.err) == (2, "orrery: error: empty: there is no profile.0.0.0 of TAU in it\n")


def test_a_folder_of_somebody_else_s_is_not_replaced(sandbox: Sandbox) -> None:
    assert sandbox.run(2, "hello").code == 0
    place = sandbox.folder / "it.tau"
    place.mkdir()
    (place / "profile.0.0.0").write_text(RANK_0)
    refused = sandbox.orrery("profile", "run.json", "-o", "it.tau")
    assert refused.code == 2
    assert "it.tau: is a folder with what Orrery did not write, such as profile.0.0.0" in refused.err
    assert (place / "profile.0.0.0").read_text() == RANK_0


@needs("hatchet")
def test_hatchet_reads_them(sandbox: Sandbox) -> None:
    ended = sandbox.run(4, "hello")
    assert sandbox.orrery("profile", "-o", "it.tau").code == 0
    script = (
        "import hatchet, sys\n"
        "frame = hatchet.GraphFrame.from_tau(sys.argv[1]).dataframe\n"
        "print(frame[['name', 'Calls']].to_json(orient='values'))"
    )
    python = NEEDS["hatchet"].environment / "bin" / "python"
    read = subprocess.run(
        [python, "-c", script, "it.tau"], cwd=sandbox.folder, capture_output=True, text=True, check=True
    )
    of_mpi = [(name, calls) for name, calls in json.loads(read.stdout) if name.startswith("MPI_")]
    rows = [r for r in ended.record["profile"]["per_rank"] if r["phase"] is None and r["name"] != ".application"]
    assert {name for name, _ in of_mpi} == {r["name"] for r in rows}
    assert sum(calls for _, calls in of_mpi) == sum(r["calls"] for r in rows)


# --- without a row of the application ---------------------------------------------------------------------------------

_WITHOUT_APPLICATION = """\
5 templated_functions_MULTI_TIME
# Name Calls Subrs Excl Incl ProfileCalls #
"int main(int, char **) C [{{a.c}} {{1,1}}-{{9,1}}]" 1 3 {main} {whole} 0 GROUP="TAU_DEFAULT"
"MPI_Init()" 1 0 100000 100000 0 GROUP="MPI"
"MPI_Comm_rank() [THROTTLED]" 100001 0 50000 50000 0 GROUP="TAU_DISABLE"
"MPI_Driver()" 1 1 30000 230000 0 GROUP="TAU_USER"
"MPI_Barrier()" 1 0 200000 200000 0 GROUP="MPI"
0 aggregates
"""


def _without_application(folder: Path, main_us: int) -> Path:
    """A profile of two ranks: main has called all others, MPI_Driver is a routine of the program."""
    folder.mkdir()
    for rank in range(2):
        text = _WITHOUT_APPLICATION.format(main=main_us, whole=main_us + 380_000)
        (folder / f"profile.{rank}.0.0").write_text(text)
    return folder


def test_the_time_of_a_rank_is_that_of_the_routine_that_has_called_all_others(tmp_path: Path) -> None:
    found = read_tau(_without_application(tmp_path / "a", 620_000))
    assert found.total_s == {0: pytest.approx(1.0), 1: pytest.approx(1.0)}
    # TAU's groups say what is MPI: not MPI_Driver, which only has its name; and what it measures no more goes by its name.
    assert found.in_mpi == {"MPI_Init()", "MPI_Barrier()", "MPI_Comm_rank() [THROTTLED]"}


def test_threads_of_a_rank_run_beside_each_other(tmp_path: Path) -> None:
    folder = _without_application(tmp_path / "a", 620_000)
    thread = '1 templated_functions_MULTI_TIME\n#\n"worker" 1 0 900000 900000 0 GROUP="TAU_USER"\n0 aggregates\n'
    (folder / "profile.0.0.1").write_text(thread)
    assert read_tau(folder).total_s[0] == pytest.approx(1.0)


def test_profiles_without_a_row_of_the_application_are_compared_by_their_times(sandbox: Sandbox) -> None:
    _without_application(sandbox.folder / "a", 620_000)
    _without_application(sandbox.folder / "b", 1_620_000)
    found = json.loads(sandbox.orrery("compare", "a", "b", "--json").out)
    assert (found["first_s"], found["second_s"]) == (pytest.approx(1.0), pytest.approx(2.0))
    ranks = {line["names"][0]: (line["first_s"], line["second_s"]) for line in found["per_rank"]}
    assert ranks == {rank: (pytest.approx(0.35), pytest.approx(0.35)) for rank in ("0", "1")}  # of MPI's group
    text = sandbox.orrery("compare", "a", "b").out
    assert "takes 2 times as long" in text
    assert "100% of the difference is in int main" in text


def test_ranks_without_a_profile_are_said(sandbox: Sandbox) -> None:
    _without_application(sandbox.folder / "a", 620_000)
    (_without_application(sandbox.folder / "b", 620_000) / "profile.0.0.0").unlink()
    assert "b: 1 ranks have no profile, rank 0 among them" in sandbox.orrery("compare", "a", "b").out


def test_a_number_that_is_no_time_is_refused(tmp_path: Path) -> None:
    text = '1 templated_functions_MULTI_TIME\n#\n"main" 1e999 0 1 1 0 GROUP="TAU_DEFAULT"\n'
    (tmp_path / "profile.0.0.0").write_text(text)
    with pytest.raises(InputError, match=r"profile\.0\.0\.0:3: a number is too large"):
        read_tau(tmp_path)
