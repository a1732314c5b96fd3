# SPDX-License-Identifier: BSD-3-Clause
"""A platform as it would be with processors of another pace: for telling a slower hour of a host from another network."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from orrery.errors import InputError

if TYPE_CHECKING:
    from orrery.platform.core import Plain

_OVERHEADS = tuple(f"{side}_overhead_s{per}" for side in ("send", "recv") for per in ("", "_per_byte"))
_WORK = ("send_work_s", "recv_work_s", "wake_work_s", "idle_wake_s", "frame_work_s")


def arithmetic_s(platform: Plain) -> float:
    """What the same arithmetic took on the platform, in seconds. Raises InputError where no calibration says it."""
    found = (platform["calibration"] or {}).get("arithmetic_s", 0.0)
    if not found:
        raise InputError(
            f"--same-pace: platform {platform['name']} says nothing of arithmetic_s in [calibration]; `orrery calibrate` "
            f"writes it (with --ingest from samples that were kept)"
        )
    return float(found)


def paced(platform: Plain, factor: float) -> Plain:
    """With `factor` times as long for all that processors do; typical values of messages inside a node stay as they are.

    Where nodes share the processors of one machine, what a message takes besides its time on links is their work, too.
    """
    out = {name: value if name == "calibration" else deepcopy(value) for name, value in platform.items()}
    for cluster in out["clusters"]:
        cluster["speed"] /= factor
    _slow(out["compute"], ("reduce_s_per_byte", "copy_s_per_byte"), factor)
    network, node = out["network"], out["node"]
    if network is None:
        return out
    shared = node["processors"] is not None
    if shared:
        _slow(node["processors"], _WORK, factor)
    _slow(node, ("handling_noise_s",), factor)
    _slow(out["transport"], ("connection_setup_s",), factor)
    for regime in [*network["between_nodes"], *(network["inside_node"] if _memory_measured(platform) else ())]:
        _slow(regime, (*_OVERHEADS, "latency_s") if shared else _OVERHEADS, factor)
    for cluster in out["clusters"] if shared else ():
        _slow(cluster, ("latency_s",), factor)
    return out


def _memory_measured(platform: Plain) -> bool:
    """Whether the calibration has drawn anything of it."""
    return any(key.startswith("network.inside_node") for key in platform["calibration"]["draws"])


def _slow(values: Plain, names: tuple[str, ...], factor: float) -> None:
    for name in names:
        values[name] *= factor
