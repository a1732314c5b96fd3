# SPDX-License-Identifier: BSD-3-Clause
"""Entry points of another binary interface: each translates its arguments and calls the standard interface's routine.

They come from the same table, so that a routine which is there is there in every interface. What is translated:
handles and statuses by the classes of src/abi/foreign, numbers by their category (`categories`), special addresses.
The names are given to the assembler alone, as the standard's mpi.h declares them with other types.
"""

import re
from collections.abc import Iterator

from generator.categories import Category
from generator.interface import BinaryInterface
from generator.prototype import declarations, return_type
from generator.table import Form, Parameter, RoutineTable

# Routines that need more than a translation of each argument: functions of src/abi/foreign/by_hand.hpp.
BY_HAND = {
    "Get_version",
    "Get_library_version",
    "Comm_get_attr",
    "Win_get_attr",
    "Attr_get",
    "Error_class",
    "Error_string",
    "Grequest_start",
    "Register_datarep",
    "Type_get_contents",
}
# Parameters that are not what their kind says: an address that is asked for is the program's, whatever it means.
_SPECIAL = {"location": "location", "buffer_addr": "BufferOut(buffer_addr)"}
_WEIGHTS = {"weights", "sourceweights", "destweights"}
_COPY_FUNCTIONS = {"comm_copy_attr_function", "type_copy_attr_function", "win_copy_attr_function", "copy_function"}
_ENUMERATIONS = {"t_safety", "t_order"}


