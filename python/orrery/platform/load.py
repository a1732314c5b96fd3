# SPDX-License-Identifier: BSD-3-Clause
"""From a platform file to a checked `Platform`; whatever is wrong becomes one line that says where and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from orrery import docstrings, toml_lines
from orrery.documents import check_words, expected_value, parse_toml, read_text
from orrery.errors import InputError, did_you_mean, unknown_key
from orrery.platform import draws, schema
from orrery.platform.connection_mistakes import connection_mistakes
from orrery.platform.dependent import dependent_mistakes
from orrery.platform.draws import Key
from orrery.platform.find import find
from orrery.platform.model import MOST_CLUSTERS, MOST_HOSTS, MOST_WAN, TABLES
from orrery.platform.topology_mistakes import Mistake, topology_mistakes
from orrery.platform.unmeasured import unknown_keys
from orrery.platform.upgrade import is_old, reason_gone
from orrery.toml_lines import dotted
from orrery.words import shell

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_MISSING = "is missing"
_MOST_MISSING = 10
"""How many further keys that are missing are named."""
_OLD = "since version 0.3 this is [network], [transport] and [node];"


def load(name_or_file: str) -> schema.Platform:
    """Read and check a platform. Raises InputError naming file, line and key."""
    path = find(name_or_file)
    text = read_text(path)
    return parse(path, text)


def parse(path: Path, text: str) -> schema.Platform:
    """Check the text of a platform. Raises InputError naming `path`, line and key."""
    return check(path, parse_toml(path, text), text)


def check(path: Path, data: dict[str, Any], text: str = "") -> schema.Platform:
    """Check the values of a platform. `text`: where they were read from, to name lines; "": they have none.

    Raises InputError naming `path`, line and key.
    """
    check_words(path, data, text)
    if is_old(data):
        line = toml_lines.line_of(text, ("hybrid",))
        raise InputError(
            f"{path}:{line or 1}: hybrid: {_OLD} `orrery platform upgrade {shell(path)} -o NEW.toml` rewrites the file"
        )
    if too_many := list(_too_many_tables(data)):
        raise InputError(_describe(path, text, data, too_many))
    try:
        platform = schema.Platform.model_validate(data)
    except ValidationError as error:
        raise InputError(_describe_first(path, text, data, error.errors(include_url=False))) from None
    if mistakes := list(contradictions(platform)):
        raise InputError(_describe(path, text, data, mistakes))
    return platform


def _too_many_tables(data: dict[str, Any]) -> Iterator[Mistake]:
    """Told before the tables are checked: each mistake in one of them takes a kilobyte of memory."""
    for name, most in (("cluster", MOST_CLUSTERS), ("wan", MOST_WAN)):
        tables = data.get(name)
        if isinstance(tables, list) and len(tables) > most:
            yield (name, most), f"there are {len(tables):,} of them; expected at most {most:,}"


def _describe_first(path: Path, text: str, data: dict[str, Any], found: list[ErrorDetails]) -> str:
    """What pydantic found. Only the first mistake is put into words: thousands of them would take minutes.

    Of those that are left what is missing is named, as one addition then mends it all, unless the first mistake is how it was misspelt.
    """
    lines = toml_lines.lines_of(text)
    first, *rest = sorted(
        found, key=lambda mistake: (mistake["type"] == "missing", toml_lines.line_in(lines, mistake["loc"]) or 0)
    )
    key, problem = _mistake(first)
    missing = [mistake["loc"] for mistake in rest if mistake["type"] == "missing"]
    said = _describe(path, text, data, [(key, problem)], others=len(rest) - len(missing))
    misspelt = [(*key[:-1], name) for name in re.findall(r'did you mean "(\w+)"', problem)]
    return said + _also_missing([other for other in missing if other not in misspelt])


def _also_missing(keys: list[tuple[int | str, ...]]) -> str:
    if not keys:
        return ""
    more = f" and {len(keys) - _MOST_MISSING:,} more" if len(keys) > _MOST_MISSING else ""
    return f"; also missing: {', '.join(map(dotted, keys[:_MOST_MISSING]))}{more}"


def _describe(path: Path, text: str, data: dict[str, Any], mistakes: list[Mistake], others: int | None = None) -> str:
    """The first mistake of the file, and how many more there are: `others`, or the rest of `mistakes`.

    What is there and wrong comes before what is missing: a misspelt key is both.
    """
    known = toml_lines.lines_of(text)
    lines = {key: toml_lines.line_in(known, key) or 0 for key, _ in mistakes}
    key, problem = min(mistakes, key=lambda mistake: (mistake[1].startswith(_MISSING), lines[mistake[0]]))
    where = f"{path}:{lines[key]}" if lines[key] else f"{path}"
    left = len(mistakes) - 1 if others is None else others
    more = f" (and {left} more)" if left else ""
    return f"{where}: {dotted(key)}{_found(data, key)}: {problem}{more}"


def _found(data: Any, key: Key) -> str:
    """` = VALUE` as TOML would show a simple value; nothing for tables and for keys that are not there."""
    for part in key:
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return ""
    if isinstance(data, bool):
        return f" = {str(data).lower()}"
    if isinstance(data, str):
        return f' = "{data}"'
    return f" = {data}" if isinstance(data, int | float) else ""


def _mistake(details: ErrorDetails) -> Mistake:
    key, kind, context = tuple(details["loc"]), details["type"], details.get("ctx", {})
    if kind == "extra_forbidden":
        if gone := reason_gone(".".join(str(part) for part in key)):
            return key, gone
        known = _keys_at(key[:-1])
        return key, unknown_key(key[-1], known)
    if kind == "missing":
        return key, f"{_MISSING} ({_meaning(key)})"
    if kind == "literal_error":
        cure = did_you_mean(
            str(details["input"]), context["expected"].replace("'", "").replace(" or ", ", ").split(", ")
        )
        return key, f"expected {context['expected'].replace(chr(39), chr(34))}{cure}"
    if kind == "value_error":
        return key, expected_value(details)
    return key, f"{expected_value(details)} ({_meaning(key)})"


def _model_at(key: Key) -> type[BaseModel]:
    model: type[BaseModel] = schema.Platform
    for part in key:
        if isinstance(part, str):
            model = _child(model, part)
    return model


def _child(model: type[BaseModel], name: str) -> type[BaseModel]:
    """Model of the table or array of tables that a key of `model` holds."""
    field = next(f for key, f in model.model_fields.items() if (f.alias or key) == name)
    candidates = [field.annotation, *getattr(field.annotation, "__args__", ())]
    return next(c for c in candidates if isinstance(c, type) and issubclass(c, BaseModel))


def _keys_at(key: Key) -> list[str]:
    return [field.alias or name for name, field in _model_at(key).model_fields.items()]


def _meaning(key: Key) -> str:
    """First sentence of the docstring of the key, as part of another sentence."""
    *tables, last = [part for part in key if isinstance(part, str)]
    model = _model_at(tuple(tables))
    name = next(name for name, field in model.model_fields.items() if (field.alias or name) == last)
    sentence = docstrings.of_fields(model)[name].split(". ")[0].rstrip(".")
    return sentence[0].lower() + sentence[1:] if sentence[1:2].islower() else sentence


def _noise_mistakes(node: schema.Node) -> Iterator[Mistake]:
    if node.noise and (other := "hypervisor" if node.hypervisor else "processors" if node.processors else ""):
        yield (
            ("node", "noise"),
            f"cannot be combined with [node.{other}], whose ranks share processors; leave out one of them",
        )
    share = sum(kind.takes_s / kind.every_s for kind in node.noise)
    if share >= 1:
        yield (
            ("node", "noise"),
            f"takes all of a processor: the sum of takes_s / every_s is {share:.3g}, and has to be below 1",
        )


def contradictions(platform: schema.Platform) -> Iterator[Mistake]:
    """Mistakes of a platform that no single key shows."""
    yield from _cluster_mistakes(platform)
    yield from _wan_mistakes(platform)
    yield from connection_mistakes(platform)
    yield from _noise_mistakes(platform.node)
    if platform.network is not None:
        yield from _regime_mistakes(("network", "between_nodes"), platform.network.between_nodes)
        yield from _regime_mistakes(("network", "inside_node"), platform.network.inside_node)
    yield from dependent_mistakes(platform)
    for number, problem in unknown_keys(platform.measured):
        yield ("measured", number), problem
    if platform.calibration is not None:
        yield from _calibration_mistakes(platform, platform.calibration)
    if platform.model != "fluid" and getattr(platform, TABLES[platform.model]) is None:
        yield ("model",), f'this model needs its parameters: add [{TABLES[platform.model]}], or write model = "fluid"'


def _cluster_mistakes(platform: schema.Platform) -> Iterator[Mistake]:
    seen: set[str] = set()
    hosts = 0
    for index, cluster in enumerate(platform.clusters):
        key: Key = ("cluster", index)
        hosts += cluster.node_count
        if hosts > MOST_HOSTS:
            yield (
                (*key, "nodes"),
                f"more than {MOST_HOSTS:,} nodes, those of the clusters before it included, are too many",
            )
            return
        if cluster.name in seen:
            yield (*key, "name"), "another cluster has this name already; give each its own"
        seen.add(cluster.name)
        if bool(cluster.site) != bool(platform.clusters[0].site):
            yield (*key, "site"), "name the site of every cluster, or of none"
        if cluster.cores % cluster.sockets != 0:
            yield (*key, "sockets"), f"{cluster.cores} cores cannot be shared equally by so many sockets"
        if cluster.cabinets and cluster.nodes is not None:
            yield (*key, "nodes"), "the cabinets say how many nodes there are; remove this key or the cabinets"
        yield from topology_mistakes(key, cluster)
        if not cluster.cabinets and cluster.nodes is None and cluster.fabric is None:
            yield (*key, "nodes"), f"{_MISSING} (how many nodes; or write one [[cluster.cabinet]] per cabinet)"


def _wan_mistakes(platform: schema.Platform) -> Iterator[Mistake]:
    names = [cluster.name for cluster in platform.clusters]
    strangers = False
    for index, wan in enumerate(platform.wan):
        for side, name in (("from", wan.from_cluster), ("to", wan.to_cluster)):
            if name not in names:
                strangers = True
                yield ("wan", index, side), f"no cluster of this name{did_you_mean(name, names)} ({', '.join(names)})"
        if wan.from_cluster == wan.to_cluster:
            yield ("wan", index, "to"), "a wide-area link joins two different clusters"
    joined = names if strangers else _joined(names[0], platform.wan)
    for index, name in enumerate(names):
        if name not in joined:
            yield ("cluster", index), f'no [[wan]] joins "{name}" to "{names[0]}", directly or through others; add one'


def _joined(name: str, wan: list[schema.Wan]) -> set[str]:
    """Clusters that wide-area links join to `name`, directly or through others."""
    neighbours: dict[str, list[str]] = {}
    for link in wan:
        neighbours.setdefault(link.from_cluster, []).append(link.to_cluster)
        neighbours.setdefault(link.to_cluster, []).append(link.from_cluster)
    joined, left = {name}, [name]
    while left:
        found = set(neighbours.get(left.pop(), ())) - joined
        joined |= found
        left += found
    return joined


def _regime_mistakes(key: Key, regimes: list[schema.Regime]) -> Iterator[Mistake]:
    start = 0
    for index, regime in enumerate(regimes):
        last = index == len(regimes) - 1
        if last and regime.end_bytes is not None:
            yield (*key, index, "end_bytes"), "the last regime has no end: remove the key, or add a regime for more"
        if not last and regime.end_bytes is None:
            yield (*key, index, "end_bytes"), f"{_MISSING} (only the last regime has no end)"
        if regime.end_bytes is not None and regime.end_bytes <= start:
            yield (*key, index, "end_bytes"), f"regimes go by increasing size; expected more than {start}"
        start = max(start, regime.end_bytes or 0)
        yield from _overhead_mistakes((*key, index), regime, start - 1)


def _calibration_mistakes(platform: schema.Platform, calibration: schema.Calibration) -> Iterator[Mistake]:
    for name, problem in draws.mistakes(platform.model_dump()):
        yield ("calibration", "draws", name), problem
    if calibration.verdict is not None:
        grades = [reason.grade for reason in calibration.verdict.reasons]
        worst = "poor" if "poor" in grades else "usable" if grades else "good"
        if calibration.verdict.grade != worst:
            yield (
                ("calibration", "verdict", "grade"),
                f"its reasons make it {worst}; the grade is that of the worst one",
            )
    if calibration.nodes == 1 and len(platform.cores_of_hosts()) > 1:
        yield (
            ("cluster", 0, "nodes"),
            "the network between nodes was not measured (--nodes 1): leave it at one node, or calibrate with --nodes 2 or more",
        )


def _overhead_mistakes(key: Key, regime: schema.Regime, largest: int) -> Iterator[Mistake]:
    """A fitted slope may be negative, an overhead may not."""
    for side in ("send", "recv"):
        base = getattr(regime, f"{side}_overhead_s")
        slope = getattr(regime, f"{side}_overhead_s_per_byte")
        if slope < 0 and (regime.end_bytes is None or base + slope * largest < 0):
            yield (*key, f"{side}_overhead_s_per_byte"), "makes the overhead negative for sizes of this regime"
