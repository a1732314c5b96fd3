# SPDX-License-Identifier: BSD-3-Clause
"""Profiles as the XML of QCG-OMPI's JobProfile, as far as its paper shows it.

    <grmsJob appId="JOB">
      <task taskId="TASK">
        <resourcesDescription>
          <topology>
            <group groupId="g1"/>
            <processes>
              <groupIdReference groupId="g1"/>
              <processesCount><value>$NPROCS</value></processesCount>
            </processes>
          </topology>
        </resourcesDescription>
        <execution type="open_mpi">
          <executable><execFile><file><url>PROGRAM</url></file></execFile></executable>
          <processesCount><value>$NPROCS</value></processesCount>
        </execution>
      </task>
    </grmsJob>

What the paper does not show is in a namespace of Orrery's: attributes and elements by the names that TOML has for them.
Groups inside of others stand inside of them, and `groupIdReference` then names both, with "/" between.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote, unquote

from lxml import etree

from orrery import marks
from orrery.documents import parse_xml
from orrery.errors import InputError, did_you_mean
from orrery.job.profile import MOST_DEPTH, MOST_GROUPS
from orrery.job.source import Key

NAMESPACE = "https://orrery.invalid/job"
_OWN = f"{{{NAMESPACE}}}"
_MOST_ELEMENTS = 32 * MOST_GROUPS
_NUMBER = re.compile(r"[0-9]{1,18}")
_WHOLE = ("cores", "memory_bytes", "colour", "node_count")
_NUMBERS = (
    "speed_at_least",
    "speed",
    "latency_at_most_s",
    "rate_at_least_bytes_per_s",
    "latency_s",
    "rate_bytes_per_s",
)
_TABLES = ("inside", "found")
_LISTS = ("nodes", "clusters", "sites", "groups")
_LISTS_OF_TABLES = ("between", "found_between")

Lines = dict[Key, int]


def read(file: str, content: bytes) -> tuple[dict[str, Any], Lines]:
    """The values that the same profile has in TOML, and the lines of its keys. They are not checked yet.

    A document with a DTD is refused as a whole: nothing of a profile needs one, and entities can be made to grow or to
    name other files.

    Raises:
        InputError: it is no XML, has a DTD, is none of these documents, or has more elements than any profile.
    """
    root = _root(file, content)
    return _XmlReader(file).job(root)


def _root(file: str, content: bytes) -> etree._Element:
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise InputError(f"{file}: has a DTD (<!DOCTYPE ...>), which is not read; remove it")
    root = parse_xml(file, content, encoding="utf-8")  # whatever the document says: nothing hides behind another one
    if sum(1 for _ in root.iter()) > _MOST_ELEMENTS:
        raise InputError(f"{file}: has more than {_MOST_ELEMENTS} elements, which no job profile has")
    return root


class _XmlReader:
    """A document under way."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.lines: Lines = {}

    def job(self, root: etree._Element) -> tuple[dict[str, Any], Lines]:
        """The whole document."""
        if root.tag != "grmsJob":
            raise self.error(root, "expected <grmsJob>, a JobProfile of QCG-OMPI")
        data: dict[str, Any] = {}
        self.attributes(root, data, {"appId": "name"})
        task = self.only(root, "task")
        self.attributes(task, data, {"taskId": "task"})
        self.children(root, ("task",))
        self.children(task, ("resourcesDescription", "execution"))
        description = self.only(task, "resourcesDescription")
        self.bare(description, ("topology",))
        topology = self.only(description, "topology")
        self.bare(topology, ("group", "processes", *(f"{_OWN}{name}" for name in _LISTS_OF_TABLES)))
        counts = self.counts(topology)
        data["group"] = self.groups(topology, "", (), counts, 0)
        self.own_tables(topology, data, ())
        for _, where in counts.values():
            raise self.error(where, "names a group that is not in the topology")
        if task.find("execution") is not None:
            self.execution(self.only(task, "execution"), data)
        return data, self.lines

    def counts(self, topology: etree._Element) -> dict[str, tuple[str, etree._Element]]:
        """What `processes` says of each group, by its whole name, and where."""
        found: dict[str, tuple[str, etree._Element]] = {}
        for processes in topology.findall("processes"):
            self.bare(processes, ("groupIdReference", "processesCount"))
            reference = self.only(processes, "groupIdReference")
            self.attributes(reference, {}, {"groupId": "name"})
            self.children(reference, ())
            name = self.name(reference)
            if name in found:
                raise self.error(reference, f'"{name}" has a number of processes already')
            found[name] = (self.count(processes), reference)
        return found

    def count(self, around: etree._Element) -> str:
        """The text of `<processesCount><value>`."""
        return self.innermost(around, "processesCount", "value")

    def groups(
        self,
        around: etree._Element,
        prefix: str,
        key: Key,
        counts: dict[str, tuple[str, etree._Element]],
        depth: int,
    ) -> list[dict[str, Any]]:
        """The groups directly inside of an element."""
        found = []
        for number, element in enumerate(around.findall("group")):
            if depth >= MOST_DEPTH:
                raise self.error(element, f"groups lie more than {MOST_DEPTH} deep inside of each other")
            its_key = (*key, "group", number)
            self.lines[its_key] = _line(element)
            group: dict[str, Any] = {"name": self.name(element)}
            self.attributes(element, group, {"groupId": "name"}, ("ranks", *_WHOLE, *_NUMBERS))
            self.children(element, ("group", *(f"{_OWN}{name}" for name in (*_TABLES, "between"))))
            said = counts.pop(prefix + group["name"], None)
            if said is not None:
                group["processes"] = int(said[0]) if _NUMBER.fullmatch(said[0]) else said[0]
                self.lines[*its_key, "processes"] = _line(said[1])
            if inner := self.groups(element, f"{prefix}{group['name']}/", its_key, counts, depth + 1):
                group["group"] = inner
            self.own_tables(element, group, its_key)
            found.append(group)
        return found

    def own_tables(self, element: etree._Element, values: dict[str, Any], key: Key) -> None:
        """Elements of Orrery's inside of one."""
        for child in element:
            name = str(child.tag).removeprefix(_OWN)
            if name == child.tag:
                continue
            table: dict[str, Any] = {}
            if name in _LISTS_OF_TABLES:
                several = values.setdefault(name, [])
                several.append(table)
                its_key: Key = (*key, name, len(several) - 1)
            elif name in values:
                raise self.error(child, "stands there twice")
            else:
                values[name], its_key = table, (*key, name)
            self.lines[its_key] = _line(child)
            self.attributes(child, table, {}, ("ranks", *_WHOLE, *_NUMBERS, *_LISTS))
            self.children(child, tuple(f"{_OWN}{inner}" for inner in ("inside", "between")) if name == "found" else ())
            self.own_tables(child, table, its_key)

    def attributes(
        self, element: etree._Element, values: dict[str, Any], plain: dict[str, str], own: tuple[str, ...] = ()
    ) -> None:
        """Attributes as values: those of the paper by their names in TOML, and those of Orrery."""
        bare = {} if str(element.tag).startswith(_OWN) else plain
        for attribute, text in element.attrib.items():
            name = str(attribute).removeprefix(_OWN)
            if str(attribute) in bare:
                values[bare[str(attribute)]] = str(text)
            elif name in own and (name != attribute or str(element.tag).startswith(_OWN)):
                values[name] = _value(name, str(text))
            else:
                known = [*plain, *own]
                near = did_you_mean(name, known)
                raise self.error(
                    element, f'unknown attribute "{name}"{near} (known here: {", ".join(known) or "none"})'
                )

    def execution(self, element: etree._Element, data: dict[str, Any]) -> None:
        """What is handed on of how the program is started."""
        self.attributes(element, data, {"type": "execution"})
        self.children(element, ("executable", "processesCount"))
        if element.find("executable") is not None:
            data["program"] = self.innermost(element, "executable", "execFile", "file", "url")
        if element.find("processesCount") is not None and (said := self.count(element)) != "$NPROCS":
            raise self.error(element, f'processesCount is "{said}"; expected $NPROCS: the command line says how many')

    def only(self, element: etree._Element, tag: str) -> etree._Element:
        """The only element of this name inside of one. Raises InputError where there are none or several."""
        found = element.findall(tag)
        if len(found) != 1:
            raise self.error(element, f"expected one <{tag}> inside, found {len(found)}")
        return found[0]

    def name(self, element: etree._Element) -> str:
        """Its `groupId`. Raises InputError where it has none."""
        name = element.get("groupId")
        if name is None:
            raise self.error(element, 'has no "groupId"')
        return str(name)

    def innermost(self, element: etree._Element, *tags: str) -> str:
        """The text of the last of elements that have nothing but each other."""
        for tag, inside in zip(tags, (*tags[1:], None), strict=True):
            element = self.only(element, tag)
            self.bare(element, (inside,) if inside else ())
        return (element.text or "").strip()

    def bare(self, element: etree._Element, known: tuple[str, ...]) -> None:
        """Raises InputError for an attribute, and as `children`."""
        self.attributes(element, {}, {})
        self.children(element, known)

    def children(self, element: etree._Element, known: tuple[str, ...]) -> None:
        """Raises InputError for an element inside that nothing is known of."""
        for child in element:
            if child.tag not in known:
                names = [tag.removeprefix(_OWN) for tag in known]
                near = did_you_mean(str(child.tag), names)
                raise self.error(child, f"not known here{near} (known: {', '.join(names) or 'nothing'})")

    def error(self, element: etree._Element, problem: str) -> InputError:
        """The error to raise."""
        tag = str(element.tag).replace(_OWN, "orrery:")
        return InputError(f"{self.file}:{element.sourceline}: <{tag}>: {problem}")


