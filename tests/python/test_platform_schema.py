# SPDX-License-Identifier: BSD-3-Clause
"""The JSON schema of platform files takes what the loader takes, and refuses what is wrong by itself."""

from __future__ import annotations

import copy
import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft7Validator, Draft202012Validator

from harness import Sandbox
from orrery.errors import InputError
from orrery.marks import is_own
from orrery.platform import toml_writer
from orrery.platform.find import BUILTIN
from orrery.platform.json_schema import schema
from orrery.platform.keys import entries
from orrery.platform.load import parse
from orrery.platform.tables.quantities import Quantity
from test_platform_files import MISTAKES
from test_platform_keys import BASES

HERE = Path(__file__).parent
SCHEMA = schema()
VALIDATOR = Draft202012Validator(SCHEMA)
CALIBRATED = sorted((HERE.parent / "evidence").glob("*/platform.toml"))
FILES = [*sorted(BUILTIN.glob("*.toml")), *CALIBRATED]


def _properties(of: dict[str, Any], path: tuple[str, ...] = ()) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every key of the schema, dotted."""
    for name, property_ in of.get("properties", {}).items():
        yield ".".join((*path, name)), property_
        yield from _properties(property_.get("items", property_), (*path, name))


PROPERTIES = dict(_properties(SCHEMA))


def _loads(values: dict[str, Any]) -> bool:
    try:
        parse(Path("it.toml"), toml_writer.write(values))
    except InputError:
        return False
    return True


def test_it_is_a_schema_of_draft_2020_12_and_of_draft_7() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft7Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_it_has_every_key_with_title_and_meaning_and_no_other() -> None:
    assert set(PROPERTIES) == {entry.dotted for entry in entries()}
    for key, property_ in PROPERTIES.items():
        assert property_["title"], key
        assert property_["description"].count("\n\nValues: ") == 1, key
        assert "type" in property_, key


def test_a_key_has_its_unit_bounds_default_and_needs() -> None:
    depth = PROPERTIES["transport.connections.queue.depth_bytes"]
    assert depth["title"] == "Depth (bytes)"
    assert depth["x-unit"] == "bytes"
    assert (depth["type"], depth["exclusiveMinimum"]) == (["integer", "string"], 0)
    wait = PROPERTIES["transport.timeouts.wait_s"]
    assert (wait["x-unit"], wait["exclusiveMinimum"], wait["default"]) == ("seconds", 0, 0.2)
    assert PROPERTIES["node.progress"]["enum"] == ["always", "in-calls"]
    assert PROPERTIES["cluster.rail_use"]["x-needs"] == ["rails above 1"]
    assert "orrery calibrate" in PROPERTIES["network.burst_bytes"]["x-measured-by"]
    assert PROPERTIES["cluster.torus.wraps"]["type"] == ["boolean", "array"]


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_built_in_and_calibrated_platforms_are_valid(file: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(file.read_text()))] == []


@pytest.mark.parametrize("name", BASES)
def test_platforms_with_every_key_are_valid(name: str) -> None:
    values = tomllib.loads(toml_writer.write(_without_nothing(BASES[name])))
    assert [error.message for error in VALIDATOR.iter_errors(values)] == []


def _without_nothing(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nothing(entry) for key, entry in value.items() if entry is not None}
    return [_without_nothing(entry) for entry in value] if isinstance(value, list) else value


OF_SEVERAL_KEYS = {
    "regimes out of order", "last regime with an end", "regime without an end", "overhead that becomes negative",
    "nodes twice", "no nodes at all", "same name twice", "link to a stranger", "cluster without a link", "link to itself",
    "cores that sockets cannot share", "site of one cluster only", "model without parameters",
}  # fmt: skip
"""Mistakes that no single key shows; the schema leaves them to the loader."""
BEYOND_JSON = {"infinite rate"}


@pytest.mark.parametrize("what", sorted(MISTAKES.keys() - OF_SEVERAL_KEYS - BEYOND_JSON))
def test_what_the_loader_refuses_for_a_single_key_the_schema_refuses(what: str) -> None:
    assert not VALIDATOR.is_valid(tomllib.loads(MISTAKES[what]))


WRONG = [
    (("cluster", 0, "latency_s"), -1.0),
    (("cluster", 0, "latency_s"), "-24us"),
    (("cluster", 0, "latency_s"), "24 parsecs"),
    (("cluster", 0, "latency_s"), True),
    (("cluster", 0, "latnecy_s"), 1.0),
    (("cluster", 0, "memory_bandwidth_bytes_per_s"), 0),
    (("cluster", 0, "memory_bandwidth_bytes_per_s"), "0GB/s"),
    (("cluster", 0, "memory_bandwidth_bytes_per_s"), "1Gbit"),
    (("cluster", 0, "cores"), "4"),
    (("cluster", 0, "cores"), 4.5),
    (("cluster", 0, "limiter_factor"), 2.5),
    (("cluster", 0, "rail_use"), "both"),
    (("network", "rate_noise"), -0.1),
    (("network", "framing"), {"frames": {"overhead_bytes": 90}}),
    (("network", "between_nodes", 0, "protocol"), "eager"),
    (("network", "between_nodes", 0, "send_overhead_s_per_byte"), "1ns/KiB"),
    (("network", "between_nodes"), []),
    (("transport", "timeouts"), {"flows": 2}),
    (("node", "progress"), 3),
    (("storage",), 3),
    (("netwrok",), {}),
]


@pytest.mark.parametrize(("path", "value"), WRONG, ids=lambda value: str(value).replace("/", " per "))
def test_wrong_values_are_refused_by_the_schema_as_by_the_loader(path: tuple[str | int, ...], value: object) -> None:
    right = _without_nothing(copy.deepcopy(BASES["plain"]))
    assert VALIDATOR.is_valid(right)
    assert _loads(right)
    place: Any = right
    for part in path[:-1]:
        place = place.setdefault(part, {}) if isinstance(place, dict) else place[part]
    place[path[-1]] = value
    assert not VALIDATOR.is_valid(right)
    assert not _loads(right)


# --- texts with units ------------------------------------------------------------------------------------------------

QUANTITIES = {
    entry.key.value.quantity.base: (entry.key.value.quantity, re.compile(PROPERTIES[entry.dotted]["pattern"]))
    for entry in entries()
    if entry.key.value.quantity
}
UNITS = ["", "s", "us", "µs", "min", "B", "b", "bit", "KiB", "K", "k", "kB", "kiB", "Gbit/s", "Mbps", "MBps", "B/s", "ns/B",
         "/B", "s/B", " ms", "E", "Ti", "T"]  # fmt: skip
TEXTS = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", " ", "+"]),
    st.sampled_from(["8", "16.0", "8.", "1e3", "8E2", "1_600", "", "e3", "."]),
    st.sampled_from(UNITS),
    st.sampled_from(["", " ", "x"]),
)
"""Texts of numbers that are whole bytes in every unit: parts of bytes are left to the loader."""


@pytest.mark.parametrize("base", QUANTITIES)
@given(text=TEXTS)
def test_texts_are_taken_exactly_where_the_loader_reads_them(base: str, text: str) -> None:
    quantity, pattern = QUANTITIES[base]
    assert _reads(quantity, text) == bool(pattern.search(text))


def _reads(quantity: Quantity, text: str) -> bool:
    try:
        quantity.read(text)
    except ValueError:
        return False
    return True


# --- the command -----------------------------------------------------------------------------------------------------


def test_the_command_prints_and_writes_it(sandbox: Sandbox) -> None:
    printed = sandbox.orrery("platform", "schema")
    assert (printed.code, printed.err) == (0, "")
    assert json.loads(printed.out) == SCHEMA
    assert sandbox.orrery("platform", "schema", "-o", "platform.schema.json").code == 0
    written = sandbox.folder / "platform.schema.json"
    assert written.read_text(encoding="utf-8") == printed.out
    assert is_own(written)


def test_a_file_that_names_the_schema_in_its_first_line_is_read(sandbox: Sandbox) -> None:
    file = sandbox.folder / "mine.toml"
    file.write_text("#:schema ./platform.schema.json\n" + (BUILTIN / "default.toml").read_text())
    assert sandbox.orrery("platform", "show", "mine.toml").code == 0
