# SPDX-License-Identifier: BSD-3-Clause
"""Programs under tools that watch their memory: sanitizers, valgrind, limits of virtual memory."""

from __future__ import annotations

import os
import subprocess

import pytest

from harness import PROGRAMS, Sandbox
from orrery.run.prefix import prefix
from skips import needs


def _every_rank_said_hello(out: str, ranks: int) -> bool:
    lines = [line for line in out.splitlines() if line.startswith("rank ")]
    return sorted(lines) == [f"rank {rank} of {ranks}" for rank in range(ranks)]


@pytest.mark.parametrize("launch", ["fork", "exec"])
@pytest.mark.parametrize("sanitizer", ["address", "thread", "undefined"])
def test_a_program_with_a_sanitizer_runs(sandbox: Sandbox, sanitizer: str, launch: str) -> None:
    program = sandbox.built / f"hello.{sanitizer}"
    if not program.exists():
        compiler = [str(prefix() / "bin" / "mpicc"), f"-fsanitize={sanitizer}"]
        built = subprocess.run([*compiler, PROGRAMS / "hello.c", "-o", program], capture_output=True, check=False)
        if built.returncode != 0:
            pytest.skip(f"the compiler here has no sanitizer of this kind: {sanitizer}")
    ended = sandbox.orrery("run", "-n", "2", "--launch", launch, str(program))
    assert ended.code == 0, ended.err
    assert _every_rank_said_hello(ended.out, 2)


@needs("valgrind")
def test_a_program_under_valgrind_runs(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", "valgrind", "--error-exitcode=9", sandbox.program("hello"))
    assert ended.code == 0, ended.err
    assert _every_rank_said_hello(ended.out, 2)


@needs("valgrind")
def test_under_valgrind_no_copies_of_ranks_are_made(sandbox: Sandbox) -> None:
    # More ranks than processors: without valgrind, copies of some would measure what warm caches are worth.
    ranks = 2 * (os.cpu_count() or 1)
    log = sandbox.folder / "log"
    log.mkdir()
    command = ["valgrind", "-q", f"--log-file={log}/%p", sandbox.program("halo"), "64", "12"]
    ended = sandbox.orrery("run", "-n", str(ranks), *command)
    assert ended.code == 0, ended.err
    assert len(list(log.iterdir())) == ranks


def test_a_rank_with_a_limit_of_virtual_memory_uses_what_it_may_map(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", "sh", "-c", f"ulimit -v 4000000; exec {sandbox.program('hello')}")
    assert ended.code == 0, ended.err
    assert _every_rank_said_hello(ended.out, 2)


def test_a_rank_without_room_is_told_what_to_raise(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", "sh", "-c", f"ulimit -v 200000; exec {sandbox.program('hello')}")
    assert ended.code != 0
    assert "cannot map Orrery's shared memory: Cannot allocate memory; raise the limit of virtual memory" in ended.err
