# SPDX-License-Identifier: BSD-3-Clause
"""A site's frontal: knows the helpers of its nodes (the broker), and passes on what cannot go directly (the relay)."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from orrery.errors import InputError, OrreryError
from orrery.relay.gate import Gate
from orrery.relay.log import Log, Said
from orrery.relay.secure import Identity, Name
from orrery.relay.settings import Relay
from orrery.relay.tasks import Tasks
from orrery.relay.wire import (
    HELPER_ITSELF,
    SIGNS,
    Connection,
    ExpectedConnections,
    Refusal,
    Route,
    closing,
    dial_frontal,
    end_of,
    new_key,
    pipe,
    reason,
    refusal,
    refusing,
    why,
    word_of,
)

_ROUTED: dict[str, str | None] = {"open": "relayed", "reverse": "reverse", "lookup": "direct", "enlist": None}
"""Requests that go to the target's frontal, and what comes of each for a process, as it is counted."""


@dataclass
class _Helper:
    """One helper that is registered."""

    connection: Connection
    contact: str | None
    """Where helpers of other sites reach it."""
    asked: ExpectedConnections[Connection | None]
    """What it has been asked for: a connection, or to make one itself."""


@dataclass
class _Job:
    """What a job has used here."""

    helpers: int = 0
    count: Counter[str] = field(default_factory=Counter)
    moved: int = 0
    """Bytes relayed."""
    through: set[str] = field(default_factory=set)
    """Sites whose frontals it needs, besides this one."""

    def __str__(self) -> str:
        kinds = ", ".join(f"{number} {kind}" for kind, number in sorted(self.count.items())) or "none"
        return f"connections to other sites: {kinds}; {self.moved:,} bytes relayed"


