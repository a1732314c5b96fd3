# SPDX-License-Identifier: BSD-3-Clause
"""Files of settings say what the rules say, to Orrery's readers and to the real libraries, and a rule that does not act is found."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import real_mpis
from harness import Sandbox
from needs import NEEDS
from orrery import _core
from orrery.benchmark.cases import LoopCase
from orrery.benchmark.real import RealLibrary
from orrery.errors import InputError, OrreryError
from orrery.real_mpi.launcher import LaunchError
from orrery.real_mpi.starter import release_of
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune import files, readback
from orrery.tune import seen as seen_module
from orrery.tune.commuting import cautions
from orrery.tune.compress import compress
from orrery.tune.formats.mpich_json import Tree, algorithms_of, below_messages, compositions_of
from orrery.tune.library import LIBRARIES, AlgorithmVariant, Library, library
from orrery.tune.rules import RuleRow, RulesOrigin, SizeBand, TunedRules
from orrery.tune.search import CellTimes
from orrery.tune.seen import see
from skips import is_here

MADE = RulesOrigin(
    orrery="0.2.0",
    platform="graphene, 0123",
    mapping="node by node",
    gains=("expected: twice as fast",),
    limits=("typical",),
)
KINDS = ("barrier", "bcast", "reduce", "allreduce", "gather", "scatter", "allgather", "alltoall")


def variants(of: Library, kind: str, ranks: int) -> list[AlgorithmVariant]:
    """All algorithms that settings can name, at a size at which all may be cut."""
    call = LoopCase(kind, ranks, 0 if kind == "barrier" else 65536).call.core(0)
    return of.variants(call, kind, 65536, (1024, 8192))


def named(of: Library, kind: str, ours: str, ranks: int = 4) -> AlgorithmVariant:
    return next(variant for variant in variants(of, kind, ranks) if variant.ours == ours)


def bands(*cuts: tuple[int, AlgorithmVariant | None]) -> tuple[SizeBand, ...]:
    """From the last size of each, and its algorithm."""
    starts = [0, *(last + 1 for last, _ in cuts)]
    return tuple(SizeBand(bytes_from=a, bytes_to=b, variant=c) for a, (b, c) in zip(starts, cuts, strict=False))


def tuned(of: Library, *rows: RuleRow) -> TunedRules:
    return TunedRules(library=of, rows=rows, made=MADE)


def row(
    kind: str, ranks: tuple[int, int], *cuts: tuple[int, AlgorithmVariant | None], counts: tuple[int, ...] = ()
) -> RuleRow:
    return RuleRow(kind=kind, ranks_from=ranks[0], ranks_to=ranks[1], counts=counts or ranks[:1], bands=bands(*cuts))


@st.composite
def drawn_rows(draw: st.DrawFn, of: Library) -> list[RuleRow]:
    """Rules for some collectives, on some numbers of ranks, with gaps between them or without."""
    found = []
    for kind in draw(st.lists(st.sampled_from([kind for kind in KINDS if kind in of.kinds]), min_size=1, unique=True)):
        ranks = sorted(draw(st.sets(st.integers(3, 40), min_size=1, max_size=3)))
        for first, after in zip(ranks, [*ranks[1:], None], strict=True):
            ends = [first, *([after - 1] if after else [MOST_RANKS])]
            found.append(
                RuleRow(
                    kind=kind,
                    ranks_from=first,
                    ranks_to=draw(st.sampled_from(ends)),
                    counts=(first,),
                    bands=draw(drawn_bands(of, kind, first)),
                )
            )
    return found


@st.composite
def drawn_bands(draw: st.DrawFn, of: Library, kind: str, ranks: int) -> tuple[SizeBand, ...]:
    choices = st.sampled_from([None, *variants(of, kind, ranks)])
    if kind == "barrier":
        return bands((MOST_BYTES, draw(choices)))
    limits = sorted(draw(st.sets(st.integers(0, 1 << 22), max_size=4)))
    return bands(*((last, draw(choices)) for last in [*limits, MOST_BYTES]))


@pytest.mark.parametrize("name", LIBRARIES)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_files_say_what_the_rules_say_at_all_limits(name: str, data: st.DataObject) -> None:
    of = library(name)
    wanted = tuned(of, *data.draw(drawn_rows(of)))
    readback.check(wanted, files.files_of(wanted, Path("tuned")))


def test_files_that_say_something_else_are_not_written() -> None:
    of = library("openmpi-4.1")
    chosen = named(of, "bcast", "linear")
    wanted = tuned(of, row("bcast", (4, 7), (99, chosen), (MOST_BYTES, None)))
    texts = files.files_of(wanted, Path("tuned"))
    texts[files.RULES] = texts[files.RULES].replace("100 0 0 0", "120 0 0 0")
    with pytest.raises(OrreryError, match=r"openmpi-rules\.conf: says linear for bcast, 4 ranks, 100 bytes"):
        readback.check(wanted, texts)


def test_every_file_says_what_made_it_and_what_is_expected(tmp_path: Path) -> None:
    for name in LIBRARIES:
        of = library(name)
        wanted = tuned(of, row("bcast", (4, 7), (99, variants(of, "bcast", 4)[-1]), (MOST_BYTES, None)))
        folder = tmp_path / name
        written = files.write(wanted, folder, {}, overwrite=False)
        about = json.loads((folder / files.ABOUT).read_text())
        assert about["written_by"] == "Orrery 0.2.0: orrery tune"
        assert (about["library"], about["gains"]) == (name, ["expected: twice as fast"])
        assert about["cautions"][-1] == "typical"
        assert "limits" not in about
        for path in written:
            if path.suffix != ".json":
                text = path.read_text()
                assert text.startswith("# Written by Orrery"), path
                assert "# platform graphene, 0123; ranks node by node\n# expected: twice as fast\n" in text, path
                assert "# caution: typical\n" in text, path
            assert path.stat().st_size % 4096 != 0  # MPICH would read beyond the end
        files.write(wanted, folder, {}, overwrite=False)  # its own folder is replaced


def test_what_orrery_did_not_write_is_not_replaced(tmp_path: Path) -> None:
    of = library("openmpi-4.1")
    wanted = tuned(of, row("bcast", (4, 7), (MOST_BYTES, variants(of, "bcast", 4)[-1])))
    mine = tmp_path / files.PARAMETERS
    mine.write_text("btl = tcp\n")
    with pytest.raises(InputError, match=r"is a folder with what Orrery did not write, such as mca-params\.conf"):
        files.write(wanted, tmp_path, {}, overwrite=False)
    with pytest.raises(InputError, match=r"such as mca-params\.conf"):
        files.check_place(tmp_path, overwrite=False)
    assert mine.read_text() == "btl = tcp\n"
    other = tmp_path / "notes"
    other.write_text("mine")
    files.write(wanted, tmp_path, {}, overwrite=True)
    assert "coll_tuned_use_dynamic_rules = 1" in mine.read_text()
    assert other.read_text() == "mine"


def test_open_mpi_rules_that_hurt_operations_that_do_not_commute_are_told() -> None:
    of = library("openmpi-5.0")
    ring = tuned(of, row("allreduce", (4, 7), (MOST_BYTES, named(of, "allreduce", "ring"))))
    (said,) = cautions(ring)
    assert said.startswith("allreduce by ring: right for operations that commute")
    assert f"# caution: {said}\n" in files.files_of(ring, Path("tuned"))[files.RULES]
    doubling = tuned(of, row("allreduce", (4, 7), (MOST_BYTES, named(of, "allreduce", "recursive_doubling"))))
    assert list(cautions(doubling)) == []


def test_han_leaves_what_has_a_rule_to_tuned_and_keeps_the_rest() -> None:
    of = library("openmpi-5.0")
    chosen = named(of, "bcast", "linear")
    rows = (
        row("alltoall", (4, 7), (MOST_BYTES, named(of, "alltoall", "pairwise"))),
        row("bcast", (4, 7), (99, None), (4095, chosen), (MOST_BYTES, None)),
    )
    text = files.files_of(tuned(of, *rows), Path("tuned"))[files.HAN]
    numbers = [line.partition("#")[0].strip() for line in text.splitlines() if not line.startswith("#")]
    # One collective (han has no alltoall): bcast on level 2; sizes of communicators from 1, 4 and 8 on.
    assert numbers == [
        "1",
        "7",
        "1",
        "2",
        "3",
        "1",
        "1",
        "0 han",
        "4",
        "3",
        "0 han",
        "100 tuned",
        "4096 han",
        "8",
        "1",
        "0 han",
    ]
    assert files.HAN not in files.files_of(tuned(of, rows[0]), Path("tuned"))
    assert files.HAN not in files.files_of(tuned(library("openmpi-4.1"), *rows), Path("tuned"))


def test_mpich_tells_ranks_of_a_power_of_two_from_others_where_an_algorithm_needs_it() -> None:
    of = library("mpich-4.0")
    wanted = tuned(of, row("allgather", (8, 15), (MOST_BYTES, named(of, "allgather", "recursive_doubling", 8))))
    selector = _core.Selector(
        of.name, "", [], _core.MpichRules(files.files_of(wanted, Path("tuned"))[files.ALGORITHMS])
    )
    chosen = {
        ranks: selector.choose(LoopCase("allgather", ranks, 1 << 20).call.core(0)).name for ranks in (7, 8, 9, 16)
    }
    assert chosen == {7: "ring", 8: "recursive_doubling", 9: "ring", 16: "ring"}


def test_mpich_leaves_operations_of_programs_alone() -> None:
    of = library("mpich-5.0")
    wanted = tuned(of, row("allreduce", (4, 7), (MOST_BYTES, named(of, "allreduce", "kary_tree:fanout=3"))))
    selector = _core.Selector(
        of.name, "", [], _core.MpichRules(files.files_of(wanted, Path("tuned"))[files.ALGORITHMS])
    )

    def chosen(*, built_in: bool = True, commutative: bool = True) -> str:
        call = _core.CollectiveCall(
            "allreduce", size=4, bytes=4096, element=4, built_in=built_in, commutative=commutative
        )
        return selector.choose(call).name

    assert chosen() == "kary_tree:fanout=3"
    assert chosen(built_in=False) == chosen(built_in=False, commutative=False) == "recursive_doubling"


def test_below_a_condition_on_messages_mpich_reads_sizes_of_communicators_otherwise() -> None:
    own: Tree = {"comm_size<8": {"a": {}}, "avg_msg_size<=9": {"comm_size<8": {"b": {}}}, "comm_size=any": {"c": {}}}
    assert below_messages(own) == {
        "comm_size<=7": {"a": {}},
        "avg_msg_size<=9": {"comm_size<8": {"b": {}}},
        "comm_size=any": {"c": {}},
    }


def test_sizes_that_mpich_cannot_read_are_left_to_it() -> None:
    of = library("mpich-4.0")
    chosen = named(of, "allgather", "ring", 1024)
    rows = row(
        "allgather", (1024, 1024), (1 << 20, chosen), (1 << 21, named(of, "allgather", "bruck")), (MOST_BYTES, None)
    )
    text = files.files_of(tuned(of, rows), Path("tuned"))[files.ALGORITHMS]
    limits = [int(number) for number in re.findall(r"msg_size<=?(\d+)", text)]
    assert max(limits) < 2**31
    assert (1 << 20) * 1024 + 1023 in limits


def trees(mpich: Path) -> Iterator[Tree]:
    """Those that are built into a library."""
    for line in subprocess.run(
        ["strings", "-n", "20", mpich], capture_output=True, text=True, check=True
    ).stdout.splitlines():
        if line.startswith('{"collective='):
            yield json.loads(line)


def of_mpich() -> Iterator[tuple[str, Path]]:
    """Libraries of MPICH that are here, by the names of their selectors."""
    for folder in (real_mpis.INSTALLED / "mpich" / "lib", Path("/usr/lib/x86_64-linux-gnu")):
        for name, file in (("mpich-5.0", "libmpi.so.12"), ("mpich-4.0", "libmpich.so.12")):
            if (folder / file).exists():
                yield name, folder / file


@pytest.mark.parametrize(("name", "file"), list(of_mpich()))
def test_what_files_say_of_other_collectives_is_what_is_built_in(name: str, file: Path) -> None:
    built_in = list(trees(file))
    assert algorithms_of(library(name)) in built_in
    assert compositions_of(library(name)) in built_in


# Real libraries


@dataclass(frozen=True)
class Installed:
    """A real library that is here."""

    name: str
    """Name of its selector."""
    mpirun: str
    mpicc: str
    on_nodes: str
    """Options of its launcher for three nodes, of two ranks each."""

    @property
    def library(self) -> Library:
        return library(self.name)

    @property
    def real(self) -> RealLibrary:
        """Ranks on one node."""
        more = "--oversubscribe " if self.library.family == "openmpi" else ""
        return RealLibrary(mpirun=f"{self.mpirun} {more}-np {{n}}", mpicc=self.mpicc)

    def on(self, folder: Path) -> RealLibrary:
        """Ranks on nodes: names of this host, which a stand-in for ssh gives to who asks there."""
        (folder / "hosts").write_text("node-a slots=2\nnode-b slots=2\nnode-c slots=2\n")
        agent = folder / "agent"
        agent.write_text(AGENT)
        agent.chmod(0o755)
        options = self.on_nodes.format(agent=agent, hosts=folder / "hosts")
        return RealLibrary(mpirun=f"{self.mpirun} {options} -np {{n}}", mpicc=self.mpicc)


AGENT = """#!/bin/sh
while [ "${1#-}" != "$1" ]; do shift; done
host=$1; shift
exec unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' "$host" "$*"
"""
HYDRA = "-bootstrap ssh -bootstrap-exec {agent} -iface lo -hosts node-a:2,node-b:2,node-c:2"
PRRTE = "--hostfile {hosts} --prtemca plm_ssh_agent {agent} --mca btl tcp,self --map-by ppr:2:node"


def all_installed() -> dict[str, Installed]:
    """Real libraries that can be tuned, by name."""
    found = {}
    for family, on_nodes in (("openmpi", PRRTE), ("mpich", HYDRA)):
        folder = real_mpis.INSTALLED / family / "bin"
        for mpirun, mpicc in (
            (str(folder / "mpirun"), str(folder / "mpicc")),
            (f"mpirun.{family}", f"mpicc.{family}"),
        ):
            said, release = release_of([mpirun])
            name = f"{said}-{'.'.join(release.split('.')[:2])}"
            if name in LIBRARIES and shutil.which(mpicc):
                found[name] = Installed(name, mpirun, mpicc, on_nodes)
    return found


INSTALLED = all_installed()


def _why_not_here(name: str) -> str:
    need = name.partition("-")[0]
    return f"no package of this system is {name}" if is_here(need) else NEEDS[need].reason


HERE = [
    pytest.param(name, marks=pytest.mark.skipif(name not in INSTALLED, reason=_why_not_here(name)))
    for name in LIBRARIES
]
ON_NODES = pytest.mark.skipif(
    subprocess.run(["unshare", "--uts", "true"], check=False, capture_output=True).returncode != 0,
    reason="names of this host cannot be changed",
)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: Sandbox) -> Path:
    """A folder in which jobs may run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(sandbox.built / "cache"))
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT", "1")
    monkeypatch.setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
    return tmp_path


