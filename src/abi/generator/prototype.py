# SPDX-License-Identifier: BSD-3-Clause
"""C declarations of the entry points."""

from generator.table import Form


def return_type(form: Form) -> str:
    """C type of what it returns: an error code, unless the table says otherwise."""
    return form.routine.returns.c if form.routine.returns is not None else "int"


def declarations(form: Form) -> list[str]:
    """C declarations of its parameters."""
    texts = [p.kind.declaration(p.name, p.use, large=form.large) for p in form.parameters]
    return [*texts, "..."] if form.routine.variadic else texts


def prototype(form: Form, prefix: str = "") -> str:
    """The declaration without semicolon; `prefix` is put before the name (P for PMPI_)."""
    return f"{return_type(form)} {prefix}{form.name}({', '.join(declarations(form)) or 'void'})"