class FrontalServer:
    """The frontal of one site; it may serve others that name it."""

    def __init__(self, relay: Relay, site: str, said: Said) -> None:
        """Raises InputError: the site has no frontal, or its keys are not there."""
        self._relay = relay
        self._limits = relay.limits
        self._site = site
        self._log = Log(said)
        self._identity = Identity(relay, Name("frontal", site))
        self._gate = Gate(self._identity, relay, self._log, self._serve)
        self._helpers: dict[tuple[str, str], _Helper] = {}
        self._jobs: dict[str, _Job] = {}
        self._tasks = Tasks()
        self._watched: set[str] = set()
        """Sites whose frontals are watched."""

    async def start(self) -> None:
        """Listen. Raises OrreryError."""
        for end in self._relay.listened(self._site):
            try:
                self._gate.listen(end)
            except OSError as error:
                raise OrreryError(
                    f"cannot listen on {end}, as sites.{self._site} of relay.toml says: {reason(error)}"
                ) from None
        places = " and ".join(map(str, self._relay.listened(self._site)))
        self._log.say(f"the frontal of site {self._site} listens on {places}")

    def renew(self) -> None:
        """Read keys and the list of revoked ones again; connections by keys that are revoked now are closed."""
        try:
            self._identity.load()
        except InputError as error:
            self._log.say(f"the keys stay as they were: {error}")
            return
        closed = self._gate.close_revoked()
        self._log.say(f"keys were read again; {closed} connections by revoked ones are closed")

    async def close(self) -> None:
        """End everything."""
        await self._tasks.close()
        await self._gate.close()

    async def _serve(self, connection: Connection, gate: Gate) -> None:
        request = await connection.hear(self._limits)
        do = word_of(request, "do")
        peer = connection.peer
        if peer is None or peer.site not in self._relay.sites:
            raise Refusal(f"relay.toml has no site of {peer}")
        gate.admit(connection)
        if do == "register":
            await self._register(connection, peer, request)
        elif do == "attach":
            self._attach(connection, word_of(request, "key"))
            await connection.ended()  # it counts until then
        elif do == "watch":
            await self._be_watched(connection, peer)
        elif do in _ROUTED:
            await self._route(connection, peer, Route.parse(request))
        else:
            raise Refusal(f'there is no request "{do}"')

    # ---- helpers ----

    async def _register(self, connection: Connection, peer: Name, request: dict[str, Any]) -> None:
        """Keep a helper until it leaves."""
        job, address = word_of(request, "job"), word_of(request, "address")
        if peer.role != "helper" or self._relay.frontal_of(peer.site) != self._site:
            raise Refusal(f"is no helper of a site that this frontal serves; its own is {peer.site}'s")
        if self._relay.site_of(end_of({"at": f"{address}:0"}, "at").host) != peer.site:
            raise Refusal(f"{address} is in no network of site {peer.site}")
        if (job, address) in self._helpers:
            raise Refusal(f"{address} has a helper of this job already")
        contact = None if request.get("contact") is None else str(end_of(request, "contact"))
        helper = _Helper(connection, contact, ExpectedConnections(self._limits))
        self._helpers[job, address] = helper
        self._jobs.setdefault(job, _Job()).helpers += 1
        try:
            await connection.say(ok=True)
            async with closing(connection):
                await self._listen_to(helper)
        except (OSError, Refusal) as error:
            self._log.say(f"the helper of {address}, site {peer.site}, is gone: {why(error)}")
        finally:
            del self._helpers[job, address]
            self._leave(job)
            helper.asked.refuse_all(Refusal("its helper is gone"))

    def _leave(self, job: str) -> None:
        """Count off a helper; after the last one the log says what the job has used."""
        used = self._jobs[job]
        used.helpers -= 1
        if used.helpers == 0:
            self._log.say(f"job {job} has left; {self._jobs.pop(job)}")

    def _count(self, request: Route) -> None:
        if (used := self._jobs.get(request.job)) is not None and (kind := _kind(request)) is not None:
            used.count[kind] += 1

    async def _carry(self, caller: Connection, reached: Connection, request: Route) -> None:
        await pipe(caller, reached)
        if (used := self._jobs.get(request.job)) is not None and _kind(request) is not None:
            used.moved += caller.moved + reached.moved

    async def _listen_to(self, helper: _Helper) -> None:
        """Signs of life, and what it has done. Ends when it says so."""
        while True:
            message = await helper.connection.hear(self._limits, self._limits.silence_s)
            if "ping" in message:
                await helper.connection.say(pong=True)
            elif "leave" in message:
                return
            elif helper.asked.waits_for(key := str(message.get("key"))):
                if "refused" in message:
                    helper.asked.refuse(key, refusal(message))
                else:
                    helper.asked.give(key, None)

    def _attach(self, connection: Connection, key: str) -> None:
        """Give it to who waits for it."""
        for helper in self._helpers.values():
            if helper.asked.waits_for(key) and connection.peer == helper.connection.peer:
                helper.asked.give(key, connection)
                return
        raise Refusal("nobody waits for this connection")

    async def _ask(self, request: Route) -> Connection | None:
        """Let the target's helper do what is asked for: a connection to the target, or None when it has made one itself."""
        helper = self._helpers.get((request.job, request.to.host))
        if helper is None:
            raise Refusal(
                f"no helper of this job runs on {request.to.host}; what starts one there has to reach it by itself"
            )
        told = replace(request, key=request.key or new_key())
        return await helper.asked.get(str(told.key), told.to.host, lambda: helper.connection.say(**told.fields()))

    # ---- other frontals ----

    async def _be_watched(self, connection: Connection, peer: Name) -> None:
        """Answer signs of life until the other frontal leaves."""
        if peer.role != "frontal":
            raise Refusal("is no frontal; its own watches for it")
        with contextlib.suppress(OSError, Refusal):
            await connection.say(ok=True)
            while "leave" not in await connection.hear(self._limits, self._limits.silence_s):
                await connection.say(pong=True)
        connection.close()

    def _need(self, frontal: str, job: str) -> None:
        """A job needs another frontal from now on: if that goes, its helpers are told."""
        if (used := self._jobs.get(job)) is not None:
            used.through.add(frontal)
        if frontal not in self._watched:
            self._watched.add(frontal)
            self._tasks.start(self._watch(frontal))

    async def _watch(self, frontal: str) -> None:
        """Until it is gone, or no job needs it."""
        try:
            connection = await dial_frontal(self._identity, self._relay, frontal)
            async with closing(connection):
                while any(frontal in used.through for used in self._jobs.values()):
                    await connection.say(do="watch")
                    await connection.hear(self._limits, self._limits.silence_s)
                    await connection.quiet(self._limits.silence_s / SIGNS)
                await connection.say(leave=True)
        except (Refusal, OSError) as error:
            self._log.say(f"the frontal of site {frontal} is gone: {why(error)}")
            await self._tell(frontal)
        finally:
            self._watched.remove(frontal)

    async def _tell(self, frontal: str) -> None:
        """The helpers of jobs that need it, all at once: one may not read."""
        helpers = [helper for (job, _), helper in self._helpers.items() if frontal in self._jobs[job].through]
        await asyncio.gather(*(self._tell_helper(helper, frontal) for helper in helpers))

    async def _tell_helper(self, helper: _Helper, frontal: str) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(self._limits.patience_s):
                await helper.connection.say(gone=frontal)

    # ---- requests that go to the target's frontal ----

    async def _route(self, connection: Connection, peer: Name, request: Route) -> None:
        target = self._relay.site_of(request.to.host)
        if target is None:
            raise Refusal(f"{request.to} is in no network of a site")
        self._check_caller(peer, request)
        frontal = self._relay.frontal_of(target)
        if frontal == self._site:
            await self._answer(connection, request)
        elif peer.role == "frontal":
            raise Refusal(f"{request.to} is none of this frontal's")
        else:
            await self._pass_on(connection, request, frontal)

    def _check_caller(self, peer: Name, request: Route) -> None:
        """A helper speaks for its site, a frontal for those that it serves."""
        origin = self._relay.site_of(request.origin.host)
        speaks = (
            origin == peer.site if peer.role == "helper" else origin and self._relay.frontal_of(origin) == peer.site
        )
        if not speaks:
            raise Refusal(f"speaks for {request.origin}, which is none of its own")

    async def _answer(self, connection: Connection, request: Route) -> None:
        if request.do == "lookup":
            helper = self._helpers.get((request.job, request.to.host))
            async with closing(connection):
                await connection.say(ok=True, contact=helper and helper.contact)
            self._count(request)
            return
        reached = await self._ask(request)
        async with closing(reached or connection):
            await connection.say(ok=True)
            self._count(request)
            if reached is not None:
                await self._carry(connection, reached, request)

    async def _pass_on(self, connection: Connection, request: Route, frontal: str) -> None:
        try:
            other = await dial_frontal(self._identity, self._relay, frontal)
        except Refusal as error:
            raise Refusal(f"the frontal of site {frontal} cannot be reached: {error}") from None
        async with closing(other):
            await other.say(**request.fields())
            answer = await other.hear(self._limits, self._limits.patience_s * 2)
            if "refused" in answer:
                await connection.say(**refusing(refusal(answer)))
                connection.close()
                return
            contact = None if answer.get("contact") is None else str(end_of(answer, "contact"))
            await connection.say(ok=True, contact=contact)
            self._count(request)
            self._need(frontal, request.job)
            await self._carry(connection, other, request)


def _kind(request: Route) -> str | None:
    """What comes of a request, as it is counted; None: it is about a helper itself, as its port says, and about no process."""
    return _ROUTED[request.do] if request.to.port != HELPER_ITSELF else None


async def serve(relay: Relay, site: str, said: Said) -> None:
    """Run the frontal of a site until SIGTERM, or until the task is cancelled (Ctrl-C); SIGHUP renews keys. Raises OrreryError."""
    frontal = FrontalServer(relay, site, said)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    asyncio.get_running_loop().add_signal_handler(signal.SIGHUP, frontal.renew)
    try:
        await frontal.start()
        await ended.wait()
    finally:
        with contextlib.suppress(asyncio.CancelledError):
            await frontal.close()
