# SPDX-License-Identifier: BSD-3-Clause
"""`orrery platform keys`, and the page docs/platform-keys.md that comes from the same declarations."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from harness import Sandbox
from orrery.errors import InputError
from orrery.marks import is_own
from orrery.platform.draws import leaves
from orrery.platform.keys import entries, named, sections
from orrery.report.platform_keys import RENEWED_BY, as_json, markdown, text

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "platform-keys.md"
CALIBRATED = sorted((ROOT / "tests" / "evidence").glob("*/platform.toml"))


def test_the_page_is_what_the_declarations_give() -> None:
    assert PAGE.read_text(encoding="utf-8") == markdown(), f"out of date; renew it: {RENEWED_BY}"
    assert is_own(PAGE)


def test_the_page_has_every_key_once_for_each_table() -> None:
    rows = re.findall(r"^\| (?:\[)?`(\w+)`", markdown(), re.MULTILINE)
    assert rows == [entry.key.name for section in sections() for entry in section.entries]


def test_its_links_lead_to_headings() -> None:
    page = markdown()
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^#+ (.*)", page, re.MULTILINE)
    }
    links = re.findall(r"\]\(#([^)]*)\)", page)
    assert links
    assert set(links) <= headings


def test_docstrings_are_sentences() -> None:
    for entry in entries():
        assert re.match(r"[A-Z]|[a-zA-Z_]+: |`", entry.key.doc), entry.dotted
        assert entry.key.doc.endswith("."), entry.dotted


def test_code_that_a_key_names_is_there() -> None:
    named_codes = {entry.code for entry in entries() if entry.code}
    assert named_codes
    assert [code for code in named_codes if not (ROOT / code).exists()] == []


GIVEN = {"name", "description", "source", "model", "cluster.name", "cluster.nodes", "cluster.cabinet.name",
         "cluster.cabinet.nodes"}  # fmt: skip
"""What a calibration writes without measuring it."""


def test_there_are_calibrations_to_look_at() -> None:
    assert CALIBRATED


@pytest.mark.parametrize("file", CALIBRATED, ids=lambda file: file.parent.name)
def test_what_a_calibration_writes_is_said_to_be_measured(file: Path) -> None:
    measured = {entry.dotted for entry in entries() if entry.measured}
    written = {".".join(str(part) for part in key if isinstance(part, str)) for key, _ in leaves(_tables(file))}
    assert written - measured - GIVEN == set()


def _tables(file: Path) -> dict[str, Any]:
    return {key: value for key, value in tomllib.loads(file.read_text()).items() if key != "calibration"}


def test_what_is_said_to_be_measured_a_calibration_can_write() -> None:
    files = sorted((ROOT / "python" / "orrery" / "calibrate" / "write").glob("*.py"))
    writer = "\n".join(file.read_text(encoding="utf-8") for file in files)
    writer += "".join(writer.replace("{side}", side) for side in ("send", "recv"))
    for entry in entries():
        if entry.key.measured and not entry.key.value.table:
            assert re.search(rf"\b{entry.key.name}\b", writer), entry.dotted


# --- the command -----------------------------------------------------------------------------------------------------


def test_all_keys_are_explained_without_a_name(sandbox: Sandbox) -> None:
    sandbox.environment["COLUMNS"] = "100"
    ended = sandbox.orrery("platform", "keys")
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == text(None, 100)
    assert all(entry.header in ended.out for entry in entries() if entry.key.value.table)


def test_a_key_is_explained_with_all_that_is_known_of_it(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("platform", "keys", "transport.timeouts.wait_s")
    assert ended.code == 0
    for said in (
        "How long such a message waits.",
        "seconds, more than 0",
        '"24us"',
        "0.2 (200 ms)",
        "orrery calibrate",
        "src/",
    ):
        assert said in ended.out


def test_a_name_may_leave_out_tables_and_may_be_written_as_in_files_and_messages() -> None:
    assert [entry.dotted for entry in named("cluster.level.up")] == ["cluster.fat_tree.level.up"]
    assert named("cluster[0].cabinet[2].nodes") == named("cluster.cabinet.nodes")
    assert named("[[network.between_nodes]]") == named("network.between_nodes")
    assert {entry.key.name for entry in named("latency_s")} == {"latency_s"}
    assert len(named("latency_s")) > 5
    # A whole name is that key alone, though others end in it.
    assert [entry.dotted for entry in named("name")] == ["name"]


def test_a_name_that_does_not_exist_is_told_with_a_near_one(sandbox: Sandbox) -> None:
    with pytest.raises(InputError, match=r'did you mean "burst_bytes"\?'):
        named("bust_bytes")
    ended = sandbox.orrery("platform", "keys", "transport.quue")
    assert ended.code == 2
    assert ended.err.count("\n") == 1


def test_a_key_at_several_places_is_explained_once(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("platform", "keys", "protocol")
    assert ended.out.startswith("network.between_nodes.protocol, network.inside_node.protocol\n")
    assert ended.out.count("values:") == 1


def test_json_has_each_key_with_unit_bounds_and_default(sandbox: Sandbox) -> None:
    printed = json.loads(sandbox.orrery("platform", "keys", "--json").out)
    assert printed["keys"] == json.loads(json.dumps(as_json()))
    (wait,) = json.loads(sandbox.orrery("platform", "keys", "timeouts.wait_s", "--json").out)["keys"]
    assert (wait["unit"], wait["bounds"], wait["default"]) == ("seconds", {"gt": 0}, 0.2)
    assert sandbox.orrery("platform", "keys", "-o", "keys.json").code == 0
    assert json.loads((sandbox.folder / "keys.json").read_text()) == printed


def test_the_page_is_written_as_it_is_printed(sandbox: Sandbox) -> None:
    assert sandbox.orrery("platform", "keys", "-o", "keys.md").code == 0
    assert (sandbox.folder / "keys.md").read_text(encoding="utf-8") == markdown()
    assert sandbox.orrery("platform", "keys", "--markdown").out == markdown()


def test_options_that_do_not_go_together_are_refused(sandbox: Sandbox) -> None:
    for words, said in (
        (["--markdown", "--json"], "print one of them"),
        (["model", "--markdown"], "is of all keys"),
        (["model", "-o", "keys.md"], "is of all keys"),
        (["-o", "keys.txt"], "expected one of .md, .json"),
    ):
        ended = sandbox.orrery("platform", "keys", *words)
        assert ended.code == 2
        assert said in ended.err
        assert ended.err.count("\n") == 1
