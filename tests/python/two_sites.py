# SPDX-License-Identifier: BSD-3-Clause
"""Two sites of network namespaces: nodes, a gateway each with a firewall or NAT by nftables, and a backbone between them."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness import HUNG_S
from needs import NEEDS
from relays import ORRERY, serve, write_relay
from skips import is_here

PORTS, HELPER_PORTS = "40000-40199", "41000-41009"
NODES = ("a1", "a2", "b1", "b2")
_AGENT = """#!/bin/sh
while :; do case "$1" in -*) shift ;; *) break ;; esac; done
name=$1; shift
case $name in 10.81.1.*) name=a${{name##*.}} ;; 10.81.2.*) name=b${{name##*.}} ;; esac
exec ip netns exec {prefix}$name unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' "$name" "$*"
"""


def why_not() -> str | None:
    """Why such sites cannot be made here with the tools that they need."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not is_here("nftables"):
        return NEEDS["nftables"].reason
    probe = "nft add table ip t && nft add chain ip t c '{ type nat hook postrouting priority 100; }'"
    done = subprocess.run(["unshare", "--net", "sh", "-c", probe], check=False, capture_output=True, text=True)
    return None if done.returncode == 0 else f"this kernel has no NAT by nftables: {done.stderr.strip()[:80]}"


@dataclass
class Sites:
    """Sites a and b with nodes a1, a2 and b1, b2, gateways ga and gb."""

    folder: Path
    prefix: str
    policies: tuple[str, str]
    started: list[subprocess.Popen[str]] = field(default_factory=list)

    @property
    def config(self) -> Path:
        return self.folder / "relay.toml"

    def inside(self, name: str, command: Sequence[str], **more: object) -> subprocess.Popen[str]:
        """Start a command on a node or gateway."""
        process: subprocess.Popen[str] = subprocess.Popen(  # type: ignore[call-overload]
            [*inside(self.prefix, name), *command], text=True, start_new_session=True, **more
        )
        self.started.append(process)
        return process

    def output(self, name: str, command: Sequence[str], timeout_s: float = HUNG_S) -> subprocess.CompletedProcess[str]:
        """Run a command there to its end."""
        process = self.inside(name, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
        try:
            out, err = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired:
            self.end_all()
            out, err = process.communicate()
            err += f"\nstopped after {timeout_s} s"
        return subprocess.CompletedProcess(list(command), process.returncode, out, err)

    def end_all(self) -> None:
        """End what runs on nodes, at once."""
        self.kill(*NODES)

    def kill(self, *names: str) -> None:
        """End what runs on these nodes or gateways, at once."""
        for name in names:
            for word in _ip("netns", "pids", self.prefix + name).split():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(int(word), signal.SIGKILL)

    def serve(self, site: str) -> subprocess.Popen[str]:
        """Start the frontal of a site on its gateway, and wait until it listens."""
        process = serve(self.config, site, self._log(site), inside(self.prefix, f"g{site}"))
        self.started.append(process)
        return process

    def log(self, site: str) -> str:
        """What the frontal has said."""
        return self._log(site).read_text()

    def _log(self, site: str) -> Path:
        return self.folder / f"frontal-{site}.log"

    def run(self, launcher: Sequence[str], timeout_s: float = HUNG_S) -> subprocess.CompletedProcess[str]:
        """`orrery relay run` on a1."""
        return self.output("a1", self.run_line(launcher), timeout_s)

    def run_line(self, launcher: Sequence[str]) -> list[str]:
        return [
            ORRERY,
            "relay",
            "run",
            "--config",
            str(self.config),
            "--agent",
            shlex.quote(str(self.folder / "agent")),
            "--",
            *launcher,
        ]

    def processes(self, names: Sequence[str] = NODES) -> list[str]:
        """Command lines of what runs on nodes."""
        found = []
        for name in names:
            for word in _ip("netns", "pids", self.prefix + name).split():
                try:
                    found.append(Path(f"/proc/{word}/cmdline").read_text().replace("\0", " "))
                except OSError:
                    continue
        return found

    def numbers(self, name: str, word: str) -> list[int]:
        """Processes of `orrery` on a node whose command is this one."""
        found = []
        for number in _ip("netns", "pids", self.prefix + name).split():
            with contextlib.suppress(OSError):
                words = Path(f"/proc/{number}/cmdline").read_text().split("\0")
                if word in words[:4] and "orrery" in "".join(words[:4]):
                    found.append(int(number))
        return found


def inside(prefix: str, name: str) -> list[str]:
    """What stands before a command that runs on a node or gateway."""
    return [*f"ip netns exec {prefix}{name} unshare --uts sh -c".split(" "), 'hostname "$0"; exec "$@"', name]


def _ip(*words: str) -> str:
    done = subprocess.run(["ip", *words], check=False, capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, f"ip {' '.join(words)}: {done.stderr}"
    return done.stdout


@contextmanager
def two_sites(folder: Path, policies: tuple[str, str], rate: str | None = None) -> Iterator[Sites]:
    """Build them, with keys and relay.toml in `folder`; whatever happens, nothing of them stays."""
    sites = Sites(folder, f"orl-{os.getpid()}-", policies)
    names = ["net", *(f"{kind}{end}" for kind in "ab" for end in "12"), "ga", "gb"]
    try:
        for name in names:
            _ip("netns", "add", sites.prefix + name)
            _ip("-n", sites.prefix + name, "link", "set", "lo", "up")
        _build(sites, rate)
        _write(sites)
        yield sites
    finally:
        _remove(sites, names)


def _remove(sites: Sites, names: Sequence[str]) -> None:
    there = subprocess.run(["ip", "netns", "list"], check=False, capture_output=True, text=True).stdout.split()
    for name in names:
        if sites.prefix + name not in there:
            continue
        sites.kill(name)
        _ip("netns", "del", sites.prefix + name)
    for process in sites.started:
        for stream in (process.stdout, process.stderr):
            if stream is not None:
                stream.close()
        process.wait(10)


def _build(sites: Sites, rate: str | None) -> None:
    p = sites.prefix
    _ip("-n", p + "net", "link", "add", "wan", "type", "bridge", "forward_delay", "0")
    _ip("-n", p + "net", "link", "set", "wan", "up")
    for number, site in enumerate("ab", 1):
        gate = f"{p}g{site}"
        _cable(p + "net", f"up{site}", gate, "wan", address=f"192.0.2.{number}/24", rate=rate)
        _ip("-n", p + "net", "link", "set", f"up{site}", "master", "wan")
        _ip("-n", gate, "link", "add", "lan", "type", "bridge", "forward_delay", "0")
        _ip("-n", gate, "addr", "add", f"10.81.{number}.254/24", "dev", "lan")
        _ip("-n", gate, "link", "set", "lan", "up")
        for end in "12":
            node = f"{p}{site}{end}"
            _cable(gate, f"n{end}", node, "eth0", address=f"10.81.{number}.{end}/24", rate=rate)
            _ip("-n", gate, "link", "set", f"n{end}", "master", "lan")
            _ip("-n", node, "route", "add", "default", "via", f"10.81.{number}.254")
        _ip("-n", gate, "route", "add", f"10.81.{3 - number}.0/24", "via", f"192.0.2.{3 - number}")
        _inside(gate, "echo 1 >/proc/sys/net/ipv4/ip_forward")
        _inside(gate, f"nft '{_rules(sites.policies[number - 1])}'")


def _rules(policy: str) -> str:
    """What the gateway of a site lets through."""
    into = {"open": "accept", "ports": f"tcp dport {{ {PORTS}, {HELPER_PORTS} }} accept; iif wan drop"}.get(
        policy, "drop"
    )
    rules = """add table ip site
add chain ip site forward { type filter hook forward priority 0; }
add rule ip site forward ct state established,related accept
"""
    rules += "\n".join(f"add rule ip site forward iif wan {rule.removeprefix('iif wan ')}" for rule in into.split("; "))
    if policy == "nat":
        rules += """
add chain ip site out { type nat hook postrouting priority 100; }
add rule ip site out oif wan masquerade"""
    return rules


def _cable(near: str, name: str, far: str, end: str, *, address: str, rate: str | None) -> None:
    _ip("-n", near, "link", "add", name, "type", "veth", "peer", "name", end, "netns", far)
    _ip("-n", near, "link", "set", name, "up")
    _ip("-n", far, "addr", "add", address, "dev", end)
    _ip("-n", far, "link", "set", end, "up")
    if rate is not None:
        for place, device in ((near, name), (far, end)):
            bucket = f"tc qdisc add dev {device} root tbf rate {rate} burst 16kb limit 400kb"
            _inside(place, bucket)


def _inside(name: str, command: str) -> None:
    done = subprocess.run(
        ["ip", "netns", "exec", name, "sh", "-c", command], check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, f"{command}: {done.stderr}"


def _write(sites: Sites) -> None:
    agent = sites.folder / "agent"
    agent.write_text(_AGENT.format(prefix=sites.prefix))
    agent.chmod(0o755)
    write_relay(sites.folder, {site: _table(site, policy) for site, policy in zip("ab", sites.policies, strict=True)})


def _table(site: str, policy: str) -> dict[str, object]:
    number = "ab".index(site) + 1
    return {
        "networks": [f"10.81.{number}.0/24"],
        "policy": policy,
        "frontal": f"192.0.2.{number}:7443",
        "inside": f"10.81.{number}.254:7443",
        **({"ports": PORTS} if policy == "ports" else {}),
        **({"helper_ports": HELPER_PORTS} if policy in ("open", "ports") else {}),
    }
