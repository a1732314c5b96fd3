# SPDX-License-Identifier: BSD-3-Clause
"""A replay is as the recording was, unless the user says otherwise; what differs is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from orrery.errors import InputError
from orrery.experiment.settings import MOST_SHARING_ERROR, selectors
from orrery.platform import core
from orrery.platform.find import builtin_names
from orrery.platform.model import Model
from orrery.replay.recorded import library_selector
from orrery.replay.settings import RECORDED, Charge, ReplaySettings
from orrery.units import whole_number

Properties = Mapping[str, str]


def as_it_was(settings: ReplaySettings, properties: Sequence[Properties]) -> ReplaySettings:
    """The settings with what the first trace says of its recording, where the user says nothing.

    Args:
        settings: of the replay; `settings.said` names what the user has said.
        properties: of each trace, empty where it says nothing of itself.
    Raises:
        InputError: the platform or the rules file of the recording is not here, and the user names no other.
    """
    was = properties[0]
    found: dict[str, Any] = {}
    if "platform" not in settings.said and was.get("platform"):
        found["platform"] = _platform(settings.traces[0], was)
    if not settings.said & {"platform", "model", "ideal"}:
        found |= _model(was)
    if "mapping" not in settings.said and was.get("mapping"):
        found["mapping"] = was["mapping"]
    if not settings.said & {"platform", "launcher"}:
        found["launcher"] = was.get("launcher", "")
    if "compute" not in settings.said:
        found["compute"] = _charge(was)
    if "compute_scale" not in settings.said:
        found["compute_scale"] = _factor(was)
    if "seed" not in settings.said and (seed := whole_number(was.get("seed", ""))) is not None:
        found["seed"] = seed
    if not settings.said & {"sharing_error", "exact"} and (error := _sharing_error(was)) is not None:
        found["sharing_error"] = error
    return replace(settings, **found, **_selector(settings, was))


def _platform(trace: Path, was: Properties) -> str:
    name, file = was["platform"], was.get("platform_file", "")
    if file and Path(file).is_file():
        return file
    if not file and name in builtin_names():
        return name
    where = f" ({file})" if file else ""
    raise InputError(f"{trace}: was recorded on platform {name}{where}, which is not here; name one with --platform")


def _model(was: Properties) -> dict[str, Any]:
    name = was.get("model", "")
    if name == "ideal":
        return {"ideal": True}
    return {"model": name} if name in get_args(Model) else {}


def _factor(was: Properties) -> float:
    """`--compute FACTOR` of the run; what is in the trace is what was measured."""
    try:
        factor = float(was.get("compute", ""))
    except ValueError:  # a word
        return 1.0
    return factor if 0 <= factor < float("inf") else 1.0


def _sharing_error(was: Properties) -> float | None:
    """With which links were shared; None: no simulation recorded it. Those that do not say were exact."""
    if "selector" not in was:
        return None
    try:
        error = float(was.get("sharing_error", core.EXACT))
    except ValueError:
        return None
    return error if core.EXACT <= error <= MOST_SHARING_ERROR else None


def _charge(was: Properties) -> Charge:
    return "steady" if was.get("charged") == "steady" else "raw"


def _selector(settings: ReplaySettings, was: Properties) -> dict[str, Any]:
    """Who chose algorithms, and what was fixed besides; of a captured trace, the selector of its library."""
    if "selector" in settings.said:
        return {}
    name = was.get("selector") or library_selector(was.get("library", "")) or ""
    if name not in selectors():
        return {}
    found: dict[str, Any] = {"selector": name}
    if "coll" not in settings.said:
        found["coll"] = was.get("coll", "")
    if "rules" not in settings.said and was.get("rules"):
        rules = Path(was["rules"])
        if not rules.is_file():
            raise InputError(
                f"{settings.traces[0]}: was recorded with the rules of {rules}, which is not here; name a file with "
                "--selector-rules, or a --selector"
            )
        found["rules"] = rules
    return found


@dataclass(frozen=True)
class ReplayConditions:
    """What a replay was done with."""

    platform: str
    """Name."""
    digest: str
    """Digest of the platform's content."""
    model: str


def differences(settings: ReplaySettings, properties: Sequence[Properties], now: ReplayConditions) -> list[str]:
    """What is not as it was when the traces were recorded, a sentence each."""
    found = []
    for trace, was in zip(settings.traces, properties, strict=True):
        whose = f"{trace}: " if len(settings.traces) > 1 else ""
        found += [f"{whose}{what}" for what in _different(settings, was, now)]
    return found


def _different(settings: ReplaySettings, was: Properties, now: ReplayConditions) -> list[str]:
    found = []
    if was.get("platform", now.platform) != now.platform:
        found.append(f"platform {now.platform}, recorded on {was['platform']}")
    elif was.get("platform_digest", now.digest) != now.digest:
        found.append(f"platform {now.platform} has other values than when the trace was recorded")
    values = {
        "model": now.model,
        "mapping": settings.mapping,
        "selector": settings.selector,
        "coll": settings.coll,
        "rules": "" if settings.rules is None else str(settings.rules.absolute()),
    }
    simulated = "selector" in was
    if settings.selector == RECORDED:  # what ran then runs again
        values = {key: value for key, value in values.items() if key in ("model", "mapping")}
    for key, value in values.items():
        before = was.get(key, "")
        if (before or (simulated and key in ("coll", "rules"))) and before != value:
            found.append(f"{_NAMES[key]} {value or 'none'}, recorded with {before or 'none'}")
    if "charged" in was and settings.compute != _charge(was):
        found.append(f"computation {settings.compute}, recorded with {_charge(was)}")
    before_factor = _factor(was)
    if was.get("compute") and settings.compute_scale != before_factor:
        found.append(f"computation times {settings.compute_scale:g}, recorded with {before_factor:g}")
    if (seed := whole_number(was.get("seed", ""))) is not None and seed != settings.seed:
        found.append(f"seed {settings.seed}, recorded with {seed}")
    if (error := _sharing_error(was)) is not None and error != settings.error_of_sharing:
        found.append(f"links shared with an error of {settings.error_of_sharing:g}, recorded with {error:g}")
    return found


_NAMES = {
    "model": "model",
    "mapping": "mapping",
    "selector": "selector",
    "coll": "fixed algorithms",
    "rules": "rules file",
}
