# SPDX-License-Identifier: BSD-3-Clause
"""The helper of a node: makes connections to other sites for the processes of the node, and takes those that come for them."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

from orrery.errors import OrreryError
from orrery.relay import local
from orrery.relay.ending import GRACE_S
from orrery.relay.gate import Gate
from orrery.relay.log import Log, Said
from orrery.relay.roster import Account, Membership, Roster
from orrery.relay.secure import Identity, Name
from orrery.relay.settings import End, Method, Ports, Relay
from orrery.relay.stream import CutError, RelayStream, carry
from orrery.relay.tally import Load, Tally
from orrery.relay.tasks import Tasks
from orrery.relay.wire import (
    HELPER_ITSELF,
    SIGNS,
    BadLine,
    Connection,
    ExpectedConnections,
    Refusal,
    Route,
    closing,
    dial,
    dial_frontal,
    end_of,
    new_key,
    reason,
    refusal,
    refusing,
    why,
    word_of,
)

_LOWEST_PORT = 1024
_STEPS = 4
"""That a request may take, each with the limit `patience_s`: two frontals, a helper, the target."""
_HANDING_OVER_S = 600.0
"""How long a node whose command has ended waits for processes of other nodes to read (docs/how-to/span-clusters.md)."""
_PAUSE_S = 0.02


class GoneError(OrreryError):
    """A relay, or the helper of another node, is gone, and the job with it."""


@dataclass(eq=False)
class _CarriedConnection:
    """A connection of processes that this helper carries."""

    stream: RelayStream
    other: str
    """Address of the other node."""
    by_relay: bool
    ended: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when it is counted no more."""


