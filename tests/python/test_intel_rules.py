# SPDX-License-Identifier: BSD-3-Clause
"""Settings of Intel MPI are read as rules."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from orrery import _core
from orrery.collective.rules_file import SelectorRules, read_rules
from orrery.errors import InputError


def read(folder: Path, text: str, name: str = "intel.env") -> SelectorRules:
    file = folder / name
    file.write_text(text)
    return read_rules(file)


def chosen(rules: SelectorRules, kind: str, ranks: int, size: int) -> str:
    """What a call uses, or what the selector would choose by itself."""
    selector = _core.Selector("default", "", [], None, rules.named)
    choice = selector.choose(_core.CollectiveCall(kind, size=ranks, bytes=size, element=1))
    return choice.algorithm if choice.ruled else "not ruled"


def test_parts_hold_for_their_sizes_and_ranks_and_the_last_one_for_the_rest(tmp_path: Path) -> None:
    rules = read(tmp_path, "I_MPI_ADJUST_ALLREDUCE=1:0-8192@2-64;5:8193-524288@2-64;2\n")
    assert chosen(rules, "allreduce", 8, 8192) == "recursive_doubling"
    assert chosen(rules, "allreduce", 8, 8193) == "reduce_bcast"
    assert chosen(rules, "allreduce", 8, 524289) == "reduce_scatter_allgather"
    assert chosen(rules, "allreduce", 128, 8) == "reduce_scatter_allgather"
    (remark,) = rules.remarks
    assert "intel.env:1: I_MPI_ADJUST_ALLREDUCE: sizes and numbers of ranks are both obeyed" in remark


def test_without_ranks_the_first_part_holds_below_its_sizes_and_the_last_above(tmp_path: Path) -> None:
    rules = read(tmp_path, 'export I_MPI_ADJUST_ALLGATHER="3:100-2000;1:2001-4000"\n')
    assert [chosen(rules, "allgather", 8, size) for size in (8, 2000, 2001, 1 << 20)] == [
        "ring", "ring", "recursive_doubling", "recursive_doubling",
    ]  # fmt: skip
    assert rules.remarks == ()


@pytest.mark.parametrize(
    "text",
    [
        "I_MPI_ADJUST_BARRIER=2\nI_MPI_ADJUST_REDUCE=5\n",
        "# tuned\nsetenv I_MPI_ADJUST_BARRIER 2\nsetenv I_MPI_ADJUST_REDUCE '5'\n",
        "-genv I_MPI_ADJUST_BARRIER 2 -genv I_MPI_ADJUST_REDUCE '5:0-2147483647'\n",
        'export OTHER=1\nexport I_MPI_ADJUST_BARRIER="2" # no longer 1\nexport I_MPI_ADJUST_REDUCE=5\n',
    ],
)
def test_settings_are_found_in_environments_and_configuration_files(tmp_path: Path, text: str) -> None:
    rules = read(tmp_path, text, "any.conf")
    assert chosen(rules, "barrier", 8, 0) == "recursive_doubling"
    assert chosen(rules, "reduce", 8, 1 << 20) == "reduce_scatter_gather"


def test_several_conditions_of_a_part_are_separated_by_commas(tmp_path: Path) -> None:
    rules = read(tmp_path, "I_MPI_ADJUST_BCAST=3:8@4,16-32@4;1:0-64@4\n")
    assert [chosen(rules, "bcast", 4, size) for size in (8, 9, 16, 32, 33, 65)] == [
        "scatter_ring_allgather", "binomial_halving", "scatter_ring_allgather", "scatter_ring_allgather", "binomial_halving", "not ruled",
    ]  # fmt: skip


def test_what_is_not_simulated_is_said(tmp_path: Path) -> None:
    rules = read(tmp_path, "I_MPI_ADJUST_BCAST=4\nI_MPI_ADJUST_ALLTOALL=0\nI_MPI_ADJUST_IALLREDUCE=2\n")
    bcast, alltoall, iallreduce = rules.remarks
    assert "intel.env:1: I_MPI_ADJUST_BCAST: algorithm 4 is not simulated, and the selector chooses instead" in bcast
    assert "simulated are 1 binomial_halving, 2 " in bcast
    assert "the library's own choice is not simulated" in alltoall
    assert "intel.env:3: I_MPI_ADJUST_IALLREDUCE is not simulated" in iallreduce


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("ring", '"ring": expected NUMBER or NUMBER:SIZE-SIZE@RANKS-RANKS'),
        ("1:0-8K", '"0-8K": expected sizes such as 0-8192'),
        ("1:8-4", '"8-4": the range ends before it begins'),
        ("1:0-4@9-8", "the range ends before it begins"),
    ],
)
def test_a_mistake_is_told_with_its_line_and_setting(tmp_path: Path, value: str, said: str) -> None:
    with pytest.raises(InputError, match=r"intel\.env:2: I_MPI_ADJUST_BCAST: ") as error:
        read(tmp_path, f"\nI_MPI_ADJUST_BCAST={value}\n")
    assert said in str(error.value)


def test_a_script_that_sets_a_variable_twice_is_refused_and_its_cure_works(tmp_path: Path) -> None:
    script = 'if [ "$1" -ge 9 ]; then\n  export I_MPI_ADJUST_BCAST="3"\nelse\n  export I_MPI_ADJUST_BCAST="1"\nfi\n'
    with pytest.raises(
        InputError,
        match=r"tuned\.sh:4: I_MPI_ADJUST_BCAST is set again, after line 2; .*env \| grep I_MPI_ADJUST_ > FILE",
    ):
        read(tmp_path, script, "tuned.sh")
    command = f"set -- 16; . {tmp_path}/tuned.sh; env | grep I_MPI_ADJUST_"
    done = subprocess.run(["/bin/sh", "-c", command], check=True, capture_output=True, text=True)
    assert chosen(read(tmp_path, done.stdout), "bcast", 16, 8) == "scatter_ring_allgather"
