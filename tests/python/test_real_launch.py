# SPDX-License-Identifier: BSD-3-Clause
"""What is said when the user's own launcher fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from orrery.real_mpi.launcher import Launcher, LaunchError

_HYDRA = """\
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 15376 RUNNING AT vm
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
"""
_BACKTRACE = "/opt/mpich/lib/libmpi.so.12(+0x4627a1) [0x7f358ea627a1]\n"


def _words_of_failure(folder: Path, output: str) -> str:
    (folder / "output").write_text(output)
    log = folder / "log"
    with pytest.raises(LaunchError) as failed:
        Launcher("sh -c 'cat {program}; exit 9' {n}", nodes=1).run([str(folder / "output")], timeout_s=1000, log=log)
    assert str(failed.value).endswith(f"(all of it: {log})")
    return str(failed.value)


def test_frames_and_addresses_do_not_hide_why_a_program_failed(tmp_path: Path) -> None:
    said = _words_of_failure(tmp_path, "Assertion failed: no such rule\n" + 30 * _BACKTRACE + _HYDRA)
    assert "exit code 9\n  | Assertion failed: no such rule\n  | YOUR APPLICATION TERMINATED" in said
    assert "signal 9" in said
    assert "RUNNING AT" not in said


def test_where_there_is_nothing_else_they_are_shown(tmp_path: Path) -> None:
    assert "[0x7f358ea627a1]" in _words_of_failure(tmp_path, _BACKTRACE)