class Helper:
    """One helper; it serves one job on one node."""

    def __init__(self, relay: Relay, here: tuple[str, str], job: str, said: Said) -> None:
        """`here`: site and address. Raises InputError: the site's keys are not there."""
        self._relay = relay
        self._limits = relay.limits
        self._site, self._address = here
        self._job = job
        self._log = Log(said)
        self._identity = Identity(relay, Name("helper", self._site))
        self._gate = Gate(self._identity, relay, self._log, self._serve)
        self._frontal = relay.frontal_of(self._site)
        self._contact: End | None = None
        self._control: Connection | None = None
        self._local: socket.socket | None = None
        self._tasks = Tasks()
        self._reversed = ExpectedConnections[Connection](relay.limits)
        self._listeners = local.Listeners()
        self._origins: dict[End, End] = {}
        self._joining = set[socket.socket]()
        """Connected to processes of this node; what comes from those has no way to the other site yet."""
        self.tally = Tally()
        """What it carries now."""
        self._carried = set[_CarriedConnection]()
        self._cut: dict[tuple[str, bool], Load] = {}
        """What had passed connections that were cut, by other node and whether a relay was between."""
        self.job_failed = False
        """Whether the job has ended by a failure of its own, such as MPI_Abort. Its launcher kills what is left on all nodes, so
        that connections which are cut from then on are no loss.
        """
        self._roster = Roster(relay.limits, self._explain)
        self._membership: Membership | None = None
        self._heeding: asyncio.Task[None] | None = None
        self._next_port = _LOWEST_PORT
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Gets an exception, `GoneError`, when a relay or another helper is gone, so that the job has to end."""
        self.over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        """Done when the helper where the job was started says that the job has ended; whether by a failure."""

    async def start(self, started_on: str | None = None) -> bool:
        """Be there for the processes of this node; False: the job has a helper here already.

        Args:
            started_on: address of the node where the job was started; its helper is told how the job ends here. None: this one.

        Raises:
            OrreryError: the frontal or that helper cannot be reached or refuses, or no port of `helper_ports` is free.
        """
        try:
            self._local = local.listen(self._job)
        except OSError as error:
            if error.errno == errno.EADDRINUSE and local.is_served(self._job):
                return False
            raise OrreryError(f"cannot make a local socket: {reason(error)}") from None
        self._listen()
        try:
            self._control = await self._dial_frontal()
            contact = None if self._contact is None else str(self._contact)
            await self._control.say(do="register", job=self._job, address=self._address, contact=contact)
            self._agreed(await self._control.hear(self._limits))
        except (Refusal, OSError) as error:
            raise OrreryError(f"the relay of {self._where(self._frontal)} does not take this node: {error}") from None
        self._tasks.start(self._obey(self._control))
        self._tasks.start(self._give_signs(self._control))
        if started_on is not None:
            await self._enlist_with(started_on)
        self._tasks.start(self._accept(self._local))
        return True

    async def close(self) -> None:
        """End everything."""
        if not self.gone.cancel() and not self.gone.cancelled():
            self.gone.exception()  # it has been seen
        if self._heeding is not None:
            self._heeding.cancel()
        if self._membership is not None:
            await self._membership.report(Account(self.gone.done() and not self.gone.cancelled(), self.cut))
        await self._tasks.close()
        await self._gate.close()
        if self._local is not None:
            self._local.close()
        if self._control is not None:
            await self._leave(self._control)
        self.tally.close()

    @property
    def cut(self) -> int:
        """Connections of processes that were cut before all their data had arrived."""
        return self._load(lambda *_: True, cut=True).connections

    async def hand_over(self, stopped: asyncio.Future[None]) -> None:
        """Wait until other nodes have been given all that the processes of this node sent, which have ended; then part from those.

        Processes of other nodes have 600 s to read it, and 5 s once the job is over. What is not handed over by then, or when a
        relay or helper is gone, is lost: such connections are cut, and counted in `cut`. Nothing is waited for from other nodes:
        a launcher may keep its end of a connection until this node has ended.

        Args:
            stopped: done when the user does not want to wait any longer.
        """
        why = await self._wait_for_readers(stopped)
        carried = list(self._carried)
        await asyncio.gather(*(connection.stream.begun.wait() for connection in carried))
        for connection in carried:
            if connection.stream.handed_over:
                connection.stream.leave()
            else:
                lost = f"{why}, after {connection.stream.sent:,} bytes to the other site"
                connection.stream.cut(CutError(lost))
        await asyncio.gather(*(connection.ended.wait() for connection in carried))

    async def _wait_for_readers(self, stopped: asyncio.Future[None]) -> str:
        """Why nothing more is waited for, if something is not handed over."""
        time, told = asyncio.get_running_loop().time, False
        begin = time()
        until = begin + _HANDING_OVER_S
        while self._joining or not all(connection.stream.handed_over for connection in self._carried):
            if stopped.done() or self.gone.done():
                return "this helper ends"
            if self.over.done():
                until = min(until, time() + GRACE_S)
            if time() > until:
                return "what the process of this node sent before it ended is not read"
            if time() > begin + GRACE_S and not told:
                told = True
                self._say_what_waits()
            await asyncio.sleep(_PAUSE_S)
        return ""

    def _say_what_waits(self) -> None:
        load = sum((carried.stream.load for carried in self._carried if not carried.stream.handed_over), Load())
        self._log.say(
            f"the command has ended on {self._address}, but processes of other nodes have not read all that it sent: {load}; "
            f"they have {_HANDING_OVER_S:g} s, or until Ctrl-C"
        )

    async def conclude(self, *, failed: bool) -> list[tuple[str, Account | None]]:
        """Let the job end on all nodes that have enlisted here; how it ended on each (`Roster.conclude`)."""
        return await self._roster.conclude(failed=failed)

    async def check_relay(self) -> None:
        """Find out whether the relay of this node's site is there; if not, `gone` says so."""
        if not self.gone.done():
            with contextlib.suppress(Refusal, OSError):
                (await self._look_up(self._address)).close()

    @staticmethod
    async def _leave(control: Connection) -> None:
        with contextlib.suppress(OSError, TimeoutError):
            await control.say(leave=True)
            async with asyncio.timeout(1.0):
                await control.ended()
        control.abort()

    def _where(self, frontal: str) -> str:
        """A relay, for people."""
        served = [name for name in self._relay.sites if self._relay.frontal_of(name) == frontal]
        return f"site {frontal} ({self._relay.dialled(frontal, self._site)}, serves {', '.join(served)})"

    def _listen(self) -> None:
        """For helpers of other sites, if the site has ports for that."""
        text = self._relay.sites[self._site].helper_ports
        if text is None:
            return
        ports = Ports.parse(text)
        for port in range(ports.first, ports.last + 1):
            with contextlib.suppress(OSError):
                self._gate.listen(End(self._address, port))
                self._contact = End(self._address, port)
                return
        raise OrreryError(f"no port of sites.{self._site}.helper_ports = {text} is free on {self._address}")

    async def _dial_frontal(self) -> Connection:
        return await dial_frontal(self._identity, self._relay, self._frontal)

    @staticmethod
    def _agreed(answer: dict[str, Any]) -> dict[str, Any]:
        """The answer, if it is no refusal. Raises Refusal."""
        if "refused" in answer:
            raise refusal(answer)
        return answer

    # ---- the frontal ----

    async def _obey(self, control: Connection) -> None:
        """Do what the frontal asks for until it is gone."""
        try:
            while True:
                try:
                    message = await control.hear(self._limits, self._limits.silence_s)
                except BadLine as error:
                    self._log.refuse(f"the relay of {self._where(self._frontal)} says what is no request: {error}")
                    continue
                if (gone := str(message.get("gone"))) in self._relay.sites:
                    self._miss_relay(gone)
                elif message.get("do") in ("open", "reverse", "enlist"):
                    self._tasks.start(self._do(control, message))
        except (Refusal, OSError) as error:
            silence = f"no sign for {self._limits.silence_s:g} s"
            why = "it has closed the connection" if isinstance(error, OSError) else silence
            self._miss_relay(self._frontal, why)

    def _miss_relay(self, frontal: str, seen: str = "") -> None:
        """A relay is gone, and the job with it. `seen`: how it is known, if there is more to say."""
        own = frontal == self._frontal
        load = self._load(lambda other, by_relay: by_relay and (own or self._frontal_of(other) == frontal))
        others = ", ".join(name for name in self._relay.sites if name != self._site)
        self._give_up(
            f"the relay of {self._where(frontal)} is gone{seen and f': {seen}'}; it carried {load} of this node; "
            f"sites {self._site} and {others} do not reach each other without it, and the job ends"
        )

    def _give_up(self, text: str) -> None:
        if not self.gone.done():
            self.gone.set_exception(GoneError(text))

    def _load(self, counts: Callable[[str, bool], bool], *, cut: bool = False) -> Load:
        """What has passed connections that are carried or were cut; or only the latter. `counts`: by other node, by relay or not."""
        loads = [load for key, load in self._cut.items() if counts(*key)]
        if not cut:
            loads += [carried.stream.load for carried in self._carried if counts(carried.other, carried.by_relay)]
        return sum(loads, Load())

    def _frontal_of(self, host: str) -> str | None:
        site = self._relay.site_of(host)
        return None if site is None else self._relay.frontal_of(site)

    async def _give_signs(self, control: Connection) -> None:
        with contextlib.suppress(OSError):
            while True:
                await asyncio.sleep(self._limits.silence_s / SIGNS)
                await control.say(ping=True)

    async def _do(self, control: Connection, message: dict[str, Any]) -> None:
        """Connect to a process of this node, and to who wants it; tell the frontal of a failure."""
        try:
            key = word_of(message, "key")
        except Refusal:
            return  # nobody waits for an answer
        try:
            request = Route.parse(message)
            await {"open": self._open, "reverse": self._reverse, "enlist": self._enlist}[request.do](request, key)
        except (Refusal, OSError) as error:
            with contextlib.suppress(OSError, Refusal):
                await control.say(key=key, **refusing(error))

    async def _open(self, request: Route, key: str) -> None:
        async with self._target(request) as target, closing(await self._dial_frontal()) as back:
            await back.say(do="attach", key=key)
            await self._carry(back, target, request)

    async def _enlist(self, request: Route, key: str) -> None:
        """The helper of another node of the job, which was started here. Raises Refusal."""
        if self._membership is not None:
            raise Refusal(f"the job was not started on {self._address}")
        async with closing(await self._dial_frontal()) as back:
            await back.say(do="attach", key=key)
            await self._roster.follow(back, request.origin.host)

    async def _reverse(self, request: Route, key: str) -> None:
        contact, caller = request.contact, self._relay.site_of(request.origin.host)
        if contact is None or caller is None or self._relay.site_of(contact.host) != caller:
            raise Refusal(f"{contact} is none of the caller's site")
        async with (
            self._target(request) as target,
            closing(await dial(self._identity, contact, Name("helper", caller), self._limits)) as back,
        ):
            await back.say(do="attach", key=key)
            if self._control is not None:
                await self._control.say(key=key, ok=True)
            await self._carry(back, target, request)

    async def _carry(self, link: Connection, sock: socket.socket, request: Route) -> None:
        """Let data pass, and say what was lost; the process's socket stays until that has taken everything."""
        stream = RelayStream(link, self._limits, self.tally)
        try:
            await self._account_for(stream, link, sock, request)
            await stream.lost.wait()
        finally:
            stream.close()

    async def _account_for(self, stream: RelayStream, link: Connection, sock: socket.socket, request: Route) -> None:
        other = request.to if request.to.host != self._address else request.origin
        carried = _CarriedConnection(stream, other.host, link.peer is not None and link.peer.role == "frontal")
        self._carried.add(carried)
        self._joining.discard(sock)
        self.tally.add(1, 0, 0)
        try:
            await carry(link, stream, sock, self._limits)
        except CutError as error:
            if not (error.by_process or self.job_failed):
                key = (carried.other, carried.by_relay)
                self._cut[key] = self._cut.get(key, Load()) + stream.load
                self._log.refuse(f"the connection from {request.origin} to {request.to} is reset: {error}")
        finally:
            self._carried.remove(carried)
            carried.ended.set()
            self.tally.add(-1, -stream.sent, -stream.delivered)

    # ---- the helper where the job was started ----

    async def _enlist_with(self, host: str) -> None:
        """Be one of the job's nodes from now on. Raises OrreryError."""
        try:
            connection = await self._by_relay(self._route("enlist", host))
            self._membership = Membership(connection, host, self._limits)
            await self._membership.begin()
        except (Refusal, OSError) as error:
            raise OrreryError(f"{self._helper_of(host)}, where the job was started, does not answer: {error}") from None
        self._tasks.start(self._membership.give_signs())
        self._heeding = self._tasks.start(self._heed(self._membership))

    async def _heed(self, membership: Membership) -> None:
        try:
            failed = await membership.wait()
        except (Refusal, OSError) as error:
            await self._explain(membership.host, why(error))
        else:
            self.over.set_result(failed)

    async def _explain(self, host: str, seen: str) -> None:
        """The connection to another helper of the job is gone: say whether that is gone, or a relay between, and give up."""
        if self.gone.done():
            return
        try:
            (await self._look_up(host)).close()
        except OSError:
            pass  # `gone` says it
        except Refusal as error:
            self._miss_relay(self._frontal_of(host) or self._frontal, why(error))
        else:
            load = self._load(lambda other, _: other == host)
            self._give_up(f"{self._helper_of(host)}, is gone: {seen}; it carried {load} of this node; the job ends")

    async def _look_up(self, host: str) -> Connection:
        """Ask the frontals where a helper is; the connection on which that was asked.

        Raises:
            Refusal: the frontal of the other site is gone, or that of this one, and then `gone` says so.
            OSError: the frontal of this site has gone meanwhile; `gone` says so.
        """
        try:
            return (await self._ask(await self._own_frontal(), self._route("lookup", host)))[0]
        except OSError as error:
            self._miss_relay(self._frontal, why(error))
            raise

    async def _own_frontal(self) -> Connection:
        """A connection to it. Raises Refusal: it is gone, as `gone` says."""
        try:
            return await self._dial_frontal()
        except Refusal as error:
            self._miss_relay(self._frontal, why(error))
            raise

    def _route(self, do: str, host: str) -> Route:
        """A request about a helper."""
        itself = HELPER_ITSELF
        return Route(do=do, job=self._job, to=End(host, itself), origin=End(self._address, itself))

    def _helper_of(self, host: str) -> str:
        """A helper, for people."""
        return f"the helper of {host}, site {self._relay.site_of(host)}"

    # ---- helpers of other sites ----

    async def _serve(self, connection: Connection, gate: Gate) -> None:
        message = await connection.hear(self._limits)
        do, peer = word_of(message, "do"), connection.peer
        if peer is None or peer.role != "helper" or peer.site == self._site or peer.site not in self._relay.sites:
            raise Refusal("is no helper of another site")
        gate.admit(connection)
        if do == "attach" and self._reversed.waits_for(key := word_of(message, "key")):
            self._reversed.give(key, connection)
            await connection.ended()  # it counts until then
        elif do == "open" and (request := Route.parse(message)).job == self._job:
            if self._relay.site_of(request.origin.host) != peer.site:
                raise Refusal(f"speaks for {request.origin}, which is none of its own")
            async with self._target(request) as target:
                await connection.say(ok=True)
                await self._carry(connection, target, request)
        else:
            raise Refusal("nobody waits for this connection")

    @contextlib.asynccontextmanager
    async def _target(self, request: Route) -> AsyncIterator[socket.socket]:
        """A connection to a process of this node, which learns for whom it is."""
        to, origin = request.to, request.origin
        if to.host != self._address:
            raise Refusal(f"{to} is not of this node, {self._address}")
        low_ports = self._relay.sites[self._site].low_ports
        if to.port < _LOWEST_PORT and to.port not in low_ports:
            raise Refusal(f"{to}: ports below {_LOWEST_PORT} are closed, but for sites.{self._site}.low_ports")
        if to.port not in low_ports and not self._listeners.has(to.port):
            raise Refusal(f"{to}: no process of the job listens there", errno.ECONNREFUSED)
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as sock:
            sock.settimeout(0)
            sock.bind((local.SOURCE, 0))
            source = End(*sock.getsockname())
            self._origins[source] = origin
            self._joining.add(sock)
            try:
                await self._connect_socket(sock, to)
                yield sock
            finally:
                self._joining.discard(sock)
                del self._origins[source]

    async def _connect_socket(self, sock: socket.socket, to: End) -> None:
        """Raises Refusal."""
        try:
            async with asyncio.timeout(self._limits.patience_s):
                await asyncio.get_running_loop().sock_connect(sock, (to.host, to.port))
        except TimeoutError:
            raise Refusal(f"{to} does not answer", errno.ETIMEDOUT) from None
        except OSError as error:
            raise Refusal(f"{to}: {reason(error)}", error.errno or 0) from None

    # ---- processes of this node ----

    async def _accept(self, listening: socket.socket) -> None:
        async for sock, _ in local.arrivals(listening):
            if not local.is_own(sock):
                sock.close()
            elif len(self._tasks) > (most := self._limits.connections):
                sock.close()
                self._log.refuse(
                    f"a process of this node gets no connection: limits.connections allows {most} at a time"
                )
            else:
                self._tasks.start(self._help(sock))

    async def _help(self, sock: socket.socket) -> None:
        """Answer one request of the connect layer."""
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(self._limits.patience_s):
                request = await local.receive(sock)
            if request.word == "hello":
                await loop.sock_sendall(sock, self._hello())
            elif request.word == "listen":
                self._listeners.add(request.socket)
                await loop.sock_sendall(sock, local.padded("ok"))
            elif request.word == "peer":
                origin = self._origins.get(request.ends[0])
                await loop.sock_sendall(sock, local.padded(f"peer {origin}" if origin else "none"))
            else:
                await self._reach(sock, *request.ends)
        except (OSError, ValueError, TimeoutError):
            pass  # the process is gone, or is none of ours
        finally:
            sock.close()

    def _hello(self) -> bytes:
        sites = self._relay.sites
        networks = " ".join(
            network for name, site in sites.items() if name != self._site for network in site.networks
        ).encode()
        text = sites[self._site].ports
        ports = Ports.parse(text) if text is not None else Ports(0, 0)
        return local.padded(f"hello {len(networks)} {ports.first} {ports.last}") + networks

    async def _reach(self, sock: socket.socket, to: End, named: End) -> None:
        """Try the methods in turn, and answer."""
        target = self._relay.site_of(to.host)
        origin = self._name(named)
        methods = self._relay.methods(self._site, target) if target is not None else []
        failures, code = [], 0
        for method in methods:
            try:
                await self._by(method, sock, to, origin)
            except Refusal as error:
                failures.append(f"{method}: {error}")
                if method != methods[-1]:
                    self._log.refuse(
                        f"{origin} cannot reach {to}, site {target}, by {method}: {error}; the next way is tried"
                    )
                code = error.code or code
            else:
                return
        if code != errno.ECONNREFUSED:  # that is a port where nobody listens: programs try such
            self._log.refuse(f"{origin} cannot reach {to}, site {target}: {'; '.join(failures)}")
        await asyncio.get_running_loop().sock_sendall(sock, local.padded(f"error {code or errno.EHOSTUNREACH}"))

    def _name(self, named: End) -> End:
        """What the other side sees: the program's socket has no port yet in most cases."""
        self._next_port = self._next_port + 1 if self._next_port < 65535 else _LOWEST_PORT
        return End(self._address, named.port or self._next_port)

    async def _by(self, method: Method, sock: socket.socket, to: End, origin: End) -> None:
        """Raises Refusal."""
        if method == "direct" and self._relay.sites[self._site].policy != "nat":
            await self._direct(sock, to)
            return
        make = {"direct": self._by_helper, "reverse": self._by_reverse, "relay": self._by_relay}[method]
        request = Route(do="open", job=self._job, to=to, origin=origin)
        try:
            connection = await make(request)
        except OSError as error:
            raise Refusal(why(error)) from None
        async with closing(connection):
            own, given = local.pair()
            with own:
                with given:
                    socket.send_fds(sock, [local.padded(f"piped {origin}")], [given.fileno()])
                await self._carry(connection, own, request)

    async def _direct(self, sock: socket.socket, to: End) -> None:
        """A plain connection of TCP, as the program itself would make it."""
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as plain:
            plain.settimeout(0)
            plain.bind((self._address, 0))
            await self._connect_socket(plain, to)
            socket.send_fds(sock, [local.padded("socket")], [plain.fileno()])

    async def _by_helper(self, request: Route) -> Connection:
        """Directly to the target's helper, which tells the target who calls."""
        to, target = request.to, self._relay.site_of(request.to.host)
        found, answer = await self._ask(await self._dial_frontal(), replace(request, do="lookup"))
        found.close()
        if answer.get("contact") is None:
            raise Refusal(f"the helper of {to.host} listens nowhere")
        contact = end_of(answer, "contact")
        if target is None or self._relay.site_of(contact.host) != target:
            raise Refusal(f"{contact} is none of site {target}")
        connection = await dial(self._identity, contact, Name("helper", target), self._limits)
        return (await self._ask(connection, request))[0]

    async def _by_reverse(self, request: Route) -> Connection:
        """The target's helper connects to this one."""
        if self._contact is None:
            raise Refusal("this helper listens nowhere")
        key = new_key()
        reverse = replace(request, do="reverse", contact=self._contact, key=key)

        async def ask() -> None:
            asked, _ = await self._ask(await self._dial_frontal(), reverse)
            asked.close()

        return await self._reversed.get(key, request.to.host, ask)

    async def _by_relay(self, request: Route) -> Connection:
        """Through the frontals."""
        return (await self._ask(await self._dial_frontal(), request))[0]

    async def _ask(self, connection: Connection, request: Route) -> tuple[Connection, dict[str, Any]]:
        """Make a request; the connection, and what was answered. Raises Refusal, OSError: then it is closed."""
        try:
            await connection.say(**request.fields())
            answer = self._agreed(await connection.hear(self._limits, self._limits.patience_s * _STEPS))
        except BaseException:
            connection.abort()
            raise
        return connection, answer
