# SPDX-License-Identifier: BSD-3-Clause
"""What would be ignored of the options of `orrery collective` is refused."""

from __future__ import annotations

import typer

from orrery.cli.collective.options import CollectiveOptions
from orrery.cli.said import refuse_all, refuse_without, said
from orrery.collective.call import check_acts, check_algorithms
from orrery.errors import InputError

_BESIDE = {"barrier": "--versus-sends", "ppn": "--messages"}
"""Options that act only beside another."""
_NOT_WITH_MESSAGES = ("platform", "model", "replicas", "vary", "seed", "most_messages", "versus_sends", "barrier", "as_json",
                      "as_csv", "output", "report", "overwrite", "force")  # fmt: skip
_NOT_WITH_SENDS = ("algorithm", "segment", "fanout", "most_messages")


def check(context: typer.Context, options: CollectiveOptions) -> None:
    """Raises InputError for what would be ignored."""
    algorithm, kinds = options.algorithm or [], options.kinds
    given = said(context)
    if options.wants_messages:
        refuse_all(context, _NOT_WITH_MESSAGES, "not with --messages and --sequence, which simulate nothing")
        if "mapping" in given and "ppn" not in given:
            raise InputError("--map: acts on --messages only with --ppn")
    if options.versus_sends:
        refuse_all(context, _NOT_WITH_SENDS, "not with --versus-sends, which takes the selector's algorithm")
    refuse_without(
        context, _BESIDE, there={"--versus-sends": options.versus_sends, "--messages": options.wants_messages}
    )
    check_algorithms(algorithm, given)
    check_acts(kinds, root="root" in given and not options.versus_sends, operation="operation" in given)
    if {"as_json", "as_csv"} <= given:
        raise InputError("--json and --csv: print one of them; -o FILE.csv writes the other")
