# SPDX-License-Identifier: BSD-3-Clause
"""Words of strangers stay words: in every file that Orrery writes, whoever reads it."""

from __future__ import annotations

import ast
import csv
import importlib
import io
import json
import re
import shlex
import subprocess
import tomllib
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, get_args

import pytest
from lxml import etree

import hostile
from harness import Sandbox
from orrery import words
from orrery.cli.trace import convert
from orrery.errors import InputError
from orrery.job.profile import JobProfile
from orrery.job.writing import to_toml, to_xml
from orrery.placement.formats import read_back, text_for
from orrery.placement.settings import Format
from orrery.platform import toml_writer
from orrery.record.tau import read_tau
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.terminal import visible
from orrery.tune.files import environment, files_of, loading
from orrery.tune.library import TUNABLE, library
from orrery.tune.rules import RuleRow, RulesOrigin, SizeBand, TunedRules

ALL = pytest.mark.parametrize("word", hostile.WORDS.values(), ids=hostile.WORDS)
FOLDERS = {name: word for name, word in hostile.PRINTABLE.items() if len(word.encode()) <= 255}
"""Those that a folder may be called."""
PRINTABLE = pytest.mark.parametrize("word", hostile.PRINTABLE.values(), ids=hostile.PRINTABLE)
CLI = Path(convert.__file__).parents[1]


def is_plain(text: str) -> bool:
    """No character that a terminal acts on; ends of lines and tabs are those of the file."""
    return re.sub(r"[\r\n\t]", "", text).isprintable()


# One function for each target.


@ALL
def test_a_word_of_a_shell_is_one_word(word: str) -> None:
    if "\0" in word:
        with pytest.raises(InputError, match="NUL"):
            words.shell(word)
        return
    line = f"for one in {words.shell(word)}; do printf '<%s>' \"$one\"; done"
    said = subprocess.run(["sh", "-c", line], capture_output=True, check=True).stdout
    assert said == f"<{word}>".encode()


@ALL
def test_a_comment_is_one_line(word: str) -> None:
    text = words.comment(word)
    assert text.isprintable()
    assert len(text.splitlines()) == 1
    assert text.startswith("# ")


@ALL
def test_a_string_of_toml_is_read_back_as_it_was(word: str) -> None:
    text = f"key = {words.toml(word)} {words.comment(word)}\nafter = 1\n"
    assert tomllib.loads(text) == {"key": word, "after": 1}
    assert is_plain(text)


@ALL
def test_a_cell_is_no_formula(word: str) -> None:
    text = io.StringIO()
    csv.writer(text).writerow([words.cell(word), words.cell(-1.5), words.cell("-1.5")])
    ((cell, *numbers),) = csv.reader(io.StringIO(text.getvalue()))
    assert not cell.startswith(("=", "+", "-", "@"))
    assert cell.removeprefix("'") == visible(word).removeprefix("'")
    assert numbers == ["-1.5", "-1.5"]
    assert is_plain(text.getvalue())


@ALL
def test_markup_is_text(word: str) -> None:
    tree = etree.fromstring(f'<p title="{words.markup(word)}">{words.markup(word)}</p>')
    assert tree.text == tree.get("title") == visible(word)
    assert len(tree) == 0


@ALL
def test_json_says_the_same_without_raw_characters(word: str) -> None:
    text = words.json_text(json.dumps({word: [word, "ü"]}, ensure_ascii=False, indent=1))
    assert json.loads(text) == {word: [word, "ü"]}
    assert is_plain(text)
    assert "ü" in text


@ALL
@pytest.mark.parametrize("target", [words.paje, words.tau])
def test_names_in_quotes_end_at_the_quotes(word: str, target: Callable[[str], str]) -> None:
    text = target(word)
    assert text.isprintable()
    assert text.count('"') == 2


@ALL
def test_a_string_of_ctf_is_one_string(word: str) -> None:
    assert json.loads(words.ctf(word)) == visible(word)  # its escapes are a part of those of JSON


@ALL
def test_a_setting_is_one_line_or_refused(word: str) -> None:
    try:
        text = words.setting("name", f"/home/{word}/rules.conf")
    except InputError:
        assert not word.isprintable()
    else:
        assert text == f"name = /home/{word}/rules.conf"


@ALL
def test_a_host_is_a_name_or_refused(word: str) -> None:
    if re.search(r"[\s:=,;#\"']", word) or not word.isprintable():
        with pytest.raises(InputError, match="launchers take no host of this name"):
            words.host(word)
    else:
        assert words.host(word) == word


# Exports of traces.


def _lines(pattern: str) -> Callable[[Path], None]:
    def check(file: Path) -> None:
        for line in file.read_text(encoding="utf-8").splitlines():
            assert re.fullmatch(pattern, line), line

    return check


