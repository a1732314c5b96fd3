# SPDX-License-Identifier: BSD-3-Clause
"""A site's frontal: knows the helpers of its nodes (the broker), and passes on what cannot go directly (the relay)."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import signal
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from orrery.relay.gate import Gate, Log, Said, cannot_listen
from orrery.relay.secure import Identity, Name
from orrery.relay.settings import Relay
from orrery.relay.wire import SIGNS, Connection, Refused, closing, dial, end_of, pipe, word_of

_ROUTED = {"open": "relayed", "reverse": "reverse", "lookup": "direct"}
"""Requests that go to the target's frontal, and what comes of each, as it is counted."""
_KEY_BYTES = 16


@dataclass
class _Helper:
    """One helper that is registered."""

    connection: Connection
    site: str
    contact: str | None
    """Where helpers of other sites reach it."""
    asked: dict[str, asyncio.Future[Connection | None]] = field(default_factory=dict)
    """What it has been asked for, by key: a connection, or that it has made one."""


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


class Frontal:
    """The frontal of one site; it may serve others that name it."""

    def __init__(self, relay: Relay, site: str, said: Said) -> None:
        """Raises InputError: the site has no frontal, or its keys are not there."""
        self._relay = relay
        self._limits = relay.limits
        self._site = site
        self._log = Log(said)
        self._identity = Identity(relay.key_folder(), Name("frontal", site))
        self._gate = Gate(self._identity, relay.limits, self._log, self._serve)
        self._helpers: dict[tuple[str, str], _Helper] = {}
        self._jobs: dict[str, _Job] = {}
        self._watched: dict[str, asyncio.Task[None]] = {}

    async def start(self) -> None:
        """Listen. Raises OrreryError."""
        for end in self._relay.listened(self._site):
            try:
                self._gate.listen(end)
            except OSError as error:
                raise cannot_listen(end, error) from None
        places = " and ".join(map(str, self._relay.listened(self._site)))
        self._log.say(f"the frontal of site {self._site} listens on {places}")

    async def close(self) -> None:
        """End everything."""
        for task in (watched := list(self._watched.values())):
            task.cancel()
        await asyncio.gather(*watched, return_exceptions=True)
        await self._gate.close()

    async def _serve(self, connection: Connection, gate: Gate) -> None:
        request = await connection.hear(self._limits)
        gate.admit()
        do = word_of(request, "do")
        peer = connection.peer
        if peer is None or peer.site not in self._relay.sites:
            raise Refused(f"relay.toml has no site of {peer}")
        if do == "register":
            await self._register(connection, peer, request)
        elif do == "attach":
            self._attach(peer, request).set_result(connection)
            await connection.ended()  # it counts until then
        elif do == "watch":
            await self._be_watched(connection)
        elif do in _ROUTED:
            await self._route(connection, peer, request)
        else:
            raise Refused(f'there is no request "{do}"')

    # ---- helpers ----

    async def _register(self, connection: Connection, peer: Name, request: dict[str, Any]) -> None:
        """Keep a helper until it leaves."""
        job, address = word_of(request, "job"), word_of(request, "address")
        if peer.role != "helper" or self._relay.frontal_of(peer.site) != self._site:
            raise Refused(f"is no helper of a site that this frontal serves; its own is {peer.site}'s")
        if self._relay.site_of(end_of({"at": f"{address}:0"}, "at").host) != peer.site:
            raise Refused(f"{address} is in no network of site {peer.site}")
        if (job, address) in self._helpers:
            raise Refused(f"{address} has a helper of this job already")
        contact = request.get("contact")
        helper = _Helper(connection, peer.site, None if contact is None else str(end_of(request, "contact")))
        self._helpers[job, address] = helper
        self._jobs.setdefault(job, _Job()).helpers += 1
        try:
            await connection.say(ok=True)
            async with closing(connection):
                await self._listen_to(helper)
        except (OSError, Refused) as error:
            self._log.say(f"the helper of {address}, site {peer.site}, is gone: {error}")
        finally:
            del self._helpers[job, address]
            self._leave(job)
            for future in helper.asked.values():
                if not future.done():
                    future.set_exception(Refused("its helper is gone"))

    def _leave(self, job: str) -> None:
        """Of a helper; after the last one it is said what the job has used."""
        used = self._jobs[job]
        used.helpers -= 1
        if used.helpers == 0:
            self._log.say(f"job {job} has left; {self._jobs.pop(job)}")

    def _count(self, request: dict[str, Any]) -> None:
        if (used := self._jobs.get(word_of(request, "job"))) is not None:
            used.count[_ROUTED[request["do"]]] += 1

    async def _carry(self, one: Connection, other: Connection, job: str) -> None:
        await pipe(one, other)
        if (used := self._jobs.get(job)) is not None:
            used.moved += one.moved + other.moved

    async def _listen_to(self, helper: _Helper) -> None:
        """Signs of life, and what it has done. Ends when it says so."""
        while True:
            message = await helper.connection.hear(self._limits, self._limits.silence_s)
            if "ping" in message:
                await helper.connection.say(pong=True)
            elif "leave" in message:
                return
            elif (future := helper.asked.get(str(message.get("key")))) is not None and not future.done():
                if "refused" in message:
                    future.set_exception(_refusal(message))
                else:
                    future.set_result(None)

    def _attach(self, peer: Name, request: dict[str, Any]) -> asyncio.Future[Connection | None]:
        """What waits for the connection of a helper."""
        key = word_of(request, "key")
        for helper in self._helpers.values():
            future = helper.asked.get(key)
            if future is not None and not future.done() and peer == helper.connection.peer:
                return future
        raise Refused("nobody waits for this connection")

    async def _ask(self, request: dict[str, Any]) -> Connection | None:
        """Let the target's helper do what is asked for: a connection to the target, or None when it has made one itself."""
        to, job = end_of(request, "to"), word_of(request, "job")
        helper = self._helpers.get((job, to.host))
        if helper is None:
            raise Refused(f"no helper of this job runs on {to.host}")
        if len(helper.asked) >= self._limits.unproven:
            raise Refused(f"the helper of {to.host} is asked for too much at a time (limits.unproven)")
        key = str(request.get("key") or secrets.token_hex(_KEY_BYTES))
        future: asyncio.Future[Connection | None] = asyncio.get_running_loop().create_future()
        helper.asked[key] = future
        try:
            told = {name: request[name] for name in ("do", "to", "from", "contact") if name in request}
            await helper.connection.say(**told, key=key)
            async with asyncio.timeout(self._limits.patience_s):
                return await future
        except TimeoutError:
            raise Refused(f"the helper of {to.host} does not answer") from None
        finally:
            del helper.asked[key]

    # ---- other frontals ----

    async def _be_watched(self, connection: Connection) -> None:
        """Answer signs of life until the other frontal leaves."""
        with contextlib.suppress(OSError, Refused):
            await connection.say(ok=True)
            while "leave" not in await connection.hear(self._limits, self._limits.silence_s):
                await connection.say(pong=True)
        connection.close()

    def _need(self, frontal: str, job: str) -> None:
        """A job needs another frontal from now on: if that goes, its helpers are told."""
        if (used := self._jobs.get(job)) is not None:
            used.through.add(frontal)
        if frontal not in self._watched:
            self._watched[frontal] = asyncio.create_task(self._watch(frontal))

    async def _watch(self, frontal: str) -> None:
        """Until it is gone, or no job needs it."""
        try:
            connection = await self._dial(frontal)
            async with closing(connection):
                while any(frontal in used.through for used in self._jobs.values()):
                    await connection.say(do="watch")
                    await connection.hear(self._limits, self._limits.silence_s)
                    await connection.quiet(self._limits.silence_s / SIGNS)
                await connection.say(leave=True)
        except (Refused, OSError) as error:
            self._log.say(f"the frontal of site {frontal} is gone: {error}")
            await self._tell(frontal)
        finally:
            del self._watched[frontal]

    async def _tell(self, frontal: str) -> None:
        """The helpers of jobs that need it."""
        for (job, _), helper in list(self._helpers.items()):
            if frontal in self._jobs[job].through:
                with contextlib.suppress(OSError):
                    await helper.connection.say(gone=frontal)

    async def _dial(self, frontal: str) -> Connection:
        return await dial(
            self._identity, self._relay.dialled(frontal, self._site), Name("frontal", frontal), self._limits
        )

    # ---- requests that go to the target's frontal ----

    async def _route(self, connection: Connection, peer: Name, request: dict[str, Any]) -> None:
        target = self._relay.site_of(end_of(request, "to").host)
        if target is None:
            raise Refused(f"{request['to']} is in no network of a site")
        self._check_caller(peer, request)
        frontal = self._relay.frontal_of(target)
        if frontal == self._site:
            await self._answer(connection, request)
        elif peer.role == "frontal":
            raise Refused(f"{request['to']} is none of this frontal's")
        else:
            await self._pass_on(connection, request, frontal)

    def _check_caller(self, peer: Name, request: dict[str, Any]) -> None:
        """A helper speaks for its site, a frontal for those that it serves."""
        origin = self._relay.site_of(end_of(request, "from").host)
        speaks = (
            origin == peer.site if peer.role == "helper" else origin and self._relay.frontal_of(origin) == peer.site
        )
        if not speaks:
            raise Refused(f"speaks for {request['from']}, which is none of its own")

    async def _answer(self, connection: Connection, request: dict[str, Any]) -> None:
        if request["do"] == "lookup":
            helper = self._helpers.get((word_of(request, "job"), end_of(request, "to").host))
            async with closing(connection):
                await connection.say(ok=True, contact=helper and helper.contact)
            self._count(request)
            return
        reached = await self._ask(request)
        await connection.say(ok=True)
        self._count(request)
        if reached is None:
            connection.close()
        else:
            await self._carry(connection, reached, word_of(request, "job"))

    async def _pass_on(self, connection: Connection, request: dict[str, Any], frontal: str) -> None:
        try:
            other = await self._dial(frontal)
        except Refused as error:
            self._log.say(f"cannot reach the frontal of site {frontal}: {error}")
            raise Refused(f"the frontal of site {frontal} cannot be reached: {error}") from None
        try:
            await other.say(**request)
            answer = await other.hear(self._limits, self._limits.patience_s * 2)
            await connection.say(**answer)
        except BaseException:
            other.abort()
            raise
        if "refused" not in answer:
            self._count(request)
            self._need(frontal, word_of(request, "job"))
        await self._carry(connection, other, word_of(request, "job"))


def _refusal(message: dict[str, Any]) -> Refused:
    code = message.get("code")
    return Refused(str(message["refused"]), code if isinstance(code, int) else 0)


async def serve(relay: Relay, site: str, said: Said) -> None:
    """Run the frontal of a site until SIGTERM, or until the task is cancelled (Ctrl-C). Raises OrreryError."""
    frontal = Frontal(relay, site, said)
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    try:
        await frontal.start()
        await ended.wait()
    finally:
        with contextlib.suppress(asyncio.CancelledError):
            await frontal.close()
