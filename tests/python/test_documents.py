# SPDX-License-Identifier: BSD-3-Clause
"""What no TOML and no JSON parser takes, found by fuzzing readers of platforms, workloads and rules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from orrery.documents import check_words, expected_value, parse_json, parse_toml, parse_xml, read_lines
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
        ("", "a.xml:1: not XML: the document is empty"),
        ("a text", "a.xml:1: not XML: an element is expected here, which begins with <"),
        ("<a>\n<b:c/></a>", 'a.xml:2: not XML: the prefix "b" of "c" is not declared'),
        ("<a>" * DEEP, "a.xml:1: not XML: more than 256 elements lie inside of each other"),
        ("<a>\n<b>\n</a>", "a.xml:3: not XML: <b> of line 2 is closed by </a>"),
        ("<a>\n<b/>", "a.xml:2: not XML: <a> of line 1 is not closed"),
        ("<a/>\n<b/>", "a.xml:2: not XML: something stands behind the end of the outermost element"),
        ("<a b=1/>", "a.xml:1: not XML: the value of an attribute is not in quotes"),
        ("<a b/>", 'a.xml:1: not XML: the attribute "b" has no value'),
        ("<a b='1' b='2'/>", 'a.xml:1: not XML: the attribute "b" is there twice'),
        ("<a b='1'c='2'/>", "a.xml:1: not XML: attributes have no space between them, or one has no name"),
        ("<a>&x;</a>", "a.xml:1: not XML: the entity &x; is not declared"),
        ("<a>this & that</a>", "a.xml:1: not XML: & stands for itself, which is written &amp;"),
        ("<a b='<'/>", "a.xml:1: not XML: the value of an attribute has <, which is written &lt;"),
        ("<a", "a.xml:1: not XML: the tag <a of line 1 has no >"),
        ("<1/>", "a.xml:1: not XML: < begins no element"),
        ("<a><!-- b", "a.xml:1: not XML: a comment has no end (-->)"),
        ("<a><![CDATA[b</a>", "a.xml:1: not XML: a CDATA section has no end (]]>)"),
        ("<?xml version='1.0' encoding='no-such'?><a/>", 'a.xml:1: not XML: the encoding "no-such" is not known'),
        ("<a>\1</a>", "a.xml:1: not XML: it has a character that XML does not allow"),
        (" <?xml version='1.0'?><a/>", "a.xml:1: not XML: something stands before <?xml"),
        ("<!DOCTYPE a [<!ENTITY b 'x'>", "a.xml:1: not XML: what stands here is not well-formed"),
    ],
)
def test_what_is_no_xml_is_told_in_one_line(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as raised:
        parse_xml("a.xml", text.encode())
    assert str(raised.value).startswith(complaint)
    assert "column" not in str(raised.value)  # the place is in front


def test_a_document_in_another_encoding_than_it_says_is_told() -> None:
    with pytest.raises(InputError, match=r"^a\.xml:1: not XML: its bytes are not in its encoding"):
        parse_xml("a.xml", b"<a>\xff</a>")


class _Wanted(BaseModel):
    model_config = ConfigDict(extra="forbid")
    count: int = Field(default=1, ge=1, lt=100)
    share: float = Field(default=0.5, allow_inf_nan=False)
    name: str = Field(default="a", min_length=1)
    way: Literal["left", "right"] = "left"
    is_on: bool = True
    sizes: list[int] = Field(default=[1, 2], min_length=2)
    inner: dict[str, int] = {}


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"count": "x"}, "expected a whole number"),
        ({"count": 1.5}, "expected a whole number"),
        ({"count": 0}, "expected at least 1"),
        ({"count": 100}, "expected less than 100"),
        ({"share": "x"}, "expected a number"),
        ({"share": float("inf")}, "expected a finite number"),
        ({"name": 1}, 'expected text in quotes, such as "x"'),
        ({"name": ""}, "expected at least 1 characters"),
        ({"way": "up"}, 'expected "left" or "right"'),
        ({"is_on": "perhaps"}, "expected true or false"),
        ({"sizes": 1}, "expected a list of tables or values"),
        ({"sizes": [1]}, "expected at least 2"),
        ({"inner": 1}, "expected a table"),
        ({"other": 1}, "is unknown here"),
    ],
)
def test_a_value_that_cannot_be_there_is_told_in_plain_words(values: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError) as raised:
        _Wanted.model_validate(values)
    assert expected_value(raised.value.errors(include_url=False)[0]) == said


def test_entities_of_xml_are_not_replaced_and_comments_are_no_elements() -> None:
    root = parse_xml("a.xml", b"<!DOCTYPE a [<!ENTITY b 'long'>]><a><!-- c -->&b;<?d?><e/></a>")
    assert [part.tag for part in root.iter("*")] == ["a", "e"]
    assert "long" not in str(list(root.itertext()))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('a = 1\n[b]\nc = "x\\ny"\n', 'a.toml:3: b.c = "x\\ny": expected one line of printable characters'),
        ('a = ["x", "\\u202e"]\n', 'a.toml:1: a[1] = "\\u202e": expected one line of printable characters'),
        ('[[t]]\n"\\u001b[2J" = 1\n', r'a.toml:1: t[0].\x1b[2J = "\x1b[2J": expected one line'),
        ('a = """x\ny"""\n', 'a.toml:1: a = "x\\ny": expected one line of printable characters'),
    ],
)
def test_a_word_of_toml_is_one_line_of_printable_characters(text: str, complaint: str) -> None:
    with pytest.raises(InputError) as error:
        parse_toml("a.toml", text)
    assert str(error.value).startswith(complaint.replace("\\\\", "\\"))


def test_texts_for_readers_have_several_lines_and_no_controls() -> None:
    assert parse_toml("a.toml", 'a = """x\ny"""', lines=True) == {"a": "x\ny"}
    with pytest.raises(InputError, match="expected one line"):
        parse_toml("a.toml", 'a = "x\\u001by"', lines=True)


def test_members_that_are_free_may_hold_anything() -> None:
    check_words("a.json", {"command": ["sh", "-c", "a\nb"]}, free=["command"])
    with pytest.raises(InputError, match=r"a.json: names\[0\]"):
        check_words("a.json", {"command": [], "names": ["a\nb"]}, free=["command"])


@pytest.mark.parametrize("line", ["a\x1b[2J", "a\u2028rank 3=b", "a\0"])
def test_lines_of_a_file_have_printable_characters(tmp_path: Path, line: str) -> None:
    file = tmp_path / "hosts"
    file.write_bytes(f"# ä\r\nnode-1\tslots=4\n{line}\n".encode())
    with pytest.raises(InputError, match=r"hosts:3: .*expected one line of printable characters"):
        read_lines(file)
    file.write_bytes("# ä\r\nnode-1\tslots=4\n".encode())
    assert read_lines(file).splitlines()[1] == "node-1\tslots=4"


def test_no_pattern_repeats_a_group_possessively() -> None:
    # Python before 3.11.5 matches such patterns wrongly, by what memory happens to hold (its issues 100061 and 106052).
    repeated = re.compile(r"(?<!\\)\)[*+?}]\+|\(\?>")
    sources = sorted((Path(__file__).parents[2] / "python").rglob("*.py"))
    assert len(sources) > 100
    found = [
        f"{path}:{number}"
        for path in sources
        for number, line in enumerate(path.read_text().splitlines(), 1)
        if repeated.search(line)
    ]
    assert not found, found
