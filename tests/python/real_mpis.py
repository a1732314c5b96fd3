# SPDX-License-Identifier: BSD-3-Clause
"""The real MPIs that are installed, and captures of programs that run on them."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from harness import PROGRAMS, Ended, Sandbox
from needs import NEEDS

RANKS = 4
INSTALLED = Path(__file__).parents[2] / "build" / "mpi"
"""Where tools/prepare puts the real MPIs of PyPI."""


def tool(name: str, mpi: str) -> str | None:
    """`mpicc`, `mpirun` or `mpifort` of a real MPI: that of PyPI, or else the system's, as Debian names it."""
    return shutil.which(name, path=INSTALLED / mpi / "bin") or shutil.which(f"{name}.{mpi}")


def needs_mpi(name: str) -> pytest.MarkDecorator:
    """Skip a test unless there is a real MPI of this name, of PyPI or the system's."""
    return pytest.mark.skipif(tool("mpicc", name) is None, reason=NEEDS[name].reason)


WHOLE_LINES = ("-fno-builtin-printf", "-include", str(PROGRAMS / "whole_lines.h"))
"""Flags for the compiler: what a rank prints comes line by line."""
MPIS = [pytest.param(name, marks=needs_mpi(name)) for name in ("openmpi", "mpich")]


_MISSED_END_S = "900"
"""After so long MPICH's mpirun kills its ranks. By itself it waits for ever in one of some thousand runs in which a
rank ends with _exit: its proxy misses the end, without Orrery as with it."""


class RealMpi:
    """A real MPI, and programs that are built for it."""

    def __init__(self, name: str, sandbox: Sandbox) -> None:
        self.name = name
        self.sandbox = sandbox
        self.mpirun = str(tool("mpirun", name))
        sandbox.environment |= {
            "XDG_CACHE_HOME": str(sandbox.built / "cache"),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        }
        if name == "mpich":
            sandbox.environment["MPIEXEC_TIMEOUT"] = _MISSED_END_S

    def program(self, source: str, compiler: str = "mpicc", flags: tuple[str, ...] = ()) -> str:
        """Path of tests/programs/SOURCE, built for this MPI."""
        binary = self.sandbox.built / f"{source}{''.join(flags)}.{self.name}"
        found = self.compiler(compiler)
        if not binary.exists():
            whole = WHOLE_LINES if source.endswith(".c") else ()
            subprocess.run([found, "-O1", *flags, *whole, PROGRAMS / source, "-o", binary], check=True)
        return str(binary)

    def compiler(self, name: str) -> str:
        """Path of `mpicc`, `mpicxx` or `mpifort`; the launcher is the one beside it from now on.

        MPIs of PyPI have no compilers for Fortran, so that Fortran programs are those of the system's MPI.
        """
        found = tool(name, self.name)
        if found is None:
            pytest.skip(NEEDS[self.name].reason)
        self.mpirun = str(Path(found).with_name(Path(found).name.replace(name, "mpirun")))
        return found

    def capture(self, *program: str, ranks: int = RANKS, options: tuple[str, ...] = ()) -> tuple[Ended, dict[str, Any]]:
        """What `orrery capture -o it.trace` says and reports; `out` is what the program printed."""
        return self._reported("capture", ("-o", "it.trace", *options), program, ranks)

    def watch(self, *program: str, ranks: int = RANKS, options: tuple[str, ...] = ()) -> tuple[Ended, dict[str, Any]]:
        """What `orrery watch` says and reports; `out` is what the program printed."""
        return self._reported("watch", options, program, ranks)

    def _reported(
        self, command: str, options: tuple[str, ...], program: tuple[str, ...], ranks: int
    ) -> tuple[Ended, dict[str, Any]]:
        more = ["--oversubscribe"] if self.name == "openmpi" else []
        line = [self.mpirun, *more, "-n", str(ranks), *program]
        ended = self.sandbox.finish(self.sandbox.start(command, "--json", *options, "--", *line))
        report = json.loads(ended.out) if ended.out else {}
        # With --json what the program prints goes to standard error.
        printed = [line for line in ended.err.splitlines(keepends=True) if not line.startswith("orrery:")]
        return replace(ended, out="".join(printed)), report

    def profile(self, *, complete: bool = True) -> dict[str, Any]:
        """What `orrery profile` says of it.trace, which is complete, or was cut off."""
        ended = self.sandbox.finish(self.sandbox.start("profile", "it.trace", "--json"))
        assert ended.code == (0 if complete else 1), ended.err
        shown: dict[str, Any] = json.loads(ended.out)
        return shown

    def replay(self) -> Ended:
        """`orrery replay it.trace`."""
        return self.sandbox.finish(self.sandbox.start("replay", "it.trace", "-o", "replay.json"))