def rules_for(name: str) -> TunedRules:
    """Rules whose algorithms send other messages than the library's own choice, with gaps between them."""
    of = library(name)

    def algorithm(kind: str, ours: str) -> AlgorithmVariant:
        return named(of, kind, ours)

    rows = [row("allgather", (4, 7), (99, None), (1000, algorithm("allgather", "ring")), (MOST_BYTES, None))]
    if of.family == "openmpi":
        rows += [
            row("allreduce", (4, 7), (399, None), (99_999, algorithm("allreduce", "ring")), (MOST_BYTES, None)),
            row("alltoall", (4, 7), (4095, algorithm("alltoall", "bruck")), (MOST_BYTES, None)),
            row("barrier", (4, 7), (MOST_BYTES, algorithm("barrier", "double_ring"))),
            row(
                "bcast",
                (3, 3),
                (7, None),
                (4999, named(of, "bcast", "chain:segment=1KiB:fanout=2", 3)),
                (MOST_BYTES, None),
            ),
            row("bcast", (4, 7), (4095, algorithm("bcast", "linear")), (MOST_BYTES, None)),
            row("gather", (4, 7), (99, None), (4095, algorithm("gather", "binomial")), (MOST_BYTES, None)),
            row("scatter", (4, 7), (99, None), (4095, algorithm("scatter", "binomial")), (MOST_BYTES, None)),
        ]
    else:
        rows += [
            row(
                "allreduce",
                (4, 7),
                (399, None),
                (99_999, algorithm("allreduce", "recursive_doubling")),
                (MOST_BYTES, None),
            ),
            row("alltoall", (4, 7), (4095, algorithm("alltoall", "pairwise_xor")), (MOST_BYTES, None)),
            row("bcast", (4, 7), (4095, algorithm("bcast", "scatter_ring_allgather")), (MOST_BYTES, None)),
            row("bcast", (8, 8), (4095, algorithm("bcast", "scatter_ring_allgather")), (MOST_BYTES, None)),
            row("reduce", (4, 7), (99, None), (2047, algorithm("reduce", "reduce_scatter_gather")), (MOST_BYTES, None)),
        ]
    if name == "mpich-5.0":
        cut = algorithm("bcast", "contiguous_knomial_tree:segment=1KiB:fanout=4")
        rows[3] = row(
            "bcast", (4, 7), (999, algorithm("bcast", "kary_tree:fanout=3")), (99_999, cut), (MOST_BYTES, None)
        )
        rows.append(row("barrier", (4, 7), (MOST_BYTES, algorithm("barrier", "k_dissemination:fanout=4"))))
    return tuned(of, *rows)


