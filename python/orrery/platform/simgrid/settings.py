# SPDX-License-Identifier: BSD-3-Clause
"""`<config>`: what a message costs (SMPI's overheads, factors and thresholds), as regimes of message sizes."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

from lxml import etree

from orrery.errors import InputError
from orrery.platform.simgrid import quantities
from orrery.platform.simgrid.document import Document, kind

Plain = dict[str, Any]

_OTHER_NAMES = {
    "smpi/bw-factor": "network/bandwidth-factor",
    "smpi/lat-factor": "network/latency-factor",
    "smpi/async-small-thres": "smpi/async-small-thresh",
    "smpi/send-is-detached-thres": "smpi/send-is-detached-thresh",
    "smpi/running-power": "smpi/host-speed",
}
_BY_SIZE = {
    "smpi/os": 0.0, "smpi/ois": 0.0, "smpi/or": 0.0, "network/bandwidth-factor": 1.0, "network/latency-factor": 1.0,
}  # fmt: skip
"""Settings that are lists of sizes and values, and their values for sizes below the first one."""
_ASYNCHRONOUS, _DETACHED = "smpi/async-small-thresh", "smpi/send-is-detached-thresh"
_WINDOW, _SPEED = "network/TCP-gamma", "smpi/host-speed"
_LOOPBACK_RATE, _LOOPBACK_LATENCY = "network/loopback-bw", "network/loopback-lat"
_DETACHED_BY_DEFAULT = "65536"  # SMPI's own value
_NOT_HELD = {
    "network/weight-S": "flows that share a link have equal parts of it, not by their round-trip times",
    "smpi/os": "what it adds for each byte keeps the sender busy, but does not delay the message",
    "smpi/ois": "MPI_Isend takes as long as MPI_Send (smpi/os)",
}


@dataclass(frozen=True)
class _Steps:
    """A value for each range of sizes: that of the last limit that a size is above."""

    limits: tuple[int, ...]
    values: tuple[tuple[float, float], ...]
    """Each limit has a constant, and what is added for each byte."""
    before: float
    """Constant of sizes up to the first limit."""

    def at(self, size: int) -> tuple[float, float]:
        """Constant and value per byte for a message of so many bytes."""
        position = bisect_left(self.limits, size)
        return self.values[position - 1] if position else (self.before, 0.0)


@dataclass(frozen=True)
class Settings:
    """What `<config>` says."""

    network: Plain | None
    """The table `[network]`. None: nothing is said of messages."""
    host_flops_per_s: float | None
    """Speed of the host that runs simulations."""
    loopback: tuple[float, float]
    """Bandwidth in bytes per second, and latency in seconds, of messages inside a host that has no loopback of its own."""


def settings(document: Document, root: etree._Element) -> Settings:
    """Read all `<config>` elements of the platform. Raises InputError naming the setting that is wrong."""
    reader = _SettingsReader(document, root)
    rates = (_LOOPBACK_RATE, quantities.bytes_per_second, "10GBps"), (_LOOPBACK_LATENCY, quantities.seconds, "0")
    loopback = tuple(reader.value(name, read, default) for name, read, default in rates)
    speed = None if reader.text(_SPEED) in (None, "auto") else reader.value(_SPEED, quantities.flops_per_second, "")
    network = _network(reader)
    reader.note_rest()
    return Settings(network, speed, (loopback[0], loopback[1]))


class _SettingsReader:
    def __init__(self, document: Document, root: etree._Element) -> None:
        self._document = document
        self._elements: dict[str, etree._Element] = {}
        self._used: set[str] = set()
        for config in (part for part in root.iterchildren(etree.Element) if kind(part) == "config"):
            for element in config.iterchildren("prop"):
                name = document.text(element, "id").replace("_", "-")
                self._elements.setdefault(_OTHER_NAMES.get(name, name), element)

    def text(self, name: str) -> str | None:
        """What the file says; the first time counts, as in SimGrid."""
        self._used.add(name)
        return None if (element := self._elements.get(name)) is None else self._document.text(element, "value", "")

    def value(self, name: str, read: Any, default: str) -> Any:
        """The setting, read. Raises InputError."""
        text = self.text(name)
        try:
            return read(default if text is None else text)
        except ValueError as error:
            raise InputError(f"{self.where(name)}: {error}") from None

    def where(self, name: str) -> str:
        """`FILE:LINE: NAME`."""
        return f"{self._document.file}:{self._elements[name].sourceline}: {self._elements[name].get('id')}"

    def has(self, *names: str) -> bool:
        """Whether the file says any of them."""
        return any(name in self._elements for name in names)

    def note(self, name: str) -> None:
        """Count a setting whose effect a platform of Orrery's does not hold, or not wholly."""
        self._document.left_out.add(f"setting {name}", _NOT_HELD.get(name, ""))

    def note_rest(self) -> None:
        """Count the settings that were not read."""
        for name in self._elements.keys() - self._used:
            self.note(name)


