# SPDX-License-Identifier: BSD-3-Clause
"""The table [network] of a platform file: burst, noise, framing and regimes."""

from __future__ import annotations

from collections.abc import Callable

from orrery.calibrate.fit import LEGS, CalibrationOutcome, FittedRegime, MessagePath, TcpFraming, Wire
from orrery.calibrate.write import typical
from orrery.calibrate.write.toml import line, number, quoted
from orrery.units import show_bytes, show_time

_ASKED = ", after RTS and CTS"


def network_table(outcome: CalibrationOutcome) -> str:
    """The table [network], with the regimes between nodes and inside a node."""
    wire = outcome.network.wire
    text = "[network]\n"
    if wire.burst_bytes:
        least, most = (f"{value:.0f}" for value in wire.interval("burst_bytes"))
        text += line("burst_bytes", str(round(wire.burst_bytes)), f"pass at once after idleness; {least} to {most}")
    if outcome.noise.seen:
        text += line("rate_noise", number(outcome.noise.rate_fraction), "mean lengthening of large messages, relative")
    if wire.framing:
        text += _framing(wire.framing, wire)
    text += _regimes("between_nodes", outcome.network)
    return text + (_regimes("inside_node", outcome.memory) if outcome.memory else typical.MEMORY_HYBRID)


def _framing(framing: TcpFraming, wire: Wire) -> str:
    text = "\n[network.framing]                     # as the network interfaces count\n"
    text += line("header_bytes", str(framing.header_bytes), "of a message")
    if wire.store_and_forward:
        text += line("store_and_forward", "true", "a byte of a lone frame takes the time of two links")
    text += "\n[network.framing.frames]\n"
    text += line("payload_bytes", str(framing.payload_bytes), "of a frame: what the interface carries, less IP and TCP")
    return text + line(
        "overhead_bytes", str(framing.overhead_bytes), "of a frame: Ethernet, IP, TCP, preamble, checksum, gap"
    )


def _regimes(name: str, path: MessagePath) -> str:
    base = path.regimes[0].fit.latency_s
    return "".join(f"\n{_regime(name, index, regime, base, path.wire)}" for index, regime in enumerate(path.regimes))


def _regime(name: str, index: int, regime: FittedRegime, base: float, wire: Wire) -> str:
    upto = "and more" if regime.end is None else f"to {show_bytes(regime.end - 1)}"
    text = f"{f'[[network.{name}]]':<37} # {index}: {show_bytes(regime.start)} {upto}; {regime.sizes} sizes\n"
    if regime.end is not None:
        text += line("end_bytes", str(regime.end))
    text += line("protocol", quoted(regime.protocol))
    for side in ("send", "recv"):
        text += line(f"{side}_overhead_s", number(getattr(regime.fit, f"{side}_s")), _between(regime, f"{side}_s"))
        slope = getattr(regime.fit, f"{side}_s_per_byte")
        text += line(f"{side}_overhead_s_per_byte", number(slope), _between(regime, f"{side}_s_per_byte"))
    # `latency_factor` scales with the latency of the route; `latency_s` is the rest of the fitted latency.
    legs = 1 if regime.protocol == "asynchronous" else LEGS
    text += line(
        "latency_factor", number(float(legs)), "of the route's latency: the message's way" + _ASKED * (legs > 1)
    )
    makes = f"makes {show_time(regime.fit.latency_s)}; {_between(regime, 'latency_s', show_time)}"
    text += line("latency_s", number(regime.fit.latency_s - legs * base), makes)
    factor = number(regime.fit.rate_bytes_per_s / wire.rate_bytes_per_s)
    text += line(
        "bandwidth_factor",
        factor,
        _between(regime, "rate_bytes_per_s", lambda rate: number(rate / wire.rate_bytes_per_s)),
    )
    return text


def _between(regime: FittedRegime, key: str, show: Callable[[float], str] = number) -> str:
    """The 95 % interval of a value as text; empty if there are no draws."""
    return " to ".join(show(value) for value in regime.intervals.get(key, ()))
