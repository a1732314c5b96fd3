# SPDX-License-Identifier: BSD-3-Clause
"""Words of strangers, and traces, records and other files that have them where names stand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

from orrery import _core
from orrery.replay import recording
from orrery.replay.session import replay
from orrery.replay.settings import ReplaySettings
from orrery.simulate import description

PRINTABLE = {
    "quotes": """'single' "double" \\ back""",
    "command": "$(touch made) `touch made`; touch made & touch made | touch made #",
    "closing": "'; touch made; '\"; touch made; \"",
    "formula": "=cmd|' /C calc'!A0",
    "sum": "@SUM(1+1)*cmd",
    "page": "</script><script>window.made = 1</script><img src=x onerror=made()>",
    "comment": "--> */ ]]> %> #",
    "format": "{file} %s %n {0}",
    "long": "x" * 5000,
}
"""Single lines of printable characters, as own files may have them."""
CONTROLS = {
    "line": "x\ntouch made\n#",
    "return": "x\rtouch made",
    "title": "\x1b]0;title\x07\x1b[2J\x1b[31mred",
    "direction": "a\u202eb\u2066c",
    "c1": "\x9b31mred",
    "nul": "a\0b",
    "separator": "a\u2028touch made\u2029b\x85c",
}
"""Others, which foreign files and command lines may have."""
WORDS = {**PRINTABLE, **CONTROLS}

MADE = "made-by-a-name"
FOLDER = f"""my job $HOME 'q' "d" ü; touch {MADE}; `touch {MADE}`"""
"""The name of a folder, which makes a file where a shell takes it for a command."""

WORKLOAD = """ranks = 4
steps = 2
[[phase]]
kind = "halo"
bytes = 1000
[[phase]]
kind = "allreduce"
bytes = 8
"""
_WITHOUT_NUL = " ".join(word for name, word in WORDS.items() if name not in ("nul", "long"))


def platform(word: str = "it") -> str:
    """The text of a platform whose name, description, source and cluster are a word."""
    said = json.dumps(word, ensure_ascii=False)
    return f"""name = {said}
description = {said}
source = {said}
model = "fluid"
[[cluster]]
name = {said}
nodes = 4
cores = 2
bandwidth_bytes_per_s = "10Gbit/s"
latency_s = "1us"
memory_bandwidth_bytes_per_s = "20GB/s"
memory_latency_s = "200ns"
"""


def write_trace(folder: Path, word: str = _WITHOUT_NUL, name: str = "hostile.trace") -> Path:
    """A trace whose properties and whose host are a word, as no recording of ours writes them."""
    workload = folder / "workload.toml"
    workload.write_text(WORKLOAD, encoding="utf-8")
    trace = folder / name

    def recorded(experiment: Any, command: Sequence[str], more: Any) -> dict[str, Any]:
        values = description.recorded(experiment, command, more)
        kept = ("source", "platform", "platform_digest", "model", "mapping", "selector", "compute", "seed", "date")
        if values:
            properties = dict(values["trace_properties"])
            values["trace_properties"] = [
                *((key, value if key in kept else word) for key, value in properties.items()),
                ("library", word),
                (word.replace("=", "")[:60], word),
            ]
        return values

    with patch.object(recording, "recorded", recorded):
        record = replay(replace(ReplaySettings.of([workload]), trace=trace))
    assert record.end == "completed"
    return trace


def write_merged(folder: Path, word: str = _WITHOUT_NUL) -> Path:
    """The trace of one rank on a host whose name is a word."""
    workload = folder / "alone.toml"
    workload.write_text(WORKLOAD.replace("ranks = 4", "ranks = 1"), encoding="utf-8")
    part = folder / "0.trace"

    def recorded(experiment: Any, command: Sequence[str], more: Any) -> dict[str, Any]:
        values = description.recorded(experiment, command, more)
        if values:
            values["trace_properties"] = [*dict(values["trace_properties"], host=word, rank="0", aborted=word).items()]
        return values

    with patch.object(recording, "recorded", recorded):
        replay(replace(ReplaySettings.of([workload]), trace=part))
    trace = folder / "merged.trace"
    _core.merge_traces([str(part)], str(trace), [("program", word), ("command", word)])
    return trace


def call(kind: str) -> Any:
    """A call of four ranks, as the core takes it."""
    from orrery.benchmark.cases import LoopCase

    return LoopCase(kind, 4, 65536).call.core(0)


def write_all(folder: Path, word: str) -> dict[str, Path]:
    """Files in which names are a word, by what command lines of tests call them."""
    folder.mkdir()
    files = {
        name: folder / ending
        for name, ending in (("PLATFORM", "platform.toml"), ("TIMES", "times.csv"), ("PROFILE", "routines.csv"))
    }
    files["PLATFORM"].write_text(platform(word), encoding="utf-8")
    times = "op,nprocs,bytes,us\n" + "".join(f"bcast,4,{size},10\n" for size in (8, 64, 512))
    files["TIMES"].write_text(times, encoding="utf-8")
    files["TRACE"] = write_trace(folder, word, "it.trace")
    files["RECORD"] = write_record(folder, word)
    routines = f'function,seconds_all_ranks\nMPI_Allreduce,1e-3\n"{word.replace(chr(34), chr(34) * 2)}",1e-3\n'
    files["PROFILE"].write_text(routines, encoding="utf-8")
    return files


def write_record(folder: Path, word: str) -> Path:
    """A record of the workload, `it.json`, with a word where records may have any, and `odd.json` with it in all names."""
    from orrery.record.document import to_json

    values = json.loads(to_json(replay(ReplaySettings.of([folder / "workload.toml"]))))
    free = {"command": ["orrery", word], "folder": word, "cautions": [word]}
    names = {"platform": word, "host_of_rank": [word] * 4}
    (folder / "odd.json").write_text(json.dumps(values | free | names), encoding="utf-8")
    file = folder / "it.json"
    file.write_text(json.dumps(values | free | (names if word.isprintable() else {})), encoding="utf-8")
    return file
