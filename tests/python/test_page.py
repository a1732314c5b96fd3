# SPDX-License-Identifier: BSD-3-Clause
"""`--report`: the page that explains a result, as a file and in a real browser."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from browser import Tab, in_browser, needs_browser
from harness import Sandbox
from orrery.output import checked
from orrery.page.document import Page, html, write_page
from orrery.page.packing import Column, ColumnPacker
from orrery.page.parts import Axis, Bars, BarSeries, Plot, Series, Table, TableColumn
from orrery.platform import core
from orrery.platform.find import builtin_names
from orrery.platform.load import load
from orrery.report.pages.places import switch_of_nodes
from page_files import contents_of, parts_of, unpacked

REPOSITORY = Path(__file__).parent.parent.parent
_ASSETS = REPOSITORY / "python" / "orrery" / "page" / "assets"
_FRONT = REPOSITORY / "tools" / "page"
_CANVAS = "document.querySelector('.part-timeline .stage canvas')"


def _numbers(place: dict[str, Any], columns: bytes) -> list[float]:
    kind = np.dtype({"i64": "<i8", "f64": "<f8", "i32": "<i4", "u32": "<u4", "u16": "<u2", "u8": "u1"}[place["type"]])
    count, width = place["count"], kind.itemsize
    shuffled = np.frombuffer(columns, np.uint8, count * width, place["at"]).reshape(width, count)
    values = np.ascontiguousarray(shuffled.T).view(kind).ravel()
    return list(np.cumsum(values) if place.get("delta") else values)


def test_columns_come_out_as_they_went_in() -> None:
    times = [0, 7, 7, 2**40 + 1, 2**40]
    document = {"a": Column(np.array(times), delta=True), "b": [Column(memoryview(b"\x01\xff")), Column([0.5, -1.0])]}
    found, columns = unpacked(ColumnPacker().packed(document))
    assert _numbers(found["a"], columns) == times
    assert [_numbers(place, columns) for place in found["b"]] == [[1, 255], [0.5, -1.0]]


def test_what_is_not_a_number_is_nothing() -> None:
    found, _ = unpacked(ColumnPacker().packed({"rows": [float("nan"), float("inf"), 1.5, np.float64("nan")]}))
    assert found["rows"] == [None, None, 1.5, None]


def test_the_built_script_is_that_of_the_sources() -> None:
    digest = hashlib.sha256()
    sources = ["package-lock.json", *(file.relative_to(_FRONT).as_posix() for file in (_FRONT / "src").rglob("*.ts"))]
    for name in sorted(sources):
        digest.update((_FRONT / name).read_bytes())
    first = (_ASSETS / "page.js").read_text(encoding="utf-8").partition("\n")[0]
    assert first.endswith(digest.hexdigest()), "make page"


def test_text_is_never_taken_for_html() -> None:
    bad = "</script><script>alert(1)</script>"
    page = Page(title=bad, verdict=bad, facts=[(bad, bad)], cautions=[bad],
                parts=[Table(title=bad, columns=[TableColumn(name=bad)], rows=[[bad]])])  # fmt: skip
    assert "<script>alert" not in html(page)


def test_a_page_needs_nothing_else(sandbox: Sandbox) -> None:
    text = _report_of_ring(sandbox).read_text(encoding="utf-8")
    assert re.findall(r'(?:src|href)="(?!#|data:)[^"]*"|url\((?!data:)[^)]*\)|@import', text.split("<script>")[0]) == []
    assert len(text) < 2_000_000


def _report_of_ring(sandbox: Sandbox, *options: str) -> Path:
    ran = sandbox.orrery(
        "run", "-n", "4", "--compute", "none", "--report", "ring.html", *options, sandbox.program("ring"), "3"
    )
    assert ran.code == 0, ran.err
    return sandbox.folder / "ring.html"


def test_a_run_is_reported_with_its_timeline(sandbox: Sandbox) -> None:
    document, columns = contents_of(_report_of_ring(sandbox))
    parts = {part["title"]: part for part in document["parts"]}
    timeline = parts["Timeline"]
    assert (timeline["ranks"], timeline["complete"]) == (4, True)
    assert len(_numbers(timeline["intervals"]["begin"], columns)) == timeline["calls"]
    assert sorted(_numbers(timeline["sent"]["from"], columns)) == [0, 1, 2, 3]
    assert next(row[0] for row in parts["Routines"]["rows"]) == ".application"
    assert list(sandbox.folder.glob("*.trace")) == []


def test_messages_are_shown_between_ranks_nodes_and_cabinets(sandbox: Sandbox) -> None:
    ran = sandbox.orrery("run", "-n", "64", "-p", "graphene", "--map", "cabinet", "--report", "ring.html",
                         sandbox.program("ring"), "3")  # fmt: skip
    assert ran.code == 0, ran.err
    views = parts_of(sandbox.folder / "ring.html")["Who sends to whom"]["views"]
    assert [(view["name"], view["size"]) for view in views] == [("ranks", 64), ("nodes", 16), ("switches", 4)]


@pytest.mark.parametrize("platform", builtin_names())
def test_each_node_of_a_platform_is_in_a_part(platform: str) -> None:
    hosts = core.build(load(platform).model_dump()).hosts
    assert sorted(switch_of_nodes(platform)) == sorted(host.name for host in hosts)


def test_a_trace_that_is_wanted_is_kept_beside_the_report(sandbox: Sandbox) -> None:
    _report_of_ring(sandbox, "-o", "ring.trace", "-o", "ring.json")
    assert (sandbox.folder / "ring.trace").exists()
    replayed = sandbox.orrery("replay", "ring.trace", "--report", "again.html")
    profiled = sandbox.orrery("profile", "ring.trace", "--report", "trace.html")
    recorded = sandbox.orrery("profile", "ring.json", "--report", "record.html")
    assert [ended.code for ended in (replayed, profiled, recorded)] == [0, 0, 0]
    titles = {name: list(parts_of(sandbox.folder / name)) for name in ("again.html", "trace.html", "record.html")}
    assert titles["again.html"][0] == titles["trace.html"][0] == "Timeline"
    assert titles["record.html"] == ["Routines", "Time by node and routine", "Routines of each rank"]


def test_a_run_that_fails_is_reported_too(sandbox: Sandbox) -> None:
    ran = sandbox.orrery("run", "-n", "2", "--report", "bad.html", sandbox.program("deadlock"))
    assert ran.code == 1
    assert (sandbox.folder / "bad.html").exists(), ran.err
    text = (sandbox.folder / "bad.html").read_text(encoding="utf-8")
    assert 'class="verdict bad"' in text
    assert "deadlock" in text.split("<main>")[0]


@pytest.mark.parametrize(
    ("name", "said"),
    [("report.txt", "name it FILE.html"), ("none/report.html", "mkdir -p none"), ("mine.html", "--overwrite")],
)
def test_a_place_that_cannot_be_written_is_refused_before_the_run(sandbox: Sandbox, name: str, said: str) -> None:
    (sandbox.folder / "mine.html").write_text("<html>mine</html>")
    ran = sandbox.orrery("run", "-n", "2", "--report", name, sandbox.program("ring"), "1")
    assert (ran.code, said in ran.err, ran.out) == (2, True, "")


# ---- in a browser


@pytest.fixture(scope="module")
def heat(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of 16 ranks that solve a heat equation."""
    folder = tmp_path_factory.mktemp("heat")
    sandbox = Sandbox(folder, folder)
    program = sandbox.program("heat2d")
    ran = sandbox.orrery("run", "-n", "16", "-p", "graphene", "--map", "node", "--compute", "none", "--report",
                         "heat.html", program, "64", "20")  # fmt: skip
    assert ran.code == 0, ran.err
    return folder / "heat.html"


