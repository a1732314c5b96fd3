# SPDX-License-Identifier: BSD-3-Clause
"""Wrappers of the capture library (src/measure/capture), which is compiled against the user's own MPI.

Each calls the real routine and, when the program itself made the call, hands it to what calls.toml says. What the
user's MPI does not have is left out by its version of the standard.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from generator.errors import TableError
from generator.kinds import Direction
from generator.prototype import declarations, prototype, return_type
from generator.table import Form, RoutineTable

BY_HAND = ("Init", "Init_thread", "Finalize", "Abort", "Pcontrol", "Pready_list")
_RMA_ENDS_NOTHING = "orrery_nothing(&call);"


@dataclass(frozen=True)
class CaptureSpec:
    """calls.toml, as its head describes it."""

    path: Path
    plain: frozenset[str]
    macros: frozenset[str]
    records: Mapping[str, str]
    before: Mapping[str, str]
    after: Mapping[str, str]

    def record(self, name: str) -> str | None:
        """The expression for a routine, its immediate or its persistent form."""
        if name in self.records:
            return self.records[name]
        blocking = name[1:].capitalize() if name.startswith("I") else name.removesuffix("_init")
        return self.records.get(blocking) if blocking != name else None

    def wraps(self, name: str) -> bool:
        """Whether there is a wrapper."""
        return name in self.plain or name in self.after or self.record(name) is not None

    def counts(self, form: Form) -> bool:
        """Whether its calls are counted, and nothing else: it sends and receives nothing, as MPI_Comm_rank."""
        routine = form.routine
        return not (self.wraps(routine.name) or routine.name in (*BY_HAND, *self.macros) or routine.is_tool)

    def check(self, table: RoutineTable) -> None:
        """Raises TableError for names that are no routines."""
        known = {routine.name for routine in table.routines()}
        for name in (*self.plain, *self.macros, *self.records, *self.before, *self.after):
            if name not in known:
                raise TableError(self.path, None, f"{name} is no routine of the table")


def read_capture(path: Path, table: RoutineTable) -> CaptureSpec:
    """What wrappers write down. Raises TableError when it names what is no routine."""
    with path.open("rb") as file:
        entries = tomllib.load(file)
    spec = CaptureSpec(
        path,
        frozenset(entries["plain"]),
        frozenset(entries["macros"]),
        entries["records"],
        entries["before"],
        entries["after"],
    )
    spec.check(table)
    return spec


def _launch(form: Form, record: str) -> str:
    """How the operation goes on, as the routine's last parameters say."""
    names = [p.name for p in form.parameters]
    comm = "comm" if "comm" in names else "MPI_COMM_NULL"
    status = "status" if "status" in names else "MPI_STATUS_IGNORE"
    gives_request = any(p.kind.name == "request" and p.direction is Direction.OUT for p in form.parameters)
    if not gives_request:
        launched = f"orrery_blocking(&call, &r, {comm}, {status})"
    elif form.routine.name.endswith("_init"):
        launched = f"orrery_prepared(&call, &r, {comm}, *request)"
    else:
        launched = f"orrery_started(&call, &r, {comm}, *request)"
    return f"orrery_trace_record r = orrery_record(ORRERY_OP_Nothing); if ({record}) {launched}; else orrery_nothing(&call);"


def _is_collective(form: Form, spec: CaptureSpec) -> bool:
    """Whether all ranks of a communicator make the call together, and not to start it later, again and again."""
    record = spec.record(form.routine.name)
    return (
        record is not None
        and "orrery_send" not in record
        and "orrery_recv" not in record
        and not form.routine.name.endswith("_init")
    )


def _hook(form: Form, spec: CaptureSpec) -> str:
    name = form.routine.name
    if name in spec.after:
        return spec.after[name]
    record = spec.record(name)
    return _RMA_ENDS_NOTHING if record is None else _launch(form, record)


