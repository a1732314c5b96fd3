#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""What connections between clusters cost on real TCP: set-ups by each technique, and messages over a relay.

Four programs run on nodes of two sites, each in its place by a prefix command: the helpers of two nodes `a` and `b`, the
broker, and a frontal beside `b`, through which `b` speaks to the broker. They exchange what docs/design/reach.md says, but
nothing stands in their way. The clock of all nodes must be one (namespaces of one machine). Prints, as JSON: for each
technique the seconds from when `a` asks until `b` has its first byte, and for each size half the time there and back.

    bench/connections.py --a "ip netns exec A" 10.0.0.1 --b "ip netns exec B" 10.0.1.1 \
        --frontal "ip netns exec F" 10.0.1.2 --broker "ip netns exec C" 10.0.0.2 --buffer 65536
"""

from __future__ import annotations

import argparse
import json
import shlex
import socket
import statistics
import struct
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from typing import Any

BROKER, FRONTAL, CONTROL, NODE, OWN = 7000, 7200, 7300, 7100, 7400
TECHNIQUES = ("direct", "reverse", "traversing", "relay")
SIZES = (1, 1024, 4096, 16384, 65536, 262144, 1048576)
PINGS = 9  # by which the broker learns how far away a helper is
TRIES = 50  # to connect at the same time as the other node
_HEAD = struct.Struct("!q")


def _plain(connection: socket.socket) -> socket.socket:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    connection.settimeout(None)
    return connection


def _listen(port: int) -> socket.socket:
    return socket.create_server(("", port), backlog=64)


def _connect(address: str, port: int) -> socket.socket:
    for _ in range(200):
        try:
            return _plain(socket.create_connection((address, port), timeout=20))
        except ConnectionRefusedError:
            time.sleep(0.05)
    raise SystemExit(f"nobody listens at {address}:{port}")


def _send(connection: socket.socket, payload: bytes) -> None:
    connection.sendall(_HEAD.pack(len(payload)) + payload)


def _receive(connection: socket.socket, bytes_: int) -> bytes:
    data = bytearray(bytes_)
    view = memoryview(data)
    while view:
        got = connection.recv_into(view)
        if got == 0:
            raise EOFError
        view = view[got:]
    return bytes(data)


def _message(connection: socket.socket) -> bytes:
    return _receive(connection, _HEAD.unpack(_receive(connection, _HEAD.size))[0])


def _say(connection: socket.socket, **what: Any) -> None:
    _send(connection, json.dumps(what).encode())


def _heard(connection: socket.socket) -> dict[str, Any]:
    return dict(json.loads(_message(connection)))


def _in_background(work: Any, *arguments: Any) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()


def broker(_: argparse.Namespace) -> None:
    """Answer whom a technique concerns: the node that asks, the other one, or both. Two that traverse begin together."""
    listening, helpers, away_s = _listen(BROKER), {}, {}
    while len(helpers) < 2:
        connection = _plain(listening.accept()[0])
        name = _heard(connection)["name"]
        helpers[name], away_s[name] = connection, _way_s(connection)
    while True:
        question = _heard(helpers["a"])
        for name, silent in (("b", "direct"), ("a", "reverse")):
            if question["technique"] != silent:
                _say(helpers[name], wait_s=max(away_s.values()) - away_s[name], **question)


def _way_s(connection: socket.socket) -> float:
    times = []
    for _ in range(PINGS):
        begin = time.monotonic()
        _say(connection)
        _message(connection)
        times.append((time.monotonic() - begin) / 2)
    return min(times)


def _register(connection: socket.socket, name: str) -> None:
    _say(connection, name=name)
    for _ in range(PINGS):
        _message(connection)
        _say(connection)


def frontal(options: argparse.Namespace) -> None:
    """Join the connections that come in pairs, and pass on what the helper of `b` and the broker say."""
    control = _listen(CONTROL)

    def pass_on() -> None:
        inner = _plain(control.accept()[0])
        outer = _connect(options.broker_address, BROKER)
        _in_background(_pipe, inner, outer, 65536)
        _in_background(_pipe, outer, inner, 65536)

    _in_background(pass_on)
    listening = _listen(FRONTAL)
    while True:
        first, second = (_plain(listening.accept()[0]) for _ in range(2))
        for source, target in ((first, second), (second, first)):
            _in_background(_pipe, source, target, options.buffer)


def _pipe(source: socket.socket, target: socket.socket, buffer: int) -> None:
    try:
        while True:
            if buffer == 0:
                _send(target, _message(source))
            elif data := source.recv(buffer):
                target.sendall(data)
            else:
                break
    except (EOFError, OSError):
        pass
    target.close()


def _simultaneous(port: int, address: str) -> socket.socket:
    """Connect to a node that does the same at the same time. A request that comes too early is answered by a reset."""
    last: OSError | None = None
    for _ in range(TRIES):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        connection.settimeout(20)
        connection.bind(("", port))
        try:
            connection.connect((address, port))
        except OSError as error:
            connection.close()
            last = error
            continue
        return _plain(connection)
    raise SystemExit(f"no simultaneous connection with {address} in {TRIES} tries; the last one: {last}")


def helper_b(options: argparse.Namespace) -> None:
    """Do as the broker says, and answer each message with an equal one; print when first messages came."""
    listening = _listen(NODE)

    def accept() -> None:
        while True:
            _in_background(_echo, _plain(listening.accept()[0]))

    _in_background(accept)
    control = _connect(options.frontal_address, CONTROL)
    _register(control, "b")
    while True:
        told = _heard(control)
        if told["technique"] == "reverse":
            connection = _connect(options.a_address, NODE)
        elif told["technique"] == "traversing":
            time.sleep(told["wait_s"])
            connection = _simultaneous(told["port"], options.a_address)
        else:
            connection = _connect(options.frontal_address, FRONTAL)
        _in_background(_echo, connection)


def _echo(connection: socket.socket) -> None:
    """Answer the first message, of one byte, with the time at which it came, and others with themselves."""
    try:
        while True:
            data = _message(connection)
            now = time.monotonic()
            _send(connection, struct.pack("!d", now) if len(data) == 1 else data)
    except (EOFError, OSError):
        connection.close()


def helper_a(options: argparse.Namespace) -> None:
    """Make connections by each technique, and send over the direct and the relayed one."""
    listening, control = _listen(NODE), _connect(options.broker_address, BROKER)
    _register(control, "a")
    time.sleep(1)
    found: dict[str, Any] = {"set_up_s": {}, "one_way_s": {}}
    port = OWN
    for technique in TECHNIQUES:
        times = []
        for _ in range(options.repetitions):
            port += 1
            begin = time.monotonic()
            _say(control, technique=technique, port=port)
            connection = _connected(technique, control, listening, port, options)
            _send(connection, b"x")
            times.append(struct.unpack("!d", _message(connection))[0] - begin)
            if technique in ("direct", "relay") and len(times) == options.repetitions:
                found["one_way_s"][technique] = _one_ways(connection, options.repetitions)
            connection.close()
        found["set_up_s"][technique] = statistics.median(times)
    json.dump(found, sys.stdout)


def _connected(
    technique: str, control: socket.socket, listening: socket.socket, port: int, options: argparse.Namespace
) -> socket.socket:
    if technique == "reverse":
        return _plain(listening.accept()[0])
    told = _heard(control)
    if technique == "direct":
        return _connect(options.b_address, NODE)
    if technique == "traversing":
        time.sleep(told["wait_s"])
        return _simultaneous(port, options.b_address)
    return _connect(options.frontal_address, FRONTAL)


def _one_ways(connection: socket.socket, repetitions: int) -> dict[int, float]:
    found = {}
    for size in SIZES:
        payload, times = bytes(size + 1), []  # one byte alone would be answered with the time
        for _ in range(repetitions):
            begin = time.monotonic()
            _send(connection, payload)
            _message(connection)
            times.append((time.monotonic() - begin) / 2)
        found[size] = statistics.median(times)
    return found


ROLES = {"broker": broker, "frontal": frontal, "b": helper_b, "a": helper_a}


def main() -> None:
    """Start the four programs, and print what `a` found; or be one of them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ROLES:
        parser.add_argument(f"--{name}", nargs=2, metavar=("PREFIX", "ADDRESS"), required=True)
    parser.add_argument("--buffer", type=int, default=0, help="bytes that the frontal stores; 0: whole messages")
    parser.add_argument("--repetitions", type=int, default=15)
    parser.add_argument("--role", choices=ROLES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    for name in ROLES:
        setattr(options, f"{name}_address", getattr(options, name)[1])
    if options.role:
        return ROLES[options.role](options)
    with ExitStack() as at_the_end:
        for name in ROLES:
            prefix = shlex.split(getattr(options, name)[0])
            process = at_the_end.enter_context(subprocess.Popen([*prefix, sys.executable, *sys.argv, "--role", name]))
            at_the_end.callback(process.terminate)
        code = process.wait(timeout=600)
    sys.exit(code)


if __name__ == "__main__":
    main()