def _line(element: etree._Element) -> int:
    line: Any = element.sourceline
    return int(line or 0)


def _value(name: str, text: str) -> Any:
    """As TOML would have it; what is no number stays text, which the check refuses or reads with its unit."""
    if name in _LISTS:
        return [unquote(word) for word in text.split()]
    try:
        return int(text) if name in _WHOLE else float(text) if name in _NUMBERS else text
    except ValueError:
        return text


def write(values: dict[str, Any]) -> str:
    """The document of a profile, of the values that TOML has. The inverse of `read`."""
    root = etree.Element("grmsJob", {"appId": values.get("name", "")}, nsmap={"orrery": NAMESPACE})
    root.append(etree.Comment(marks.SVG.removeprefix("<!--").removesuffix("-->")))
    task = etree.SubElement(root, "task", {"taskId": values.get("task", "")})
    topology = etree.SubElement(etree.SubElement(task, "resourcesDescription"), "topology")
    for group in values["group"]:
        _add_group(topology, group)
    for name, count in _all_counts(values["group"], ""):
        processes = etree.SubElement(topology, "processes")
        etree.SubElement(processes, "groupIdReference", {"groupId": name})
        _add_count(processes, str(count))
    for name in _LISTS_OF_TABLES:
        for table in values.get(name, []):
            _add_table(topology, name, table)
    if "execution" in values or "program" in values:
        _add_execution(task, values)
    etree.indent(root)
    return etree.tostring(root, encoding="unicode") + "\n"