def _network(reader: _SettingsReader) -> Plain | None:
    steps = {name: _steps(reader, name) for name in _BY_SIZE}
    asynchronous, detached = (
        reader.value(name, quantities.whole, default)
        for name, default in ((_ASYNCHRONOUS, "0"), (_DETACHED, _DETACHED_BY_DEFAULT))
    )
    window = reader.value(_WINDOW, quantities.number, "0")
    if not reader.has(*_BY_SIZE, _ASYNCHRONOUS, _DETACHED, _WINDOW):
        return None
    if asynchronous > detached:
        name = _ASYNCHRONOUS if reader.has(_ASYNCHRONOUS) else _DETACHED
        raise InputError(f"{reader.where(name)}: {_ASYNCHRONOUS} is {asynchronous}, above {_DETACHED}, {detached}")
    starts = {0, asynchronous, detached} | {limit + 1 for step in steps.values() for limit in step.limits}
    if any(steps["smpi/os"].at(start)[1] for start in starts):
        reader.note("smpi/os")
    if reader.has("smpi/ois") and any(steps["smpi/ois"].at(start) != steps["smpi/os"].at(start) for start in starts):
        reader.note("smpi/ois")
    regimes = [_regime(steps, start, asynchronous, detached) for start in sorted(starts)]
    for regime, end in zip(regimes, sorted(starts)[1:], strict=False):
        regime["end_bytes"] = end
    regimes = _joined(regimes)
    shared = {"bandwidth_factor_of": "share"} if reader.has("network/bandwidth-factor") else {}
    bound = {"tcp_window_bytes": round(window)} if window > 0 else {}
    return shared | bound | {"between_nodes": regimes, "inside_node": regimes}


def _steps(reader: _SettingsReader, name: str) -> _Steps:
    text = reader.text(name)
    if not text:
        return _Steps((), (), _BY_SIZE[name])
    if ":" not in text and ";" not in text:
        return _Steps((), (), reader.value(name, quantities.number, ""))
    values = reader.value(name, _listed, "")
    limits = sorted(values)
    # Factors are of a message with its envelope, which is never empty; overheads are of the message alone.
    before = values[0][0] if name.startswith("network/") and limits[0] == 0 else _BY_SIZE[name]
    return _Steps(tuple(limits), tuple(values[limit] for limit in limits), before)


def _listed(text: str) -> dict[int, tuple[float, float]]:
    """`0:1us:0;1000:4us:1ns`: by size a value, and maybe what each byte adds. Raises ValueError."""
    values = {}
    for step in filter(None, text.split(";")):
        limit, *numbers = step.split(":")
        if not numbers:
            raise ValueError(f'"{step}": expected SIZE:VALUE or SIZE:VALUE:PER_BYTE')
        constant, per_byte, *_ = (*map(quantities.seconds, numbers), 0.0)
        values[quantities.whole(limit)] = constant, per_byte
    if not values:
        raise ValueError(f'"{text}": expected SIZE:VALUE;SIZE:VALUE;...')
    return values


def _regime(steps: dict[str, _Steps], size: int, asynchronous: int, detached: int) -> Plain:
    """Costs of messages from `size` on. SMPI adds overheads only where the sender does not wait for the receiver."""
    protocol = "asynchronous" if size < asynchronous else "detached" if size < detached else "synchronous"
    regime: Plain = {"end_bytes": None, "protocol": protocol}
    if protocol != "synchronous":
        for name, key in (("smpi/os", "send_overhead_s"), ("smpi/or", "recv_overhead_s")):
            regime[key], regime[f"{key}_per_byte"] = steps[name].at(size)
        # SMPI's sender sleeps first, and then the transfer begins; here it begins beside the overhead.
        regime["latency_s"] = regime["send_overhead_s"]
    regime["latency_factor"] = steps["network/latency-factor"].at(size)[0]
    regime["bandwidth_factor"] = steps["network/bandwidth-factor"].at(size)[0]
    return regime


def _joined(regimes: list[Plain]) -> list[Plain]:
    """Neighbours that differ in nothing but their ends are one; values that are the default are not written."""
    kept: list[Plain] = []
    for regime in regimes:
        same = kept and all(kept[-1][key] == value for key, value in regime.items() if key != "end_bytes")
        if same and kept[-1].keys() == regime.keys():
            kept[-1] = regime
        else:
            kept.append(regime)
    default = {"latency_factor": 1.0, "bandwidth_factor": 1.0, "end_bytes": None}
    return [{key: value for key, value in regime.items() if value != default.get(key, 0.0)} for regime in kept]