class _Writer:
    def __init__(self, foreign: BinaryInterface, standard: BinaryInterface, categories: list[Category]) -> None:
        self.foreign = foreign
        self.standard = standard
        self.categories = categories
        words = "|".join([*(t.removeprefix("MPI_") for t in foreign.handle_types), "Status"])
        self.types = re.compile(rf"\bMPI_({words})\b")

    def declared(self, form: Form) -> list[str]:
        """C++ declarations of the parameters, in types of the interface."""
        texts = declarations(form)
        for i, parameter in enumerate(form.parameters):
            kind = parameter.kind
            if kind.callback is not None:
                texts[i] = f"Function *{parameter.name}"
            elif kind.name in _ENUMERATIONS:
                texts[i] = texts[i].replace(kind.c, "int")
            else:
                texts[i] = self.types.sub(r"\1", texts[i])
        return texts

    def length(self, form: Form, parameter: Parameter) -> str:
        """C++ expression for the number of elements of an array."""
        if form.routine.name == "Comm_spawn_multiple":
            return f"foreign::at_root(root, comm, {' * '.join(parameter.length)})"
        buffer = "sendbuf" if parameter.name.startswith("send") else "recvbuf"
        words = {
            "comm_size": f"foreign::peers(comm, {buffer})",
            "in_neighbors": "foreign::in_neighbors(comm)",
            "out_neighbors": "foreign::out_neighbors(comm)",
        }
        # A length that the routine changes: the room that there is.
        words |= {p.name: f"(*{p.name})" for p in form.parameters if p.kind.name == "int" and p.use in ("out", "inout")}
        return " * ".join(words.get(word, word) for word in parameter.length)

    def argument(self, form: Form, parameter: Parameter) -> str:
        """C++ expression that gives the argument of the standard's routine."""
        name, kind, use = parameter.name, parameter.kind, parameter.use
        if name in _SPECIAL:
            return _SPECIAL[name]
        if kind.c in self.foreign.handle_types:
            return self.handle(form, parameter)
        if kind.name == "status":
            return self.status(form, parameter)
        if kind.name in ("buffer", "weight") or name in _WEIGHTS:
            return f"foreign::{'address' if kind.name == 'buffer' else 'weights'}({name})"
        if kind.callback is not None:
            c_type = kind.c_type(large=form.large)
            return f"{'CopyFunctionIn' if kind.name in _COPY_FUNCTIONS else 'FunctionIn'}<{c_type}>({name})"
        for category in self.categories:
            if category.has(form, parameter):
                return self.number(form, parameter, category)
        shorter = self.shorter_text(form)
        if use == "out" and kind.name == "string" and shorter is not None and parameter.length == (f"MPI_{shorter}",):
            return f"TextOut<{shorter.lower()}, MPI_{shorter}>({name})"
        if use == "out" and name == "resultlen" and shorter is not None:
            return f"LengthOut<{shorter.lower()}>({name})"
        return name

    def handle(self, form: Form, parameter: Parameter) -> str:
        name, c, use = parameter.name, parameter.kind.c, parameter.use
        if use == "in":
            return f"foreign::handle_in<{c}>({name})"
        words = {"out": "HandleOut", "inout": "HandleInOut", "in_array": "HandlesIn"}
        words |= {"inout_array": "HandlesInOut", "out_array": "HandlesOut"}
        length = f", {self.length(form, parameter)}" if parameter.is_array else ""
        return f"{words[use]}<{c}>({name}{length})"

    def status(self, form: Form, parameter: Parameter) -> str:
        if parameter.is_array:
            return f"StatusesOut({parameter.name}, {self.length(form, parameter)}, {parameter.used or 'nullptr'})"
        return f"{'StatusIn' if parameter.use == 'in' else 'StatusOut'}({parameter.name})"

    def number(self, form: Form, parameter: Parameter, category: Category) -> str:
        what = f"category::{category.name}"
        name, use, c = parameter.name, parameter.use, parameter.kind.c_type(large=form.large)
        if parameter.kind.name in _ENUMERATIONS:
            return (
                f"EnumerationOut<{what}, {c}>({name})"
                if use == "out"
                else f"static_cast<{c}>({what}::standard({name}))"
            )
        if use == "in":
            return f"static_cast<{c}>({what}::standard({name}))"
        if use in ("out", "inout"):
            return f"NumberOut<{what}, {c}>({name})"
        return f"{'NumbersIn' if use == 'in_array' else 'NumbersOut'}<{what}>({name}, {self.length(form, parameter)})"

    def shorter_text(self, form: Form) -> str | None:
        """The name of the constant for the length of a text, where the interface leaves less room than the standard."""
        ours, theirs = self.standard.values(), self.foreign.values()
        for parameter in form.parameters:
            for word in parameter.length:
                if parameter.use == "out" and word in theirs and theirs[word] < ours[word]:
                    return word.removeprefix("MPI_")
        return None

    def entry(self, form: Form) -> Iterator[str]:
        parameters = ", ".join(self.declared(form))
        result = return_type(form)
        yield f'{result} entry_{form.name}({parameters}) __asm__("P{form.name}");'
        yield f"{result} entry_{form.name}({parameters}) {{ {self.body(form)} }}"
        yield (
            f'extern {result} weak_{form.name}({parameters}) __asm__("{form.name}") '
            f'__attribute__((weak, alias("P{form.name}"), visibility("default")));'
        )

    def body(self, form: Form) -> str:
        routine = form.routine
        if routine.name in BY_HAND:
            return f"return by_hand::{form.name.removeprefix('MPI_').lower()}({', '.join(p.name for p in form.parameters)});"
        call = f"entries::{form.name}({', '.join(self.argument(form, p) for p in form.parameters)})"
        noted = "orrery_called_from(__builtin_return_address(0));"
        return f"{noted} return {call};" if routine.returns is not None else f"{noted} return code({call});"


def foreign_bindings(
    table: RoutineTable, foreign: BinaryInterface, standard: BinaryInterface, categories: list[Category]
) -> str:
    """The text of the C++ file, without its first line."""
    writer = _Writer(foreign, standard, categories)
    lines = [
        "// SPDX-License-Identifier: BSD-3-Clause",
        '#include "standard_entries.hpp"',
        "",
        '#include "abi/called_from.hpp"',
        '#include "abi/foreign/by_hand.hpp"',
        '#include "abi/foreign/callbacks.hpp"',
        '#include "abi/foreign/handles.hpp"',
        '#include "abi/foreign/lengths.hpp"',
        '#include "abi/foreign/numbers.hpp"',
        '#include "abi/foreign/statuses.hpp"',
        "",
        "using namespace orrery::abi;",
        "using namespace orrery::abi::foreign;",
        "",
        "#pragma GCC visibility push(default)",
        'extern "C" {',
    ]
    for form in foreign_forms(table, foreign):
        lines += writer.entry(form)
    lines += ["}", "#pragma GCC visibility pop"]
    return "\n".join(lines) + "\n"


def foreign_forms(table: RoutineTable, foreign: BinaryInterface) -> list[Form]:
    """What programs of the interface can call."""
    return [form for _, forms in foreign.forms(table) for form in forms]
