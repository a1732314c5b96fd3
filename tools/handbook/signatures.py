# SPDX-License-Identifier: BSD-3-Clause
"""What `import orrery` offers to type checkers and editors: functions with the parameters that their verbs declare."""

from __future__ import annotations

import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

import orrery
from orrery import api

STUB = Path(__file__).parents[2] / "python" / "orrery" / "__init__.pyi"

_HEAD = """# Written from orrery.api by `make reference`; run that instead of editing it. __init__.py loads all when it is used.
import os
from collections.abc import Mapping, Sequence
from typing import Literal

from orrery.api.checks import PathLike as _PathLike
from orrery.api.watching import Watching as _Watching
from orrery.platform.model import Model as _Model
"""


def stub() -> str:
    """Return the text of `__init__.pyi`."""
    found = {name: getattr(orrery, name) for name in sorted(api.__all__)}
    declared = {name: what for name, what in found.items() if hasattr(what, "__wrapped__")}
    imports = [f"from orrery.api import {name} as {name}" for name in found if name not in declared]
    functions = [_function(name, what) for name, what in declared.items()]
    return "\n".join([_HEAD.rstrip(), *imports, "", "__version__: str", "", *functions])


def _function(name: str, function: Any) -> str:
    signature = inspect.signature(function)
    lines, by_name = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is inspect.Parameter.KEYWORD_ONLY and not by_name:
            lines.append("*")
            by_name = True
        default = "" if parameter.default is inspect.Parameter.empty else f" = {parameter.default!r}"
        lines.append(f"{parameter.name}: {_written(parameter.annotation)}{default}")
    text = textwrap.indent(f'"""{inspect.getdoc(function)}\n"""', "    ").replace("\\", "\\\\")
    parameters = "".join(f"    {line},\n" for line in lines)
    return f"def {name}(\n{parameters}) -> {signature.return_annotation}:\n{text}\n"


def _written(annotation: str) -> str:
    """The annotation with the names that the stub has for what it does not offer."""
    return re.sub(r"(?<![\w.])(Model|PathLike|Watching)\b", r"_\1", annotation)