def _ti(file: Path) -> None:
    _lines(r"[\w.]+_files/rank-\d+\.txt")(file)
    for part in file.read_text().splitlines():
        _lines(r"\d+ [a-z]+( [\d.e+-]+)*")(file.parent / part)


def _perfetto(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert is_plain(text)
    names = {event["args"]["name"] for event in json.loads(text)["traceEvents"] if event["name"] == "process_name"}
    assert len(names) == 1


def _paje(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    assert is_plain(text)
    fields = {"0": 4, "1": 4, "2": 6, "3": 4, "4": 5, "5": 4}
    for line in text.splitlines():
        if not line.startswith(("#", "%")):
            found = shlex.split(line)
            assert len(found) == fields[found[0]], line


def _csv(file: Path) -> None:
    with file.open(encoding="utf-8", newline="") as opened:
        rows = list(csv.reader(opened, strict=True))
    assert len({len(row) for row in rows}) == 1
    for cell in (cell for row in rows for cell in row):
        assert cell.isprintable()
        assert not cell.startswith(("=", "+", "@")), cell
        assert not cell.startswith("-") or float(cell) <= 0


def _parquet(file: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert parquet.read_table(file).num_rows > 0


def _otf2(folder: Path) -> None:
    otf2 = pytest.importorskip("otf2")
    with otf2.reader.open(str(folder / "traces.otf2")) as archive:
        known = archive.definitions
        found = [definition.name for kind in (known.system_tree_nodes, known.regions) for definition in kind]
    assert sum("touch made" in text for text in found) == 2  # the host and the program
    assert all(text.isprintable() for text in found)


def _ctf(folder: Path) -> None:
    text = (folder / "metadata").read_text(encoding="utf-8")
    assert is_plain(text)
    outside = re.sub(r'"(?:\\.|[^"\\\n])*"', "", re.sub(r"/\*.*?\*/", "", text))
    assert '"' not in outside
    assert "touch made" not in outside
    assert outside.count("{") == outside.count("}")


def _bytes(file: Path) -> None:
    found = file.read_bytes()
    assert not any(found.count(word.encode()) for name, word in hostile.CONTROLS.items() if name != "nul")


_NO_WORDS = (
    r"num_ranks \d+|/\* Written by Orrery \*/|rank \d+ \{|\}|l\d+( irequires|: (send|recv|calc)|: ?| requires).*|"
)
EXPORTS: dict[str, Callable[[Path], None]] = {
    "ti": _ti, "goal": _lines(_NO_WORDS), "goal-binary": _bytes, "perfetto": _perfetto, "pftrace": _bytes, "paje": _paje,
    "csv": _csv, "parquet": _parquet, "otf2": _otf2, "ctf": _ctf,
}  # fmt: skip
"""How each form is read back."""


def test_all_exports_of_traces_are_tried() -> None:
    assert set(EXPORTS) == set(get_args(convert.Form))


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("write", [hostile.write_trace, hostile.write_merged])
def test_names_in_a_trace_stay_names_in_its_exports(sandbox: Sandbox, form: str, write: Callable[[Path], Path]) -> None:
    if form == "parquet":
        pytest.importorskip("pyarrow")
    if form == "otf2":
        pytest.importorskip("otf2")
    trace = write(sandbox.folder)
    before = set(sandbox.folder.iterdir())
    ended = sandbox.orrery("trace", "convert", trace.name, "-o", "exported", "--format", form)
    assert ended.code == 0, ended.err
    assert is_plain(ended.err)
    if form != "otf2" or write is hostile.write_merged:
        EXPORTS[form](sandbox.folder / "exported")
    assert {path.name for path in set(sandbox.folder.iterdir()) - before} <= {"exported", "exported_files", "state"}


# What `-o` and `--report` write, by their endings.


class _Page(HTMLParser):
    """Elements of a page, and the text outside of scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.said: list[str] = []
        self._script = False

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002
        self.tags.append(tag)
        self._script = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._script = self._script and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._script:
            self.said.append(data)


def _html(file: Path, mild: Path) -> None:
    pages = []
    for path in (file, mild):
        page = _Page()
        page.feed(path.read_text(encoding="utf-8"))
        pages.append(page)
    assert pages[0].tags.count("script") == pages[1].tags.count("script")
    assert pages[0].tags.count("img") == pages[1].tags.count("img")
    assert is_plain("".join(pages[0].said))
    assert "window.made = 1</script>" not in file.read_text(encoding="utf-8")


def _svg(file: Path, mild: Path) -> None:
    tags = [[element.tag for element in etree.parse(path).iter()] for path in (file, mild)]
    assert tags[0] == tags[1]


def _json_file(file: Path, _mild: Path) -> None:
    text = file.read_text(encoding="utf-8")
    json.loads(text)
    assert is_plain(text)


def _csv_file(file: Path, _mild: Path) -> None:
    _csv(file)


def _tau(folder: Path, _mild: Path) -> None:
    for file in folder.iterdir():
        assert is_plain(file.read_text(encoding="utf-8"))
    assert any("touch made" in value for value in read_tau(folder).metadata[0].values())


def _trace(file: Path, _mild: Path) -> None:
    assert file.read_bytes()[:4] == b"\x89ORR"


def _md(file: Path, _mild: Path) -> None:
    assert is_plain(file.read_text(encoding="utf-8"))


READERS: dict[str, Callable[[Path, Path], None]] = {
    ".html": _html, ".svg": _svg, ".json": _json_file, ".csv": _csv_file, ".tau": _tau, ".trace": _trace, ".md": _md,
}  # fmt: skip
_BENCHMARK = ["benchmark", "bcast", "-s", "1KiB", "-n", "4", "-p", "PLATFORM"]
WRITTEN: dict[str, dict[str, list[str] | str]] = {
    "collective/command.py": {
        ending: ["collective", "bcast", "-n", "4", "-s", "1KiB", "-p", "PLATFORM", "-o"]
        for ending in (".json", ".csv", ".html", ".svg")
    },
    "platform/show.py": {".svg": ["platform", "show", "PLATFORM", "-o"]},
    "platform/keys.py": {".md": "of keys alone", ".json": "of keys alone"},
    "tune/upgrade.py": {
        ".json": [
            *("tune", "upgrade", "openmpi-4.1:openmpi-5.0", "bcast", "-n", "4", "-s", "8"),
            *("-p", "PLATFORM", "-o"),
        ]
    },
    "benchmark/command.py": {".json": [*_BENCHMARK, "-o"], ".csv": [*_BENCHMARK, "-o"]},
    "recorded.py": {
        ending: ["replay", "TRACE", "-p", "PLATFORM", "-o"] for ending in (".json", ".trace")
    },
    "validate/collectives.py": {ending: ["validate", "collectives", "--ingest", "TIMES", "-p", "PLATFORM", "-o"] for ending in (".json", ".html", ".svg")},
    "validate/ablate.py": {".json": "of suites: names of its entries are letters", ".md": "of suites: names of its entries are letters"},
    "validate/trace.py": {ending: ["validate", "trace", "TRACE", "-p", "PLATFORM", "-o"] for ending in (".json", ".html", ".svg")},
    "validate/program.py": {
        ending: ["validate", "program", "--profile", "PROFILE", "--record", "RECORD", "-o"] for ending in (".json", ".html", ".svg")
    },
    "profile.py": {ending: ["profile", "RECORD", "-o"] for ending in (".html", ".svg", ".tau")},
}  # fmt: skip
"""By the module that has the option: for each ending what writes it; or why no word gets there."""
_DRAWN = {".png"}
"""Pictures without words in them; .svg is the same drawing."""


def _endings() -> dict[str, tuple[str, ...]]:
    """What each command can write, out of its code."""
    found = {}
    for file in sorted(CLI.rglob("*.py")):
        place = str(file.relative_to(CLI))
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "by_ending":
                module = importlib.import_module("orrery.cli." + place.removesuffix(".py").replace("/", "."))
                found[place] = tuple(eval(ast.unparse(node.args[1]), vars(module)))  # noqa: S307  the program's own
    return found


def test_all_endings_of_all_commands_are_tried() -> None:
    found = _endings()
    assert set(found) == set(WRITTEN)
    for place, endings in found.items():
        assert set(endings) - _DRAWN == set(WRITTEN[place]), place


_CASES = [
    pytest.param(ending, line, id=f"{place.removesuffix('.py')}{ending}")
    for place, endings in WRITTEN.items()
    for ending, line in endings.items()
    if not isinstance(line, str)
]


@pytest.mark.parametrize(("ending", "line"), _CASES)
def test_names_stay_names_in_what_commands_write(sandbox: Sandbox, ending: str, line: list[str]) -> None:
    said = " ".join(word for name, word in hostile.PRINTABLE.items() if name != "long")
    written = []
    for name, word in (("hostile", said), ("mild", "mild")):
        files = hostile.write_all(sandbox.folder / name, word)
        words_of_line = [str(files.get(argument, argument)) for argument in line]
        before = set(sandbox.folder.rglob("*"))
        ended = sandbox.orrery(*words_of_line, f"{name}{ending}")
        assert ended.code in (0, 1), ended.err
        assert is_plain(ended.out + ended.err)
        written.append(sandbox.folder / f"{name}{ending}")
        new = {path for path in set(sandbox.folder.rglob("*")) - before if "state" not in str(path)}
        assert all(written[-1] in (path, path.parent) for path in new), new
    READERS[ending](*written)


# Settings of MPI libraries.


def _tuned(name: str, word: str) -> TunedRules:
    own = library(name)
    variant = next(
        variant
        for variant in own.variants(hostile.call("bcast"), "bcast", 65536, (1024,))
        if name != "intel-2021" or variant.name
    )
    band = SizeBand(bytes_from=0, bytes_to=MOST_BYTES, variant=variant)
    row = RuleRow(kind="bcast", ranks_from=2, ranks_to=MOST_RANKS, counts=(4,), bands=(band,))
    return TunedRules(
        library=own,
        rows=(row,),
        made=RulesOrigin(orrery="0", platform=word, mapping=word, gains=(word,), limits=(word,)),
    )


def _sourced(script: str, folder: Path, more: str = "") -> dict[str, str]:
    """The environment after a script."""
    assert subprocess.run(["bash", "-n"], input=script, text=True, check=False).returncode == 0
    file = folder / "script.sh"
    file.write_text(script, encoding="utf-8")
    line = ["bash", "-c", f". ./script.sh {more}; env -0"]
    done = subprocess.run(line, cwd=folder, capture_output=True, check=True, env={"PATH": "/usr/bin:/bin"})
    assert done.stderr == b""
    file.unlink()
    return dict(setting.partition("=")[::2] for setting in done.stdout.decode().split("\0"))


@ALL
@pytest.mark.parametrize("name", TUNABLE)
def test_a_name_stays_a_comment_in_settings_of_libraries(tmp_path: Path, name: str, word: str) -> None:
    for file, text in files_of(_tuned(name, word), tmp_path).items():
        ending = Path(file).suffix
        assert is_plain(text), file
        if ending == ".sh":
            _sourced(text, tmp_path, "4")
        elif ending == ".json":
            json.loads(text)
        else:
            assert ending == ".conf"
            assert not any("touch" in line and not line.startswith("#") for line in text.splitlines())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("word", FOLDERS.values(), ids=FOLDERS)
@pytest.mark.parametrize("name", TUNABLE)
def test_settings_name_their_folder_whatever_it_is_called(tmp_path: Path, name: str, word: str) -> None:
    folder = tmp_path / word.replace("/", "|")
    folder.mkdir()
    tuned = _tuned(name, "it")
    wanted = environment(tuned, folder)
    for file, text in files_of(tuned, folder).items():
        if file.endswith(".sh") and wanted:
            found = _sourced(text, tmp_path)
            assert wanted.items() <= found.items()
        (folder / file).write_text(text, encoding="utf-8")
    for line in loading(tuned, folder):
        command = line.removeprefix("or: ").replace("~", "$HOME")
        environment_of = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)}
        done = subprocess.run(
            ["bash", "-c", command], cwd=tmp_path, capture_output=True, check=False, env=environment_of
        )
        assert done.returncode == 0, done.stderr
    assert {path.name for path in tmp_path.iterdir()} <= {folder.name, ".openmpi"}


# Platforms, profiles, mappings.


@ALL
def test_tables_of_toml_are_read_back_as_they_were(word: str) -> None:
    values = {"name": word, word: {word: [word], "link": [{word: word}]}}
    text = toml_writer.write(values)
    assert tomllib.loads(text) == values
    assert is_plain(text)


@PRINTABLE
def test_job_profiles_are_read_back_as_they_were(word: str) -> None:
    if len(word) > 1000:
        return
    profile = JobProfile.model_validate({"name": word, "program": word, "group": [{"name": "a", "processes": 2}]})
    assert tomllib.loads(to_toml(profile))["name"] == word
    tree = etree.fromstring(to_xml(profile).encode())
    assert tree.get("appId") == word


@ALL
@pytest.mark.parametrize("form", get_args(Format))
def test_a_mapping_names_its_hosts_or_is_refused(form: Format, word: str) -> None:
    hosts = [word, word, "node-1", "node-1"]
    if form != "cray-reorder" and word != hostile.WORDS["sum"] and word != hostile.WORDS["long"]:
        with pytest.raises(InputError, match="launchers take no host of this name"):
            text_for(form, hosts, [2] * 4, [word, "node-1"])
        return
    text = text_for(form, hosts, [2] * 4, [word, "node-1"])
    assert is_plain(text)
    assert read_back(form, text, [word, "node-1"], {word: 2, "node-1": 2}) == hosts