async def _canvas(tab: Tab) -> tuple[float, float, float, float]:
    """Place and size of the timeline, which is brought into view and has the focus."""
    await tab.ready()
    await tab.evaluate(f"{_CANVAS}.scrollIntoView({{block: 'center'}}), {_CANVAS}.focus()")
    await tab.frame()
    x, y, width, height = await tab.evaluate(f"Object.values({_CANVAS}.getBoundingClientRect().toJSON()).slice(0, 4)")
    return x, y, width, height


async def _window(tab: Tab) -> tuple[int, int]:
    begin, end = (await tab.evaluate(f"{_CANVAS}.dataset.window")).split()
    return int(begin), int(end)


@needs_browser
def test_all_parts_are_drawn_in_seconds(heat: Path) -> None:
    async def look(tab: Tab) -> tuple[float, list[str]]:
        milliseconds = await tab.ready()
        return milliseconds, await tab.evaluate("[...document.querySelectorAll('main h2')].map(one => one.textContent)")

    milliseconds, titles = in_browser(heat, look)
    assert titles[:3] == ["Timeline", "Where waiting comes from", "Who waits, and for whom"]
    assert {"Who sends to whom", "Routines", "Critical path"} <= set(titles)
    assert milliseconds < 5000  # alone it takes a tenth of that


