# SPDX-License-Identifier: BSD-3-Clause
"""The table of operations (src/op/vocabulary.inc)."""

from __future__ import annotations

from itertools import combinations

from orrery import _core
from orrery.trace.reading import Operation


def test_flags_that_share_a_bit_are_of_different_kinds() -> None:
    flags = [(name, bit, set(kinds.split())) for name, bit, kinds, _ in _core.operation_flags()]
    every = {"all", *_core.operation_kinds()}
    assert all(kinds <= every for _, _, kinds in flags)
    for (first, bit, kinds), (second, other_bit, others) in combinations(flags, 2):
        if bit == other_bit and "all" not in kinds | others:
            assert not kinds & others, (first, second)
    # An operation whose thread waits is told from a part of another request by waiting.
    assert [name for name, _, kinds in flags if kinds == {"all"}] == ["FirstOfCall", "Apart"]


def test_what_an_operation_does_is_said_by_fields_that_it_has() -> None:
    for kind, fields, answered, about in _core.operation_vocabulary():
        assert set(fields.split()) <= set(Operation._fields), kind
        assert answered in ("always", "never", "if matched")
        assert about, kind
    assert len(set(_core.operation_kinds())) == len(_core.operation_vocabulary())


def test_collectives_have_roots_and_reduce_as_the_standard_says() -> None:
    table = _core.collective_vocabulary()
    assert [word for word, _, _ in table] == _core.collective_kinds()
    assert {word for word, rooted, _ in table if rooted} == {
        "bcast",
        "reduce",
        "gather",
        "gatherv",
        "scatter",
        "scatterv",
    }
    reductions = {"reduce", "allreduce", "reduce_scatter", "reduce_scatter_block", "scan", "exscan"}
    assert {word for word, _, reduces in table if reduces} == reductions
