# SPDX-License-Identifier: BSD-3-Clause
"""Entry points with Fortran linkage: pmpi_x_, and mpi_x_ as a weak name for it, which a tool may replace.

Everything is passed by reference, lengths of texts behind all parameters. A routine without choice buffers is the same
for mpif.h, `mpi` and `mpi_f08`: pmpi_x_f08_ is another name of it. One with choice buffers gets addresses from the
first two, and array descriptors from `mpi_f08` (pmpi_x_f08ts_), unless the interface passes addresses there too. The
large-count forms are in `mpi_f08` only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from generator.fortran.spec import Dummy, FortranSpec
from generator.interface import BinaryInterface
from generator.prototype import return_type
from generator.table import Form, RoutineTable

_KEPT = (
    *("Win_create", "Win_attach"),
    *("Buffer_attach", "Comm_attach_buffer", "Session_attach_buffer"),
)
"""Routines that keep a buffer as memory of their own use."""

_PLACES = ("Win_detach", "Get_address", "Free_mem")
"""Routines that only want to know where a buffer begins; so do those that end a split collective access."""

_NOTE = "orrery_called_from(__builtin_return_address(0));"
"""The first statement of each: where the program called."""

_RESULTS = ("Get_accumulate", "Fetch_and_op", "Compare_and_swap")
"""Accesses to a window whose result comes later. All others move their data before they return."""


def outlives(form: Form) -> bool:
    """Whether MPI allows the library to use choice buffers after the call has returned."""
    names = {p.kind.name for p in form.parameters if p.kind.name in ("request", "win")}
    return bool(names) or form.routine.name in (*_KEPT, *_PLACES) or form.routine.name.endswith(("_begin", "_end"))


def symbols(spec: FortranSpec, form: Form, *, f08: bool, descriptors: bool = True) -> list[str]:
    """Names of the entry points for mpi_f08, or for mpif.h and mpi, without mpi_ before and the underscore behind."""
    dummies = spec.dummies(form, f08=f08)
    name = form.name.removeprefix("MPI_").lower()
    if f08:
        return [f"{name}_f08ts" if descriptors and any(d.fortran.is_choice for d in dummies) else f"{name}_f08"]
    if form.large:
        return []
    return [name, *([f"{name}_cptr"] if any(d.kind.name == "address" for d in dummies) else [])]


@dataclass(frozen=True)
class _Call:
    """An entry point under construction."""

    form: Form
    dummies: list[Dummy]
    f08ts: bool
    number: int
    """Name of the C routine, by which the library names it."""

    def c_type(self, dummy: Dummy) -> str:
        return dummy.fortran.c or dummy.kind.c_type(large=self.form.large)

    def parameters(self) -> list[str]:
        present = [d for d in self.dummies if d.fortran.absent is None]
        texts = [f"{self.c_type(d)}* {d.parameter.name}" for d in present]
        if self.form.routine.returns is None:
            texts.append("int* ierror")
        return texts + [f"std::size_t {d.parameter.name}_length" for d in present if d.fortran.is_text]

    def choices(self) -> list[Dummy]:
        return [d for d in self.dummies if d.fortran.is_choice]

    def parameter(self, kind: str, use: str = "in") -> str | None:
        """Name of the first parameter of a kind."""
        return next((d.parameter.name for d in self.dummies if d.kind.name == kind and d.parameter.use == use), None)

    def is_held(self, dummy: Dummy) -> bool:
        """Whether the library may use a choice buffer that it gets when the call has returned."""
        if self.parameter("request", "out") is not None:
            return True
        return self.form.routine.name in _RESULTS and dummy.parameter.use == "out"

    def choice(self, dummy: Dummy) -> str:
        """The argument for a choice buffer that came by descriptor."""
        name, reads = dummy.parameter.name, dummy.parameter.use == "in"
        if self.form.routine.name in (*_KEPT, *_PLACES) or self.form.routine.name.endswith("_end"):
            return f"base_of({name})"
        if self.is_held(dummy):
            return f"buffers.{'read' if reads else 'written'}({name})"
        return f"{'ChoiceIn' if reads else 'ChoiceOut'}({name})"

    def length(self, dummy: Dummy) -> str:
        names = {d.parameter.name for d in self.dummies}
        words = []
        for word in dummy.parameter.length:
            if word == "comm_size":
                buffer = "sendbuf" if dummy.parameter.name.startswith("send") else "recvbuf"
                words.append(f"peers(*comm, {'base_of' if self.f08ts else 'address_of'}({buffer}))")
            elif word in names:
                words.append(f"*{word}")
            elif word.startswith("MPI_MAX_"):
                words.append(word)
            else:
                words.append(f"{word}(*comm)")
        return " * ".join(words)

    def capacity(self, dummy: Dummy) -> str:
        return " * ".join(w if w.startswith("MPI_MAX_") else f"*{w} + 1" for w in dummy.parameter.length)

    def argument(self, dummy: Dummy) -> str:
        parameter = dummy.parameter
        if dummy.fortran.absent is not None:
            return dummy.fortran.absent
        if dummy.fortran.is_choice and self.f08ts:
            return self.choice(dummy)
        default = "*{name}" if parameter.use == "in" else "{name}"
        use = parameter.use
        if self.form.large and f"large_{use}" in dummy.fortran.converted:
            use = f"large_{use}"
        template = dummy.fortran.converted.get(use, default)
        if dummy.kind.name == "string" and use == "in" and self.form.routine.name.startswith("Info_"):
            template = "info_text({name}, {size}).c_str()"
        return template.format(
            name=parameter.name,
            c=dummy.kind.c_type(large=self.form.large),
            length=self.length(dummy) if parameter.is_array else "",
            used=parameter.used or "nullptr",
            size=f"{parameter.name}_length",
            capacity=self.capacity(dummy),
        )

    def body(self) -> Iterator[str]:
        """The statements."""
        call = f"{self.form.name}({', '.join(map(self.argument, self.dummies))})"
        if self.form.routine.returns is not None:
            yield f"return {call};"
            return
        if self.f08ts and self.form.routine.name in _KEPT:
            (buffer,) = self.choices()
            comm = self.parameter("comm")
            on = f"from<MPI_Comm>(*{comm})" if comm else "MPI_COMM_SELF"
            refused = f"orrery_refuse_section({self.number}, {on})"
            yield f"if (!is_memory({buffer.parameter.name})) return done(ierror, {refused});"
        if not self.f08ts or not any(map(self.is_held, self.choices())):
            yield f"done(ierror, {call});"
            return
        request = self.parameter("request", "out")
        keeper = (
            f"keep_for_request(code, {request})"
            if request
            else f"keep_for_window(code, {self.parameter('win')}, *target_rank)"
        )
        yield "HeldBuffers buffers;"
        yield f"const int code = {call};"
        yield f"done(ierror, buffers.{keeper});"

    def text(self, symbol: str) -> str:
        returns = self.form.routine.returns is not None
        result = return_type(self.form) if returns else "void"
        body = "\n".join(f"  {statement}" for statement in [_NOTE, *self.body()])
        return f"{result} pmpi_{symbol}_({', '.join(self.parameters())}) {{\n{body}\n}}"


def interface_forms(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> list[Form]:
    """What Fortran programs of the interface can call."""
    return [form for _, forms in interface.forms(table) for form in forms if spec.has(form.routine)]


def _names(first: str, others: list[str], form: Form, parameters: list[str]) -> Iterator[str]:
    """The other names of pmpi_FIRST_."""
    result = return_type(form) if form.routine.returns is not None else "void"
    types = ", ".join(parameters)
    for name in (f"mpi_{first}_", *(f"{p}{other}_" for other in others for p in ("mpi_", "pmpi_"))):
        yield f"ORRERY_NAME(pmpi_{first}_) {result} {name}({types});"


def _entry(spec: FortranSpec, form: Form, names: list[str], number: int, *, f08ts: bool) -> Iterator[str]:
    call = _Call(form, spec.dummies(form, f08=f08ts or form.large), f08ts, number)
    first, *others = names
    yield call.text(first)
    yield from _names(first, others, form, call.parameters())


def fortran_entries(table: RoutineTable, spec: FortranSpec, interface: BinaryInterface) -> str:
    """The text of the C++ file, without its first line."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        '#include "mpi.h"',
        "",
        '#include "abi/called_from.hpp"',
        '#include "abi/fortran/convert.hpp"',
        "",
        "using namespace orrery::abi::fortran;",
        "",
        "#pragma GCC visibility push(default)",
        'extern "C" {',
    ]
    numbers = {form.name: number for number, form in enumerate(table.forms(), 1)}
    for form in interface_forms(table, spec, interface):
        number = numbers[form.name]
        if spec.by_hand(form.routine):
            continue
        old, new = (symbols(spec, form, f08=f08, descriptors=interface.descriptors) for f08 in (False, True))
        if not new[0].endswith("ts"):
            lines += _entry(spec, form, old + new, number, f08ts=False)
            continue
        if old:
            lines += _entry(spec, form, old, number, f08ts=False)
        lines += _entry(spec, form, new, number, f08ts=True)
    lines += ["}", "#pragma GCC visibility pop"]
    return "\n".join(lines) + "\n"