@needs_browser
def test_the_timeline_zooms_to_a_single_message_and_goes_to_its_other_end(heat: Path) -> None:
    async def look(tab: Tab) -> tuple[list[tuple[int, int]], str, str]:
        x, y, width, _ = await _canvas(tab)
        windows = [await _window(tab)]
        await tab.mouse("mouseWheel", x + width / 2, y + 60, deltaX=0, deltaY=-600, modifiers=2)
        await tab.frame()
        windows.append(await _window(tab))
        await tab.evaluate("document.querySelector('.tools input[type=search]').focus()")
        await tab.evaluate(
            "(box => { box.value = 'waitall'; box.dispatchEvent(new Event('input')); })"
            "(document.querySelector('.tools input[type=search]'))"
        )
        await tab.key("Enter")
        waiting = await tab.evaluate("document.querySelector('.details').innerText")
        await tab.evaluate("document.querySelector('.details li button').click()")
        await tab.frame()
        sending = await tab.evaluate("document.querySelector('.details').innerText")
        await tab.evaluate(f"{_CANVAS}.focus()")
        await tab.key("Enter")
        windows.append(await _window(tab))
        await tab.key("0")
        windows.append(await _window(tab))
        return windows, waiting, sending

    windows, waiting, sending = in_browser(heat, look)
    lengths = [end - begin for begin, end in windows]
    assert lengths[0] > 5 * lengths[1]
    assert lengths[0] > 100 * lengths[2]
    assert windows[3] == windows[0]
    assert waiting.startswith("MPI_Waitall")
    assert re.search(r"receives \d+ message", waiting)
    assert sending.startswith("MPI_Isend")
    assert re.search(r"sends 1 message", sending)


@needs_browser
def test_ranks_are_sorted_and_grouped_and_waits_are_shown(heat: Path) -> None:
    async def look(tab: Tab) -> tuple[tuple[int, int], str, str]:
        await _canvas(tab)
        await tab.evaluate("document.querySelector('.part-table button.link').click()")
        await tab.frame()
        window = await _window(tab)
        details = await tab.evaluate("document.querySelector('.details').innerText")
        await tab.evaluate(
            "(list => { list.selectedIndex = 2; list.dispatchEvent(new Event('change')); })"
            "(document.querySelector('.tools select'))"
        )
        await tab.evaluate(
            "[...document.querySelectorAll('.tools label')].find(one => /node/.test(one.innerText)).click()"
        )
        await tab.frame()
        x, y, width, _ = await _canvas(tab)
        await tab.mouse("mouseMoved", x + width / 2, y + 60)
        return window, details, await tab.evaluate("document.querySelector('.tip').textContent")

    (begin, end), details, tip = in_browser(heat, look)
    assert end - begin < 1e6
    assert "MPI_" in details
    assert "graphene-" in tip


@needs_browser
def test_pages_follow_the_setting_of_the_system(heat: Path) -> None:
    corner = f"[...{_CANVAS}.getContext('2d').getImageData(1, 1, 1, 1).data].slice(0, 3)"
    body = "getComputedStyle(document.body).backgroundColor"

    async def look(tab: Tab) -> list[tuple[list[int], str]]:
        await tab.ready()
        found = []
        for on in (False, True, False):
            await tab.dark(on=on)
            found.append((await tab.evaluate(corner), await tab.evaluate(body)))
        return found

    light, dark, again = in_browser(heat, look)
    assert light == again == ([255, 255, 255], "rgb(255, 255, 255)")
    assert max(dark[0]) < 60