def written(wanted: TunedRules, folder: Path) -> Path:
    files.write(wanted, folder, {}, overwrite=False)
    return folder


@pytest.mark.parametrize("name", HERE)
def test_rules_act_on_the_real_library(name: str, place: Path) -> None:
    wanted = rules_for(name)
    seen = see(wanted, written(wanted, place / "tuned"), INSTALLED[name].real, print)
    assert seen.telling >= sum(1 for row in wanted.rows for band in row.bands if band.variant is not None)
    assert seen.too_large == []


@ON_NODES
@pytest.mark.parametrize("name", HERE[1:])
def test_rules_act_where_nodes_have_several_ranks(name: str, place: Path) -> None:
    wanted = rules_for(name)
    seen = see(wanted, written(wanted, place / "tuned"), INSTALLED[name].on(place), print)
    assert seen.telling > len(wanted.rows)


@pytest.mark.parametrize("name", HERE)
def test_other_collectives_and_sizes_keep_what_the_library_has(name: str, place: Path) -> None:
    of = library(name)
    (rule,) = [row for row in rules_for(name).rows if row.kind == "bcast" and row.ranks_from == 4]
    folder = written(tuned(of, rule), place / "tuned")
    others = [kind for kind in KINDS if kind != "bcast"]
    rows = [row(kind, (ranks, ranks), (1023, None), (MOST_BYTES, None)) for ranks in (3, 4, 8) for kind in others]
    rows += [row("bcast", (ranks, ranks), (1023, None), (65_535, None), (MOST_BYTES, None)) for ranks in (3, 8)]
    assert see(tuned(of, *rows), folder, INSTALLED[name].real, print).calls >= len(rows)


