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

from orrery.errors import InputError, Interrupt, OrreryError
from orrery.real_mpi.compiled import Said
from orrery.relay.ending import JOB, children, processes_of, steps
from orrery.relay.guard import Guard
from orrery.relay.helper import Helper
from orrery.relay.launching import agent_folder, check_command, program, variables, write_agent
from orrery.relay.layer import environment, layer
from orrery.relay.node import here
from orrery.relay.roster import Account
from orrery.relay.settings import read_settings
from orrery.temporary import temporary_folder

_SET_PDEATHSIG = 1
_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, kw_only=True)
class JobSettings:
    """A command that is to run under a helper."""

    config: Path
    """relay.toml; other nodes find theirs under the same name."""
    command: list[str]
    compiler: str
    """Compiler of C programs."""
    agent: str
    """What reaches other nodes, such as ssh."""


def run_job(settings: JobSettings, said: Said) -> int:
    """Start a job's launcher, wait for its end, and give its exit code.

    Raises:
        InputError: a setting cannot be used.
        Interrupt: Ctrl-C.
        OrreryError: the relay cannot be reached, or it is not certain that nothing of the job was lost.
    """
    check_command(settings.command)
    job = secrets.token_hex(8)
    config = settings.config.absolute()
    node = _JobNode(settings, job, said)
    with temporary_folder("orrery-relay-", Path(agent_folder())) as folder:
        words = ["--config", str(config), "--job", job, "--started-on", node.address, "--cc", settings.compiler]
        script = write_agent(folder, settings.agent, [program(), "relay", "node", *words, "--", "sh", "-c"])
        return node.run(variables(script))


def run_node(settings: JobSettings, job: str, started_on: str | None, said: Said) -> int:
    """Start a command of a job on this node, wait for its end, and give its exit code.

    Args:
        settings: the command.
        job: the job's name.
        started_on: address of the node where the job was started; its helper is told how the command ends.
        said: gets sentences for the user.

    Raises what `run_job` raises.
    """
    return _JobNode(settings, job, said).run({}, started_on)


class _JobNode:
    """The node where this process is, with a helper and one command of the job."""

    def __init__(self, settings: JobSettings, job: str, said: Said) -> None:
        """Raises InputError: relay.toml cannot be used, or has no site of this node."""
        os.environ.pop(JOB, None)  # a helper uses no helper; agents that keep the environment hand the layer on
        self._settings = settings
        self._job = job
        self._said = said
        self._relay = read_settings(settings.config)
        self._site, self.address = here(self._relay)

    def run(self, more: Mapping[str, str], started_on: str | None = None) -> int:
        """Run the command under a helper; its exit code. `more`: variables of its environment."""
        library = layer(self._settings.compiler, self._said)
        variables = environment(library, self._job, {**os.environ, **more})
        return asyncio.run(self._under_helper(variables, started_on))

    async def _under_helper(self, variables: Mapping[str, str], started_on: str | None) -> int:
        helper = Helper(self._relay, (self._site, self.address), self._job, self._said)
        helper.gone.add_done_callback(self._say_why)
        guard = Guard(self._job, f"the helper of {self.address}, site {self._site},", helper.tally)
        try:
            await helper.start(started_on)
            command = _Command(self._job, {guard.number})
            await command.start(self._settings.command, variables)
            await command.wait([helper.gone, helper.over])
            failed = helper.gone.done() or (helper.over.done() and helper.over.result())
            helper.job_failed = not failed and command.has_failed
            await command.end(at_once=failed)
            if not failed:
                await helper.hand_over(command.stopped)
            accounts = await helper.conclude(failed=failed)
            accounts.append((self.address, Account(failed, helper.cut)))
            if command.code != 0 or not _all_well(accounts):
                await helper.check_relay()
            return self._verdict(command, helper, accounts)
        finally:
            await helper.close()
            guard.dismiss()

    def _say_why(self, gone: asyncio.Future[None]) -> None:
        if not gone.cancelled():
            self._said(str(gone.exception()))

    def _verdict(self, command: _Command, helper: Helper, accounts: Sequence[tuple[str, Account | None]]) -> int:
        """The exit code: the command's, unless that is 0 and it is not certain that nothing of the job was lost.

        Certain: while the job ran, no helper has missed a relay or another helper, none has seen a connection cut, and all have
        said so at the end. A relay that goes after that takes nothing with it.

        Args:
            command: has ended.
            helper: of this node.
            accounts: by address, of this node and all that have enlisted with it.

        Raises Interrupt, OrreryError.
        """
        if command.interrupted:
            raise Interrupt("the job has ended on this node")
        if helper.over.done():  # where the job was started it is said how it has ended
            return command.code
        for address, account in accounts:
            if account is not None and account.cut:
                plural = "s" if account.cut > 1 else ""
                self._said(f"{account.cut} connection{plural} of {address} cut before all data had arrived")
        if command.code == 0 and _all_well(accounts):
            return 0
        if any(account is None or account.failed for _, account in accounts):
            raise OrreryError("the job has ended before its time: a relay or helper is gone")
        if command.code == 0:
            raise OrreryError("the launcher has ended with 0, but not all data have arrived")
        return command.code


