# SPDX-License-Identifier: BSD-3-Clause
"""Docstrings of the fields of a settings class, read when they are shown.

Pydantic reads them when a class is made (`use_attribute_docstrings`), which parses its source at every start of the
program; they are wanted only for help and for mistakes.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from itertools import pairwise


@cache
def of_fields(settings: type) -> dict[str, str]:
    """The text below each annotated field of the class or of its bases, on one line."""
    docs: dict[str, str] = {}
    for base in reversed([c for c in settings.__mro__ if c.__module__.startswith("orrery.")]):
        body = next(
            node.body
            for node in _syntax(base.__module__).body
            if isinstance(node, ast.ClassDef) and node.name == base.__name__
        )
        for field, text in pairwise(body):
            match field, text:
                case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(doc))):
                    docs[name] = " ".join(doc.split())
    return docs


@cache
def _syntax(module: str) -> ast.Module:
    return ast.parse(inspect.getsource(sys.modules[module]))