def test_a_number_of_another_algorithm_is_seen(place: Path) -> None:
    for name in {"openmpi-4.1", "openmpi-5.0"} & INSTALLED.keys():
        of = library(name)
        wanted = tuned(of, row("bcast", (4, 7), (4095, named(of, "bcast", "linear")), (MOST_BYTES, None)))
        folder = written(wanted, place / name)
        rules = folder / files.RULES
        rules.write_text(rules.read_text().replace("0 1 0 0\n", "0 3 0 0\n"))
        said = r"openmpi-rules\.conf: bcast, 4 ranks, 1 bytes: the rule says linear; seen instead: pipeline"
        with pytest.raises(OrreryError, match=said):
            see(wanted, folder, INSTALLED[name].real, print)


def test_an_any_before_other_sizes_ends_mpich(place: Path) -> None:
    for name in {"mpich-4.0", "mpich-5.0"} & INSTALLED.keys():
        of = library(name)
        ring = named(of, "bcast", "scatter_ring_allgather")
        wanted = tuned(of, row("bcast", (4, 7), (4095, ring), (MOST_BYTES, None)))
        folder = written(wanted, place / name)
        rules = folder / files.ALGORITHMS
        tree = json.loads(rules.read_text())
        within = tree["collective=bcast"]["comm_type=intra"]
        within["comm_size<=7"] = dict(reversed(within["comm_size<=7"].items()))
        rules.write_text(json.dumps(tree))
        last_words = "unexpected non-NULL failure path for coll|Abort"  # which of them come last differs
        with pytest.raises(LaunchError, match=last_words):
            see(wanted, folder, INSTALLED[name].real, print)