def _failed(form: Form, spec: CaptureSpec) -> str:
    """A call that fails is still one; requests that were picked for it are put back."""
    picked = "orrery_pick" in spec.before.get(form.routine.name, "")
    return "{ orrery_unpick(list); orrery_nothing(&call); }" if picked else "orrery_nothing(&call);"


def _wrapper(form: Form, number: int, spec: CaptureSpec) -> Iterator[str]:
    names = ", ".join(p.name for p in form.parameters)
    name = form.name.removeprefix("MPI_")
    yield f"#if ORRERY_MPI_HAS({form.since.replace('.', ', ')})"
    yield f"ORRERY_PUBLIC {prototype(form)} {{"
    yield f"  static int (*real)({', '.join(declarations(form)) or 'void'});"
    yield f'  if (real == NULL) *(void**)&real = orrery_real("PMPI_{name}");'
    yield "  orrery_call call;"
    passes = "orrery_passes(comm) || " if _is_collective(form, spec) else ""
    yield f"  if ({passes}!orrery_begin(&call, {number}, __builtin_return_address(0))) return real({names});"
    if form.routine.name in spec.before:
        yield f"  {spec.before[form.routine.name]}"
    yield f"  const int result = real({names});"
    yield "  orrery_over(&call);"
    yield f"  if (result == MPI_SUCCESS) {{ {_hook(form, spec)} }}"
    yield f"  else {_failed(form, spec)}"
    yield "  orrery_end(&call);"
    yield "  return result;"
    yield "}"
    yield f"ORRERY_ALIAS({name})"
    yield "#endif"


def _counter(form: Form, number: int) -> Iterator[str]:
    """The wrapper of a routine whose calls are counted."""
    names = ", ".join(p.name for p in form.parameters)
    name = form.name.removeprefix("MPI_")
    returned = return_type(form)
    yield f"#if ORRERY_MPI_HAS({form.since.replace('.', ', ')})"
    yield f"ORRERY_PUBLIC {prototype(form)} {{"
    yield f"  static {returned} (*real)({', '.join(declarations(form)) or 'void'});"
    yield f'  if (real == NULL) *(void**)&real = orrery_real("PMPI_{name}");'
    yield "  orrery_local local;"
    yield f"  if (!orrery_local_begin(&local, {number})) return real({names});"
    yield f"  const {returned} returned = real({names});"
    yield "  orrery_local_end(&local);"
    yield "  return returned;"
    yield "}"
    yield f"ORRERY_ALIAS({name})"
    yield "#endif"


def capture_calls(table: RoutineTable, spec: CaptureSpec) -> str:
    """The text of calls.c, without its first line."""
    lines = [
        "/* SPDX-License-Identifier: BSD-3-Clause */",
        '#include "calls.h"',
        '#include "capture.h"',
        '#include "locals.h"',
        "",
    ]
    for number, form in enumerate(table.forms(), start=1):
        if spec.wraps(form.routine.name) and form.routine.name not in BY_HAND:
            lines += _wrapper(form, number, spec)
        elif spec.counts(form):
            lines += _counter(form, number)
    return "\n".join(lines) + "\n"


def capture_header(table: RoutineTable) -> str:
    """The text of calls.h, without its first line: what wrappers by hand need besides."""
    numbers = {form.name: number for number, form in enumerate(table.forms(), start=1)}
    return (
        "\n".join(
            [
                "/* SPDX-License-Identifier: BSD-3-Clause */",
                "#pragma once",
                "#define ORRERY_MPI_HAS(major, minor) (100 * MPI_VERSION + MPI_SUBVERSION >= 100 * (major) + (minor))",
                "#define ORRERY_ALIAS(name) \\",
                '  extern __typeof__(MPI_##name) PMPI_##name __attribute__((alias("MPI_" #name), visibility("default")));',
                f"#define ORRERY_ROUTINES {1 + len(numbers)}",
                *(f"#define ORRERY_ROUTINE_{name} {numbers[f'MPI_{name}']}" for name in BY_HAND),
            ]
        )
        + "\n"
    )
