# SPDX-License-Identifier: BSD-3-Clause
"""The standard interface's routines: as functions of C++ in the library that every rank has, and as C entry points.

An entry calls the internal function inside `run`, which opens the call, catches errors and calls the error handler
(src/abi/run.hpp); its arguments are converters whose life ends with the call (src/abi/convert.hpp). The C entry point
PMPI_X, and MPI_X as a weak name for it, which a tool may replace, only calls it: they are in a library of their own, so
that a process can have other interfaces as well.
"""

from collections.abc import Iterator

from generator.prototype import declarations, prototype, return_type
from generator.table import Form, Parameter, RoutineTable


def _length(parameter: Parameter) -> str:
    """C++ expression for the number of elements of an array."""
    if parameter.length in (("in_neighbors",), ("out_neighbors",)):
        return f"{parameter.length[0]}(comm)"
    if parameter.length == ("comm_size",):
        buffer = "sendbuf" if parameter.name.startswith("send") else "recvbuf"
        return f"peers(comm, {buffer})"
    return " * ".join(parameter.length)


def _argument(parameter: Parameter, form: Form) -> str:
    use = parameter.use
    if form.large and f"large_{use}" in parameter.kind.converted:
        use = f"large_{use}"
    return parameter.kind.conversion(
        parameter.name,
        use,
        length=_length(parameter) if parameter.is_array else "",
        used=parameter.used or "nullptr",
    )


def _passed(form: Form) -> list[Parameter]:
    """The parameters that the internal function takes: lengths that travel with their array are left out."""
    carried = {word for p in form.parameters if p.is_array and p.kind.span for word in p.length}
    return [p for p in form.parameters if p.name not in carried]


def _internal(form: Form) -> str:
    """The internal function: the same for both forms, unless the program's function differs between them."""
    differs = any(p.kind.callback is not None and p.kind.large != p.kind.c for p in form.parameters)
    return form.routine.internal + ("_c" if form.large and differs else "")


_WITHOUT_FILE = ("MPI_File_open", "MPI_File_delete", "MPI_Register_datarep", "MPI_Register_datarep_c")


def _raises_on(form: Form) -> tuple[str, str]:
    """The class of the object whose error handler is called, and the parameter that names it.

    That is a file, window or session if there is one, else the first communicator that goes in. Routines of files that
    have none yet go by the handler of MPI_FILE_NULL (MPI-4.1, section 14.7). Where there is no object yet, a routine may
    be given the handler itself (MPI_Session_init and its like).
    """
    classes = (("file", "File"), ("win", "Window"), ("session", "Session"), ("comm", "Comm"))
    for kind, internal in ((kind, f"mpi::{name}") for kind, name in classes):
        for parameter in form.parameters:
            if parameter.kind.name == kind and parameter.use in ("in", "inout"):
                return internal, parameter.name
        if kind == "file" and form.name in _WITHOUT_FILE:
            return internal, ""
    for parameter in form.parameters:
        if parameter.kind.name == "errhandler" and parameter.use == "in":
            return "mpi::Errhandler", parameter.name
    return "", ""


def _body(form: Form, number: int) -> str:
    routine = form.routine
    if routine.missing is not None:
        return f"missing({number});"
    if routine.by_hand:
        call = f"by_hand::{routine.internal}({', '.join(p.name for p in form.parameters)})"
    else:
        call = f"mpi::{_internal(form)}({', '.join(_argument(p, form) for p in _passed(form))})"
    if routine.returns is not None:
        return f"return {call};" if routine.by_hand else f"const mpi::Call call({number}); return {call};"
    if routine.is_tool:
        return f"return run_tool({number}, [&] {{ {call}; }});"
    internal, parameter = _raises_on(form)
    run = f"run<{internal}>" if internal else "run"
    handler = f", {parameter}" if parameter else ""
    return f"return {run}({number}{handler}, [&] {{ {call}; }});"


def _parameters_of_missing(form: Form) -> str:
    """Only types: a routine that is not there looks at nothing."""
    return ", ".join(f"[[maybe_unused]] {text}" if text != "..." else text for text in declarations(form))


def _entry(form: Form, number: int) -> str:
    if form.routine.missing is not None:
        head = f"{return_type(form)} {form.name}({_parameters_of_missing(form)})"
    else:
        head = prototype(form).replace("(void)", "()")
    return f"{head} {{ {_body(form, number)} }}"


def _entry_point(form: Form) -> Iterator[str]:
    arguments = ", ".join(p.name for p in form.parameters)
    yield f"{prototype(form, 'P').replace('(void)', '()')} {{ return entries::{form.name}({arguments}); }}"
    yield f"ORRERY_WEAK(P{form.name}) {prototype(form).replace('(void)', '()')};"


_HEAD = [
    "// SPDX-License-Identifier: BSD-3-Clause",
    '#include "mpi.h"',
    "",
    '#include "abi/by_hand.hpp"',
    '#include "abi/convert.hpp"',
    '#include "abi/run.hpp"',
    '#include "mpi/mpi.hpp"',
    "",
    "using namespace orrery;",
    "using namespace orrery::abi;",
    "",
]


def bindings(table: RoutineTable) -> str:
    """The C entry points, without the first line of the C++ file."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        '#include "standard_entries.hpp"',
        "",
        "using namespace orrery::abi;",
        "",
        '#define ORRERY_WEAK(name) extern "C" __attribute__((weak, alias(#name), visibility("default")))',
        "",
        "#pragma GCC visibility push(default)",
        'extern "C" {',
    ]
    for form in table.forms():
        lines += _entry_point(form)
    lines += ["}", "#pragma GCC visibility pop"]
    return "\n".join(lines) + "\n"


def entries(table: RoutineTable) -> str:
    """The functions that entry points of all interfaces call."""
    lines = [*_HEAD, '#include "standard_entries.hpp"', "", "namespace orrery::abi::entries {"]
    lines += [_entry(form, number) for number, form in enumerate(table.forms(), start=1)]
    lines += ["}  // namespace orrery::abi::entries"]
    return "\n".join(lines) + "\n"


def entry_declarations(table: RoutineTable) -> str:
    """The header of `entries`."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        "#pragma once",
        "",
        '#include "mpi.h"',
        "",
        "/// The standard interface's routines as functions of C++.",
        "#pragma GCC visibility push(default)",
        "namespace orrery::abi::entries {",
        *(prototype(form).replace("(void)", "()") + ";" for form in table.forms()),
        "}  // namespace orrery::abi::entries",
        "#pragma GCC visibility pop",
    ]
    return "\n".join(lines) + "\n"
