# SPDX-License-Identifier: BSD-3-Clause
"""How exactly links are shared (--sharing-error, --exact): in runs, in replays as their recording was, and for collective calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import Sandbox
from orrery import _core
from orrery.replay.as_it_was import as_it_was
from orrery.replay.settings import ReplaySettings

_KIND = {name: number for number, name in enumerate(_core.operation_kinds())}
_RANKS = 24
_COARSE = ("--sharing-error", "0.01")


def _late_all_to_all(path: Path) -> None:
    """Write a trace of an all-to-all whose ranks come at different times, so that hardly two messages begin or end together."""
    writer = _core.TraceWriter(str(path), _RANKS)
    for rank in range(_RANKS):
        writer.operation(
            rank, _KIND["collective"], flags=3, collective="alltoall", bytes=4096, element=1,
            compute_s=rank * 7 % _RANKS * 1.37e-6,
        )  # fmt: skip
        writer.operation(rank, _KIND["finalize"], flags=2)
        writer.end(rank)
    writer.close()


def test_ends_move_by_less_than_a_ten_thousandth_and_exact_is_the_smallest_error(sandbox: Sandbox) -> None:
    _late_all_to_all(sandbox.folder / "it.trace")
    on = ("--platform", "graphene", "--map", "node")
    exact = sandbox.replayed("it.trace", *on, "--exact")
    usual = sandbox.replayed("it.trace", *on)
    coarse = sandbox.replayed("it.trace", *on, *_COARSE)
    assert exact["sharing_error"] == _core.EXACT_SHARING
    assert usual["sharing_error"] == _core.SHARING_ERROR
    assert sandbox.replayed("it.trace", *on, "--sharing-error", "1e-10")["simulated_s"] == exact["simulated_s"]
    assert usual["simulated_s"] == pytest.approx(exact["simulated_s"], rel=1e-4)
    assert coarse["simulated_s"] != exact["simulated_s"]
    assert coarse["simulated_s"] == pytest.approx(exact["simulated_s"], rel=0.05)


def test_a_replay_shares_links_as_its_recording_did(sandbox: Sandbox) -> None:
    _late_all_to_all(sandbox.folder / "it.trace")
    on = ("--platform", "graphene", "--map", "node")
    coarse = sandbox.replayed("it.trace", *on, *_COARSE, "-o", "coarse.trace")
    again = sandbox.replay("coarse.trace")
    assert again.record["simulated_s"] == coarse["simulated_s"]
    assert "links shared" not in again.err
    other = sandbox.replay("coarse.trace", "--exact")
    assert other.record["simulated_s"] != coarse["simulated_s"]
    assert "links shared with an error of 1e-10, recorded with 0.01" in other.err


def test_recordings_from_before_it_could_be_set_were_exact(tmp_path: Path) -> None:
    of = ReplaySettings.of([tmp_path / "it.trace"])
    assert as_it_was(of, [{"selector": "ompi-4.1"}]).error_of_sharing == _core.EXACT_SHARING
    assert as_it_was(of, [{}]).error_of_sharing == _core.SHARING_ERROR  # of a real machine
    assert as_it_was(of, [{"selector": "ompi-4.1", "sharing_error": "0.01"}]).error_of_sharing == 0.01
    coarse = ReplaySettings.of([tmp_path / "it.trace"], sharing_error=0.1)
    assert as_it_was(coarse, [{"selector": "ompi-4.1"}]).error_of_sharing == 0.1


def test_two_records_that_differ_in_it_are_said_to(sandbox: Sandbox) -> None:
    _late_all_to_all(sandbox.folder / "it.trace")
    for name, options in (("usual.json", ()), ("coarse.json", _COARSE)):
        ended = sandbox.orrery("replay", "it.trace", "--platform", "graphene", "--map", "node", *options, "-o", name)
        assert ended.code == 0, ended.err
    said = sandbox.orrery("compare", "usual.json", "coarse.json").out
    assert "sharing_error" in said
    assert "0.01" in said


def test_a_run_is_told_it(sandbox: Sandbox) -> None:
    record = sandbox.run(4, "halo", "16", "5", options=("--exact", "--compute", "none")).record
    assert record["sharing_error"] == _core.EXACT_SHARING


def test_collective_calls_are_told_it(sandbox: Sandbox) -> None:
    call = ("collective", "alltoall", "-n", "40", "-s", "4KiB", "--platform", "graphene", "--map", "node", "--json")
    exact, coarse = (sandbox.orrery(*call, *options) for options in (("--exact",), _COARSE))
    assert exact.code == coarse.code == 0, exact.err + coarse.err
    assert exact.out != coarse.out


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (("--exact", "--sharing-error", "1e-3"), "--sharing-error: not with --exact"),
        (("--sharing-error", "0.1"), "0.1"),
        (("--sharing-error", "0"), "0"),
    ],
)
def test_what_is_no_error_is_refused(sandbox: Sandbox, options: tuple[str, ...], why: str) -> None:
    ended = sandbox.run(2, "halo", "16", "5", options=options)
    assert ended.code == 2
    assert why in ended.err
