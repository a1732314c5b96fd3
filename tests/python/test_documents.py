# SPDX-License-Identifier: BSD-3-Clause
"""What no TOML and no JSON parser takes, found by fuzzing readers of platforms, workloads and rules."""

from __future__ import annotations

import pytest

from orrery.documents import parse_json, parse_toml, parse_xml
from orrery.errors import InputError

DEEP = 100_000
DIGITS = "9" * 6000  # Python converts 4,300 at most


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("a = " + "[" * DEEP, "a.toml: tables or arrays lie too deep"),
        ("a = " + "{b = " * DEEP, "a.toml: tables or arrays lie too deep"),
        (f"a = {DIGITS}", "a.toml: has a whole number of more than 64 bits"),
        (f"a = 0x{'f' * 8000}", "a.toml: has a whole number of more than 64 bits"),
        ("a = [{b = 9223372036854775808}]", "a.toml: has a whole number of more than 64 bits"),
        ("a = 1\nb = \n", r"a.toml:2:5: not TOML: invalid value"),
        ("a = 1\nb", r"a.toml:2:2: not TOML: expected"),
    ],
)
def test_what_is_no_toml_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint) as raised:
        parse_toml("a.toml", text)
    assert "\n" not in str(raised.value)


def test_numbers_of_64_bits_are_kept() -> None:
    assert parse_toml("a.toml", "a = [9223372036854775807, -9223372036854775808]")["a"] == [2**63 - 1, -(2**63)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"a":' * DEEP, "a.json: objects or arrays lie too deep"),
        (f'{{"a": {DIGITS}}}', "a.json: has a whole number of more than 64 bits"),
        ('{"a":\n x}', "a.json:2:2: not JSON: expecting value"),
    ],
)
def test_what_is_no_json_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        parse_json("a.json", text)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "a.xml:1: not XML: Document is empty"),
        ("<a>\n<b:c/></a>", "a.xml:2: not XML: Namespace prefix b on c is not defined"),
        ("<a>" * DEEP, "a.xml:1: not XML: Excessive depth"),
    ],
)
def test_what_is_no_xml_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_xml("a.xml", text.encode())
    assert str(raised.value).startswith(complaint)
    assert "column" not in str(raised.value)  # the place is in front


def test_entities_of_xml_are_not_replaced_and_comments_are_no_elements() -> None:
    root = parse_xml("a.xml", b"<!DOCTYPE a [<!ENTITY b 'long'>]><a><!-- c -->&b;<?d?><e/></a>")
    assert [part.tag for part in root.iter("*")] == ["a", "e"]
    assert "long" not in str(list(root.itertext()))