def _add_execution(task: etree._Element, values: dict[str, Any]) -> None:
    execution = etree.SubElement(task, "execution", {"type": values["execution"]} if "execution" in values else {})
    if "program" in values:
        file = etree.SubElement(etree.SubElement(etree.SubElement(execution, "executable"), "execFile"), "file")
        etree.SubElement(file, "url").text = values["program"]
    _add_count(execution, "$NPROCS")


def _add_count(around: etree._Element, count: str) -> None:
    etree.SubElement(etree.SubElement(around, "processesCount"), "value").text = count


def _add_group(around: etree._Element, group: dict[str, Any]) -> None:
    element = etree.SubElement(around, "group", {"groupId": group["name"]})
    for key, value in group.items():
        if key in _TABLES:
            _add_table(element, key, value)
        elif key in _LISTS_OF_TABLES:
            for table in value:
                _add_table(element, key, table)
        elif key == "group":
            for inner in value:
                _add_group(element, inner)
        elif key not in {"name", "processes"}:
            element.set(f"{_OWN}{key}", str(value))


def _add_table(around: etree._Element, name: str, table: dict[str, Any]) -> None:
    element = etree.SubElement(around, f"{_OWN}{name}")
    for key, value in table.items():
        if isinstance(value, dict):
            _add_table(element, key, value)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            for inner in value:
                _add_table(element, key, inner)
        else:
            element.set(key, " ".join(map(quote, value)) if isinstance(value, list) else str(value))


def _all_counts(groups: list[dict[str, Any]], prefix: str) -> Iterator[tuple[str, int | str]]:
    for group in groups:
        name = prefix + group["name"]
        if "processes" in group:
            yield name, group["processes"]
        yield from _all_counts(group.get("group", []), f"{name}/")