@needs_browser
def test_tables_sort_and_plots_are_drawn(tmp_path: Path) -> None:
    table = Table(title="t", columns=[TableColumn(name="n", unit="count")], rows=[[2], [10], [None], [1]], bar=0)
    plot = Plot(
        title="p", x=Axis(name="size", unit="bytes", log=True), y=Axis(name="time", unit="s", log=True),
        values=Column(np.array([1.0, 8.0, 64.0])),
        series=[Series(name="a", values=Column(np.array([1e-6, np.nan, 1e-3])))],
    )  # fmt: skip
    bars = Bars(
        title="b", unit="s", of="x", labels=["l"], series=[BarSeries(name="s", colour="--series-1", values=[2])]
    )
    place = tmp_path / "parts.html"
    write_page(Page(title="parts", verdict="It draws.", parts=[table, plot, bars]), checked(place))
    cells = "[...document.querySelectorAll('.part-table tbody td')].map(cell => cell.textContent)"

    async def look(tab: Tab) -> list[list[str]]:
        await tab.ready()
        found = [await tab.evaluate(cells)]
        for _ in range(2):
            await tab.evaluate("document.querySelector('th button').click()")
            found.append(await tab.evaluate(cells))
        assert await tab.evaluate("document.querySelectorAll('.plot canvas').length") == 1
        assert await tab.evaluate("document.querySelector('.piece').getBoundingClientRect().width") > 100
        return found

    assert in_browser(place, look) == [["2", "10", "", "1"], ["10", "2", "1", ""], ["", "1", "2", "10"]]


@needs_browser
def test_a_plot_is_drawn_whatever_the_browser_calls_its_language(tmp_path: Path) -> None:
    named = "Object.defineProperty(Navigator.prototype, 'language', {get: () => 'en-US@posix', configurable: true})"

    async def look(tab: Tab) -> int:
        await tab.ready()
        number: int = await tab.evaluate("document.querySelectorAll('.plot canvas').length")
        return number

    assert in_browser(_curves(tmp_path, 2), look, before=named) == 1


@needs_browser
def test_many_curves_have_their_legend_beside_them_in_two_columns(tmp_path: Path) -> None:
    async def look(tab: Tab) -> tuple[list[float], float]:
        await tab.ready()
        rows = "[...document.querySelectorAll('.u-legend tr')].map(row => row.getBoundingClientRect().left)"
        return await tab.evaluate(rows), await tab.evaluate(
            "document.querySelector('canvas').getBoundingClientRect().right"
        )

    lefts, right = in_browser(_curves(tmp_path, 23), look)
    assert len(lefts) == 24  # one for the size
    assert len(set(lefts)) == 2
    assert min(lefts) >= right
    lefts, right = in_browser(_curves(tmp_path, 3), look)
    assert min(lefts) < right


def _curves(folder: Path, number: int) -> Path:
    """A page with a plot of so many curves."""
    series = [
        Series(name=f"algorithm_{i}", values=Column(np.array([1e-6, 1e-5, 1e-3]) * (i + 1))) for i in range(number)
    ]
    plot = Plot(
        title="p", x=Axis(name="size", unit="bytes", log=True), y=Axis(name="time", unit="s", log=True),
        values=Column(np.array([1.0, 8.0, 64.0])), series=series,
    )  # fmt: skip
    place = folder / f"{number}.html"
    write_page(Page(title="p", verdict="It draws.", parts=[plot]), checked(place))
    return place


def test_licences_of_what_is_built_in_are_there() -> None:
    package = json.loads((_FRONT / "package.json").read_text(encoding="utf-8"))
    licences = (_ASSETS / "LICENCES.txt").read_text(encoding="utf-8")
    assert all(f"{name} " in licences for name in package["dependencies"])
