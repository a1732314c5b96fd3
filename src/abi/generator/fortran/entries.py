# SPDX-License-Identifier: BSD-3-Clause
"""Entry points with Fortran linkage: pmpi_x_, and mpi_x_ as a weak name for it, which a tool may replace.

Everything is passed by reference, lengths of texts behind all parameters. A routine without choice buffers is the same
for mpif.h, `mpi` and `mpi_f08`: pmpi_x_f08_ is another name of it. One with choice buffers gets addresses from the
first two, and array descriptors from `mpi_f08` (pmpi_x_f08ts_), unless the interface passes addresses there too. The
large-count forms are in `mpi_f08` only.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from generator.fortran.spec import Dummy, Spec
from generator.interface import Interface
from generator.prototype import return_type
from generator.table import Form, Table

_HELD = (
    *("Win_create", "Win_attach", "Win_detach", "Get_address", "Free_mem"),
    *("Buffer_attach", "Comm_attach_buffer", "Session_attach_buffer"),
)


def outlives(form: Form) -> bool:
    """Whether the library may use choice buffers after the call has returned."""
    names = {p.kind.name for p in form.parameters if p.kind.name in ("request", "win")}
    return bool(names) or form.routine.name in _HELD or form.routine.name.endswith(("_begin", "_end"))


def symbols(spec: Spec, form: Form, *, f08: bool, descriptors: bool = True) -> list[str]:
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
    """An entry point under construction. `sections`: choice buffers that take their count and datatype along."""

    form: Form
    dummies: list[Dummy]
    f08ts: bool

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

    def section(self, dummy: Dummy) -> tuple[str, str | None, str | None]:
        """What holds a choice buffer that outlives the call: class, count and datatype that it may change."""
        names = {d.parameter.name: d for d in self.dummies}
        *counts, datatype = dummy.parameter.length or ("",)
        shared = [d for d in self.choices() if d is not dummy and set(d.parameter.length) & {*counts, datatype}]
        is_type = datatype in names and names[datatype].kind.c == "MPI_Datatype" and counts
        reduces = "op" in names and "win" not in names
        if not is_type or shared or reduces or names[datatype].parameter.is_array:
            return "Whole", None, None
        if len(counts) == 1 and counts[0] in names and not names[counts[0]].parameter.is_array:
            return "Section", counts[0], datatype
        return "Spread", None, datatype

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

    def argument(self, dummy: Dummy, changed: dict[str, str]) -> str:
        parameter = dummy.parameter
        if parameter.name in changed:
            return changed[parameter.name]
        if dummy.fortran.absent is not None:
            return dummy.fortran.absent
        if dummy.fortran.is_choice and self.f08ts:
            return f"{'ChoiceIn' if parameter.use == 'in' else 'ChoiceOut'}({parameter.name})"
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

    def held(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Declarations of what holds choice buffers that outlive the call, and the arguments that they change."""
        if not self.f08ts or not outlives(self.form):
            return
        comm = next((d.parameter.name for d in self.dummies if d.kind.name == "comm"), None)
        for dummy in self.choices():
            name = dummy.parameter.name
            class_, count, datatype = self.section(dummy)
            arguments = [name, *([f"*{count}"] if count else [])]
            arguments += [f"from<MPI_Datatype>(*{datatype})"] if datatype else []
            held = f"{name}_held"
            refused = f"refuse(ierror, {f'*{comm}' if comm else 'comm_self()'})"
            changed = {name: f"{held}.address()"}
            if count:
                type_ = self.c_type(next(d for d in self.dummies if d.parameter.name == count))
                changed[count] = f"static_cast<{type_}>({held}.count())"
            if datatype:
                changed[datatype] = f"{held}.type()"
            yield (
                f"  const {class_} {held}({', '.join(arguments)});\n  if (!{held}.fits()) return {refused};",
                changed,
            )

    def text(self, symbol: str) -> str:
        form = self.form
        changed: dict[str, str] = {}
        lines = []
        for declaration, changes in self.held():
            lines.append(declaration)
            changed |= changes
        call = f"{form.name}({', '.join(self.argument(d, changed) for d in self.dummies)})"
        returns = form.routine.returns is not None
        result = return_type(form) if returns else "void"
        lines.append(f"  return {call};" if returns else f"  done(ierror, {call});")
        body = "\n".join(lines)
        return f"{result} pmpi_{symbol}_({', '.join(self.parameters())}) {{\n{body}\n}}"


def interface_forms(table: Table, spec: Spec, interface: Interface) -> list[Form]:
    """What Fortran programs of the interface can call."""
    return [form for _, forms in interface.forms(table) for form in forms if spec.has(form.routine)]


def _names(first: str, others: list[str], form: Form, parameters: list[str]) -> Iterator[str]:
    """The other names of pmpi_FIRST_."""
    result = return_type(form) if form.routine.returns is not None else "void"
    types = ", ".join(parameters)
    for name in (f"mpi_{first}_", *(f"{p}{other}_" for other in others for p in ("mpi_", "pmpi_"))):
        yield f"ORRERY_NAME(pmpi_{first}_) {result} {name}({types});"


def _entry(spec: Spec, form: Form, names: list[str], *, f08ts: bool) -> Iterator[str]:
    call = _Call(form, spec.dummies(form, f08=f08ts or form.large), f08ts)
    first, *others = names
    yield call.text(first)
    yield from _names(first, others, form, call.parameters())


def fortran_entries(table: Table, spec: Spec, interface: Interface) -> str:
    """The text of the C++ file, without its first line."""
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        '#include "mpi.h"',
        "",
        '#include "abi/fortran/convert.hpp"',
        "",
        "using namespace orrery::abi::fortran;",
        "",
        "#pragma GCC visibility push(default)",
        'extern "C" {',
    ]
    for form in interface_forms(table, spec, interface):
        if spec.by_hand(form.routine):
            continue
        old, new = (symbols(spec, form, f08=f08, descriptors=interface.descriptors) for f08 in (False, True))
        if not new[0].endswith("ts"):
            lines += _entry(spec, form, old + new, f08ts=False)
            continue
        if old:
            lines += _entry(spec, form, old, f08ts=False)
        lines += _entry(spec, form, new, f08ts=True)
    lines += ["}", "#pragma GCC visibility pop"]
    return "\n".join(lines) + "\n"