def _all_well(accounts: Sequence[tuple[str, Account | None]]) -> bool:
    """Whether it is certain that nothing was lost on any node."""
    return all(account is not None and account.is_clean for _, account in accounts)


class _Command:
    """The command, and all that it starts on this node; nothing of that stays."""

    def __init__(self, job: str, others: set[int]) -> None:
        """`others`: children of this process that are none of the command's."""
        self._job = job
        self._others = others
        self._process: asyncio.subprocess.Process
        self._ended: asyncio.Task[int]
        self.interrupted = False
        """Whether Ctrl-C was pressed. It reaches the command by itself, which is in the foreground, too."""
        self.stopped: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when Ctrl-C was pressed, or a signal came that the command could not be given any more."""

    async def start(self, words: Sequence[str], variables: Mapping[str, str]) -> None:
        """Raises InputError."""
        libc = ctypes.CDLL(None)
        libc.prctl(_SET_CHILD_SUBREAPER, 1)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *words,
                env=variables,
                preexec_fn=lambda: libc.prctl(_SET_PDEATHSIG, signal.SIGTERM),
            )
        except OSError as error:
            raise InputError(f'cannot start "{words[0]}": {error.strerror}') from None
        self._ended = asyncio.create_task(self._process.wait())
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, self._interrupt)
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self._hand_on, number)

    async def wait(self, others: Sequence[asyncio.Future[Any]]) -> None:
        """Until the command has ended, or one of the others is done."""
        await asyncio.wait([self._ended, *others], return_when=asyncio.FIRST_COMPLETED)

    async def end(self, *, at_once: bool) -> None:
        """End it and all that it has started here, in steps. `at_once`: ask the command first, and do not wait."""
        if at_once:
            self._hand_on(signal.SIGTERM)
        for pause_s in steps(lambda: self._living(also_marked=at_once)):
            await asyncio.sleep(pause_s)
        await self._ended

    @property
    def has_failed(self) -> bool:
        """Whether it has ended, and with another exit code than 0."""
        return self._ended.done() and self.code != 0

    @property
    def code(self) -> int:
        """Exit code, 128 + signal for one that was killed."""
        code = self._ended.result()
        return 128 - code if code < 0 else code

    def _interrupt(self) -> None:
        self.interrupted = True
        self._stop()

    def _hand_on(self, number: signal.Signals) -> None:
        if self._ended.done():
            self._stop()
        else:
            with contextlib.suppress(ProcessLookupError):
                self._process.send_signal(number)

    def _stop(self) -> None:
        if not self.stopped.done():
            self.stopped.set_result(None)

    def _living(self, *, also_marked: bool) -> set[int]:
        """The command, orphans of it, and, where no other command of the job may go on here, all with the job's mark."""
        orphans = children() - self._others - {self._process.pid}
        for orphan in orphans:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(orphan, os.WNOHANG)
        own = set() if self._ended.done() else {self._process.pid}
        marked = processes_of(self._job) if also_marked else set()
        return own | (children() & orphans) | (marked - self._others)
