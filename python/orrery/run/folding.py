# SPDX-License-Identifier: BSD-3-Clause
"""Memory that the ranks of a run shared, as the record has it."""

from __future__ import annotations

from orrery import _core
from orrery.record.folded import FoldedMemory, HeapPlace

_SUSPECTED = 0.1
"""Part of the words of a place that are no floating-point numbers, from which on it is named."""


def folded_of(folding: _core.Folding) -> FoldedMemory | None:
    """None: nothing was shared."""
    if folding.asked_bytes == 0:
        return None
    return FoldedMemory(
        asked_bytes=folding.asked_bytes,
        held_bytes=folding.held_bytes,
        places=[
            HeapPlace(
                file=place.file, offset=place.offset, blocks=place.blocks, words=place.words, suspected=place.suspected
            )
            for place in folding.places
        ],
    )


def cautions_of(folding: _core.Folding) -> list[str]:
    """A sentence each, of a run whose ranks shared memory."""
    if folding.asked_bytes == 0:
        return []
    return [
        (
            "ranks share memory that each should have: what is in it is overwritten by others, and values that the program "
            "prints may be wrong"
        ),
        *(_suspicion(place) for place in folding.places if place.suspected > _SUSPECTED * place.words),
    ]


def _suspicion(place: _core.HeapPlace) -> str:
    return (
        f"{place.file}+{place.offset:#x} asks for folded memory and keeps integers or addresses in it "
        f"({place.suspected:,} of {place.words:,} words): the program may depend on them; name a larger --fold-heap"
    )
