# SPDX-License-Identifier: BSD-3-Clause
"""One command under a helper: the launcher on the node where the job is started, its daemon on all others."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import secrets
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orrery.errors import InputError, Interrupted, OrreryError
from orrery.real_mpi.compiled import Said
from orrery.relay.helper import Helper
from orrery.relay.launching import agent_folder, check_command, program, variables, write_agent
from orrery.relay.layer import JOB, environment, layer
from orrery.relay.node import here
from orrery.relay.settings import read_settings
from orrery.temporary import temporary_folder

_PATIENCE_S = 5.0
_STEP_S = 0.1
_MOMENT_S = 0.5
_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, kw_only=True)
class JobSettings:
    """A command that is to run under a helper."""

    config: Path
    """relay.toml; other nodes find theirs under the same name."""
    command: list[str]
    compiler: str
    """Of C programs."""
    agent: str
    """What reaches other nodes, such as ssh."""


def run_job(settings: JobSettings, said: Said) -> int:
    """Start a job's launcher, wait for its end, and give its exit code.

    Raises:
        InputError: a setting cannot be used.
        OrreryError: the relay cannot be reached, or was gone before the job ended.
    """
    check_command(settings.command)
    job = secrets.token_hex(8)
    config = settings.config.absolute()
    with temporary_folder("orrery-relay-", Path(agent_folder())) as folder:
        start = [program(), "relay", "node", "--config", str(config), "--job", job, "--cc", settings.compiler]
        script = write_agent(folder, settings.agent, [*start, "--", "sh", "-c"])
        return _under_helper(settings, job, variables(script), said)


def run_node(settings: JobSettings, job: str, said: Said) -> int:
    """The same for what the launch agent starts on a node."""
    return _under_helper(settings, job, {}, said)


def _under_helper(settings: JobSettings, job: str, more: Mapping[str, str], said: Said) -> int:
    os.environ.pop(JOB, None)  # a helper uses no helper; agents that keep the environment hand the layer on
    relay = read_settings(settings.config)
    place = here(relay)
    variables = environment(layer(settings.compiler, said), job, {**os.environ, **more})

    async def run() -> int:
        helper = Helper(relay, place, job, said)
        try:
            await helper.start()
            return await _watched(settings.command, variables, helper, said)
        finally:
            await helper.close()

    return asyncio.run(run())


async def _watched(command: Sequence[str], variables: dict[str, str], helper: Helper, said: Said) -> int:
    """Wait for the command's end, or for that of the relay, which ends it. Nothing that it started stays."""
    libc = ctypes.CDLL(None)
    libc.prctl(_SET_CHILD_SUBREAPER, 1)
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            env=variables,
            preexec_fn=lambda: libc.prctl(_SET_PDEATHSIG, signal.SIGTERM),
        )
    except OSError as error:
        raise InputError(f'cannot start "{command[0]}": {error.strerror}') from None
    interrupted = asyncio.Event()
    _hand_on_signals(process, interrupted)
    ended = asyncio.create_task(process.wait())
    try:
        waited: list[asyncio.Future[Any]] = [ended, helper.gone]
        await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
        if ended.done() and ended.result() != 0:  # perhaps because the relay is gone, which comes to be known just now
            await asyncio.wait([helper.gone], timeout=_MOMENT_S)
        failed = helper.gone.done() and not (ended.done() and ended.result() == 0)
        if failed:
            said(str(helper.gone.exception()))
            await _end(process)
    finally:
        await _end_all()
    if failed:
        raise OrreryError("the job has ended before its time: its relay is gone")
    if interrupted.is_set():
        raise Interrupted("the job has ended on this node")
    code = ended.result()
    return 128 - code if code < 0 else code


def _hand_on_signals(process: asyncio.subprocess.Process, interrupted: asyncio.Event) -> None:
    """Requests to end go to the command. Ctrl-C reaches it by itself, as it is in the foreground too."""
    loop = asyncio.get_running_loop()

    def hand_on(number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)

    loop.add_signal_handler(signal.SIGINT, interrupted.set)
    for number in (signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, hand_on, number)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask it to end, then make it."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(number)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_PATIENCE_S):
                await process.wait()
                return


async def _end_all() -> None:
    """Daemons that have left the command: wait a little, ask, then make them end. They are our children now."""
    for number in (0, signal.SIGTERM, signal.SIGKILL):
        until = asyncio.get_running_loop().time() + _PATIENCE_S
        while children := _children():
            for child in children:
                _ask_and_reap(child, number)
            if asyncio.get_running_loop().time() > until:
                break
            await asyncio.sleep(_STEP_S)


def _ask_and_reap(child: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, number)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, os.WNOHANG)


def _children() -> list[int]:
    found = []
    for task in Path("/proc/self/task").iterdir():
        with contextlib.suppress(OSError):
            found += [int(word) for word in (task / "children").read_text(encoding="ascii").split()]
    return found
