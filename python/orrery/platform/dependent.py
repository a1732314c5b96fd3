# SPDX-License-Identifier: BSD-3-Clause
"""Keys that act only beside something else (`Needs`): without it they would be ignored, so they are mistakes."""

from __future__ import annotations

from collections.abc import Iterator

from orrery.platform import schema
from orrery.platform.draws import Key
from orrery.platform.tables.declared import keys_of
from orrery.platform.topology_mistakes import Mistake


def dependent_mistakes(platform: schema.Platform) -> Iterator[Mistake]:
    """Keys of the platform that would be ignored."""
    yield from _mistakes((), platform, platform)


def _mistakes(where: Key, table: schema.Table, platform: schema.Platform) -> Iterator[Mistake]:
    for key in keys_of(type(table)):
        held, here = getattr(table, key.attribute), (*where, key.name)
        # A key that is there with its default says nothing, and is no mistake.
        if key.needs and key.attribute in table.model_fields_set and held != key.default:
            what = "table" if key.value.table else "key"
            for needs in key.needs:
                if not needs.is_there(table, platform):
                    yield here, f"acts only beside {needs.what}; add that, or remove this {what}"
        if isinstance(held, schema.Table):
            yield from _mistakes(here, held, platform)
        elif isinstance(held, list) and key.value.table:
            for number, entry in enumerate(held):
                yield from _mistakes((*here, number), entry, platform)