def test_an_algorithm_of_another_size_is_seen(place: Path) -> None:
    for name in {"mpich-4.0", "mpich-5.0"} & INSTALLED.keys():
        of = library(name)
        ring = named(of, "bcast", "scatter_ring_allgather")
        wanted = tuned(of, row("bcast", (4, 7), (4095, ring), (MOST_BYTES, None)))
        folder = written(wanted, place / name)
        rules = folder / files.ALGORITHMS
        rules.write_text(rules.read_text().replace('"avg_msg_size<=4095"', '"avg_msg_size<=4000"'))
        said = (
            "bcast, 4 ranks, 4095 bytes: the rule says scatter_ring_allgather; seen instead: the library's own choice"
        )
        with pytest.raises(OrreryError, match=said):
            see(wanted, folder, INSTALLED[name].real, print)


@pytest.mark.parametrize("name", HERE)
def test_variables_of_the_users_that_come_before_the_files_are_seen(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    of = library(name)
    (rule,) = [row for row in rules_for(name).rows if row.kind == "bcast" and row.ranks_from == 4]
    wanted = tuned(of, rule)
    folder = written(wanted, place / "tuned")
    monkeypatch.setenv("OMPI_MCA_coll_tuned_bcast_algorithm", "3")
    monkeypatch.setenv("MPIR_CVAR_BCAST_INTRA_ALGORITHM", "scatter_recursive_doubling_allgather")
    # Open MPI 4.1 obeys its variable only where its file leaves a call to it; the others obey theirs everywhere.
    with pytest.raises(OrreryError, match=r"seen instead: (?:pipeline|scatter_recursive_doubling_allgather)"):
        see(wanted, folder, INSTALLED[name].real, print)


@pytest.mark.parametrize("name", HERE[2:])
@pytest.mark.parametrize(
    ("collective", "within"),
    [
        # "unexpected NULL failure path for coll 7"
        ("bcast", {"avg_msg_size<=100": {"algorithm=MPIR_Bcast_intra_binomial": {}}}),
        # "avg_msg_size not defined for coll_type 0"
        ("allgather", {"avg_msg_size<=9": {}, "avg_msg_size=any": {"algorithm=MPIR_Allgather_intra_ring": {}}}),
    ],
)
def test_what_mpich_cannot_use_ends_it(name: str, collective: str, within: Tree, place: Path) -> None:
    wanted = tuned(library(name), row("allgather", (4, 4), (99, None), (MOST_BYTES, None)))
    folder = written(wanted, place / "tuned")
    rules = folder / files.ALGORITHMS
    tree = json.loads(rules.read_text())
    tree[f"collective={collective}"]["comm_type=intra"] = within
    rules.write_text(json.dumps(tree))
    with pytest.raises(LaunchError):
        see(wanted, folder, INSTALLED[name].real, print)


def test_rules_for_two_ranks_end_with_them() -> None:
    """Open MPI's algorithms for two ranks are errors on three."""
    cells = [
        CellTimes(
            case=LoopCase("allgather", ranks, 1024),
            default="bruck",
            times={"bruck": 2.0, "two_proc": 1.0},
            variants=there,
        )
        for ranks, there in ((2, {"two_proc": named(library("openmpi-4.1"), "allgather", "two_proc", 2)}), (4, {}))
    ]
    (only,) = compress(cells, lambda cell, variant: cell.times["bruck" if variant is None else variant.ours])
    assert (only.ranks_from, only.ranks_to) == (2, 2)


@pytest.mark.parametrize("name", HERE[:2])
def test_open_mpi_finds_the_files_by_its_parameters_at_home(
    name: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = rules_for(name)
    folder = written(wanted, place / "tuned")
    (place / ".openmpi").mkdir()
    (place / ".openmpi" / "mca-params.conf").write_text((folder / files.PARAMETERS).read_text())
    monkeypatch.setenv("HOME", str(place))
    monkeypatch.setattr(seen_module, "environment", lambda *_: {})
    see(wanted, folder, INSTALLED[name].real, print)


def without_nodes(folder: Path) -> None:
    """Make files say of nodes what the library says without rules."""
    if (rules := folder / files.HAN).exists():
        rules.write_text(rules.read_text().replace("0 tuned", "0 han"))
        return
    rules = folder / files.COMPOSITIONS
    tree = json.loads(rules.read_text())
    within = tree["collective=bcast"]["comm_type=intra"]
    within["comm_size<=7"] = within["comm_size<=3"]
    rules.write_text(json.dumps(tree))


@ON_NODES
@pytest.mark.parametrize("name", HERE[1:])
def test_rules_that_act_only_where_nodes_have_one_rank_are_seen(name: str, place: Path) -> None:
    of = library(name)
    (rule,) = [row for row in rules_for(name).rows if row.kind == "bcast" and row.ranks_from == 4]
    wanted = tuned(of, rule)
    folder = written(wanted, place / "tuned")
    without_nodes(folder)
    see(wanted, folder, INSTALLED[name].real, print)
    with pytest.raises(OrreryError, match="rules do not take effect on the real library"):
        see(wanted, folder, INSTALLED[name].on(place), print)


@pytest.mark.usefixtures("place")
@pytest.mark.parametrize("name", HERE)
def test_the_command_writes_files_and_sees_them_act(name: str, sandbox: Sandbox) -> None:
    sandbox.environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.built / "cache")
    real = INSTALLED[name].real
    line = [
        "tune",
        "allgather",
        "-p",
        "graphene",
        "-n",
        "4,5",
        "-s",
        "1KiB,64KiB",
        "--share",
        "0",
        "-o",
        "tuned",
        "--json",
    ]
    ended = sandbox.finish(sandbox.start(*line, "--mpirun", real.mpirun, "--mpicc", real.mpicc))
    assert ended.code == 0, ended.err
    said = json.loads(ended.out)
    assert said["library"] == name
    assert said["measurements"] == 0
    assert {Path(file).name for file in said["files"]} >= {files.ABOUT}
    assert said["seen"]["telling"] > 0
    ended = sandbox.finish(sandbox.start(*line, "--no-see", "--mpirun", real.mpirun, "--mpicc", real.mpicc))
    assert json.loads(ended.out)["seen"] is None
    assert said["load"]
