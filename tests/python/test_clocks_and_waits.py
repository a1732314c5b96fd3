# SPDX-License-Identifier: BSD-3-Clause
"""Clocks and waits of programs, which follow simulated time (`src/mpi/replaced.toml`).

A wait of 1000 s that the host had to pass would not end before the test's limit of a minute.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from generator.errors import TableError
from generator.exports import rank_exports
from harness import PROGRAMS, Sandbox, prefix
from replaced import ROOT, TABLE, built, shown

SHORT_S = {"accept": 0.3, "accept4": 0.3, "an alarm ends a computation": 0.2, "an alarm ends a read": 0.2}
"""Waits of limited_waits.cpp that take the host's time."""


def seconds(out: str) -> dict[str, float]:
    lines = [line.rpartition(": ") for line in out.splitlines()]
    return {name: float(number) for name, _, number in lines}


@pytest.mark.parametrize("ranks", [1, 2])
def test_every_wait_and_clock_of_the_table_takes_simulated_time_until_its_limit(sandbox: Sandbox, ranks: int) -> None:
    ended = sandbox.orrery("run", "-n", str(ranks), built(sandbox, "limited_waits.cpp"))
    assert ended.code == 0, ended.err
    took = seconds(ended.out)
    assert sorted(took) == sorted(shown("w"))
    # What the program computes between its clocks counts, too: on a busy host some milliseconds.
    wrong = {name: s for name, s in took.items() if not SHORT_S.get(name, 1000) - 0.0101 <= s < 1001}
    assert wrong == {}
    assert all(took[name] < 30 for name in SHORT_S)


def test_waits_that_others_end_are_over_then_and_the_rest_take_as_long_as_their_limit(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "3", built(sandbox, "waits_beside_others.cpp"))
    assert ended.code == 0, ended.err
    lines = dict(line.split(": ") for line in ended.out.splitlines() if line != "no message queues")
    missing = set(shown("o")) - set(lines)
    assert missing in (set(), {"mq_timedreceive", "mq_timedsend"})
    took = {name: float(what.split()[1]) for name, what in lines.items()}
    came = {name for name, what in lines.items() if what.startswith("came")}
    assert came == {
        "poll until a child writes",
        "poll until a thread writes",
        "condition that a thread signals",
        "future that a thread fulfils",
        "semaphore of another rank",
    }
    assert all(took[name] < 1000 for name in came)
    # The other rank is told after 50 s, and looked for 16 times.
    assert 50 <= took["semaphore of another rank"] <= 50 + 1000 / 16 + 1
    assert all(0.2 <= s < 30 for name, s in took.items() if name not in came)


def test_every_wait_of_python_takes_simulated_time_until_its_limit(sandbox: Sandbox) -> None:
    pytest.importorskip("mpi4py")
    ended = sandbox.orrery("run", "-n", "1", sys.executable, str(PROGRAMS / "limited_waits.py"))
    assert ended.code == 0, ended.err
    assert "a child's words" in ended.out
    took = seconds("\n".join(line for line in ended.out.splitlines() if ": " in line))
    assert sorted(took) == sorted(shown("p"))
    short = {"subprocess.run", "Thread.join"}
    wrong = {name: s for name, s in took.items() if name not in short and not 1000 <= s < 1005}
    assert wrong == {}
    assert all(0.2 <= took[name] < 60 for name in short)


@pytest.mark.parametrize("ranks", [1, 2])
def test_null_where_a_replaced_function_takes_a_pointer_gives_what_the_c_library_gives(
    sandbox: Sandbox, ranks: int
) -> None:
    plain = sandbox.built / "null_arguments_of_libc"
    options = ["-w", "-O2", str(PROGRAMS / "null_arguments.c"), "-pthread", "-lrt"]
    subprocess.run(["cc", "-DWITHOUT_MPI", *options, "-o", plain], check=True)
    expected = subprocess.run([plain], check=True, capture_output=True, text=True, timeout=60).stdout.splitlines()
    assert len(expected) > 60
    simulated = sandbox.built / "null_arguments"
    subprocess.run([prefix() / "bin" / "mpicc", *options, "-o", simulated], check=True)
    ended = sandbox.orrery("run", "-n", str(ranks), str(simulated))
    assert ended.code == 0, ended.err
    lines = ended.out.splitlines()
    assert len(lines) == ranks * len(expected)
    # What crashes in the C library itself may give an error here; a lock may not be looked at without a limit.
    differs = [line for line in lines if line not in expected and f"{line.partition(':')[0]}: crash" not in expected]
    assert differs == []
    assert not any(line.endswith("crash") for line in lines if line not in expected)


# --- the table --------------------------------------------------------------------------------------------------------


def test_every_function_of_the_table_is_shown_by_a_program() -> None:
    lines = [line[2:] for row in TABLE for line in row["shown"]]
    begins = {line.split(",")[0].split(" ")[0] for line in lines}
    spoken = {"syscall", "setsockopt", "timerfd_create", "timerfd_settime", "timer_settime", "timer_delete"}
    missing = [name for row in TABLE for name in row["functions"] if name not in begins | spoken]
    assert missing == []


def test_exports_without_a_place_for_what_is_replaced_are_refused(tmp_path: Path) -> None:
    (tmp_path / "exports.map.in").write_text("{ global: orrery_*; };\n")
    with pytest.raises(TableError, match="expected a line @REPLACED@"):
        rank_exports(tmp_path / "exports.map.in", ROOT / "src/mpi/replaced.toml")
