# SPDX-License-Identifier: BSD-3-Clause
"""Tuning files of MPICH 4.0 and 5.0 (`csel`): trees of conditions in JSON.

The first condition of a level that holds is entered and there is no way back, so each row of numbers closes with `any`, behind
which the library's own tree stands. A file takes the place of the whole tree that is built in. No key but those of the library may
be there: a file says nowhere who wrote it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TypeAlias

from orrery import _core
from orrery.benchmark.cases import NUMBER_BYTES, LoopCase
from orrery.collective.call import REDUCTIONS
from orrery.rules import MOST_BYTES, MOST_RANKS
from orrery.tune.library import AlgorithmVariant, Library, tree_of
from orrery.tune.rules import RuleRow, SizeBand, TunedRules

Tree: TypeAlias = dict[str, "Tree"]
"""Conditions, algorithms and their settings, as MPICH's JSON nests them."""

_FLAT = {
    "barrier": "composition_beta",
    "bcast": "composition_gamma",
    "reduce": "composition_gamma",
    "allreduce": "composition_beta",
}
"""Compositions that make nothing of nodes and leave a call to the other file, of collectives whose other compositions do."""
_TOTAL = {"allgather", "allgatherv", "reduce_scatter", "reduce_scatter_block"}
"""Collectives whose limits are bytes of all ranks together: `avg_msg_size` ends MPI_Init there."""
_OF_ONE_BLOCK = _TOTAL - {"reduce_scatter"}
"""Those among them where a call is said by the bytes of one block."""
_LARGEST = 2**31 - 1
"""Largest limit: larger ones are not read as they are written."""
_SCATTERS = "reduce_scatter"
"""In names of algorithms that cut a vector into a piece for each rank of a power of two."""
_PAGE = 4096
"""A file of a multiple of so many bytes would be read beyond its end."""
_ON_MESSAGES = ("avg_msg_size", "total_msg_size", "count", "is_")


def algorithms(tuned: TunedRules) -> str:
    """The file for MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE.

    Rules are also for the communicators of the library's own, inside of compositions: `comm_hierarchy=node` and `node_roots` would
    tell these apart in 4.0, but hold for each communicator without several ranks on a node in 5.0.2.
    """
    tree = algorithms_of(tuned.library)
    for kind in _kinds(tuned):
        within = tree[f"collective={kind}"]
        within["comm_type=intra"] = _ruled(kind, tuned, within["comm_type=intra"])
    return _text(tree)


def compositions(tuned: TunedRules) -> str | None:
    """The file for MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE; None: none is needed."""
    if not _FLAT.keys() & _kinds(tuned):
        return None
    tree = compositions_of(tuned.library)
    for kind in [kind for kind in _kinds(tuned) if kind in _FLAT]:
        within = tree[f"collective={kind}"]
        flat: Tree = {f"composition=MPIDI_{kind.capitalize()}_intra_{_FLAT[kind]}": {}}
        within["comm_type=intra"] = _ruled(kind, tuned, within["comm_type=intra"], flat)
    return _text(tree)


def _kinds(tuned: TunedRules) -> list[str]:
    return list(dict.fromkeys(row.kind for row in tuned.rows))


def _ruled(kind: str, tuned: TunedRules, own: Tree, instead: Tree | None = None) -> Tree:
    """By ranks. `instead`: what stands where there is a rule, of compositions."""
    tree: Tree = {}
    end = 0
    for row in [row for row in tuned.rows if row.kind == kind]:
        if row.ranks_from > end + 1:
            tree[f"comm_size<={row.ranks_from - 1}"] = own
        for count, last in _blocks(row):
            rules = _of_operations(kind, _Bands(row, count, tuned.library, own, instead).tree(), below_messages(own))
            tree["comm_size=any" if last == MOST_RANKS else f"comm_size<={last}"] = rules
        end = row.ranks_to
    if end < MOST_RANKS:
        tree["comm_size=any"] = own
    return tree


def _blocks(row: RuleRow) -> Iterator[tuple[int, int]]:
    """Numbers of ranks that have limits of their own: the one that was tuned, and the last one that has them."""
    counts = row.counts if row.kind in _OF_ONE_BLOCK else row.counts[:1]
    for count, following in zip(counts, [*counts[1:], row.ranks_to + 1], strict=True):
        yield count, following - 1


def _of_operations(kind: str, rules: Tree, own: Tree) -> Tree:
    """Rules are not for reductions that do not commute, nor for operations of users, whose vectors some algorithms may not cut."""
    if kind in ("reduce", "allreduce"):
        rules = {"is_op_built_in=no": own, "is_op_built_in=yes": rules}
    if kind in REDUCTIONS:
        rules = {"is_commutative=no": own, "is_commutative=yes": rules}
    if kind == "alltoall":
        rules = {"is_sendbuf_inplace=yes": own, "is_sendbuf_inplace=no": rules}
    return rules


class _Bands:
    """What a row says, on a number of ranks."""

    def __init__(self, row: RuleRow, count: int, library: Library, own: Tree, instead: Tree | None) -> None:
        self._row = row
        self._factor = count if row.kind in _OF_ONE_BLOCK else 1
        self._exact = row.ranks_from == row.ranks_to
        self._library = library
        self._own = own
        self._instead = instead

    def tree(self) -> Tree:
        if self._row.kind == "barrier":
            return self._answer(self._row.bands[0].variant, self._own)
        size = "total_msg_size" if self._row.kind in _TOTAL else "avg_msg_size"
        tree: Tree = {}
        for band in self._sayable():
            limit = "=any" if band.bytes_to == MOST_BYTES else f"<={self._limit(band)}"
            tree[f"{size}{limit}"] = self._answer(band.variant, below_messages(self._own))
        return tree

    def _sayable(self) -> Iterator[SizeBand]:
        """Bands whose limits can be read; where they cannot, the library's own decision begins."""
        for band in self._row.bands:
            if band.bytes_to == MOST_BYTES or self._limit(band) <= _LARGEST:
                yield band
            else:
                yield SizeBand(bytes_from=band.bytes_from, bytes_to=MOST_BYTES, variant=None)
                return

    def _limit(self, band: SizeBand) -> int:
        return (band.bytes_to + 1) * self._factor - 1

    def _answer(self, variant: AlgorithmVariant | None, own: Tree) -> Tree:
        if variant is None:
            return own
        if self._instead is not None:
            return self._instead
        kind = self._row.kind
        name, settings = _named(variant)
        answer: Tree = {f"algorithm=MPIR_{kind.capitalize()}_intra_{name}": {setting: {} for setting in settings}}
        if kind in ("reduce", "allreduce") and _SCATTERS in name:
            answer = {"count<pow2": own, "count=any": answer}
        if (kind, name) == ("reduce_scatter", "noncommutative"):  # blocks of different sizes end the program
            answer = {"is_block_regular=yes": answer, "is_block_regular=no": own}
        if not self._exact and _only_powers_of_two(kind, variant):
            answer = {"comm_size=pow2": answer, "comm_size=any": own}
        return answer


def needs_numbers(variant: AlgorithmVariant, case: LoopCase) -> bool:
    """Whether an algorithm that scatters the vector meets one with fewer numbers than ranks, and is therefore not named for it."""
    least = 1 << (case.ranks.bit_length() - 1)
    return _SCATTERS in variant.name and case.test in ("reduce", "allreduce") and case.bytes // NUMBER_BYTES < least


def _named(variant: AlgorithmVariant) -> tuple[str, list[str]]:
    """The algorithm, and its settings."""
    name, tree = tree_of(variant.name)
    said = [("tree_type", tree), ("k", variant.fanout), ("chunk_size", variant.segment)]
    return name, [f"{key}={value}" for key, value in said if value]


def _only_powers_of_two(kind: str, variant: AlgorithmVariant) -> bool:
    name = variant.ours.partition(":")[0]
    return any(
        algorithm.power_of_two_only
        for algorithm in _core.algorithms()
        if (algorithm.collective, algorithm.name) == (kind, name)
    )


def below_messages(tree: Tree) -> Tree:
    """Turn a tree into one for a place below a condition on messages.

    There MPICH reads `comm_size<8` as if 8 belonged to it, which it does not do in trees that begin with it.
    """
    return {
        _exact(key): tree_ if key.startswith(_ON_MESSAGES) else below_messages(tree_) for key, tree_ in tree.items()
    }


def _exact(key: str) -> str:
    head, less, number = key.partition("comm_size<")
    return f"comm_size<={int(number) - 1}" if less and not head and number.isdecimal() else key


def _text(tree: Tree) -> str:
    text = json.dumps(tree, indent=1) + "\n"
    return text if len(text) % _PAGE else text + "\n"


def algorithms_of(library: Library) -> Tree:
    """The tree that MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE replaces."""
    return _tree(_core.mpich_tree(library.name, of_device=False), "algorithm=MPIR")


def compositions_of(library: Library) -> Tree:
    """The tree of the device, which comes first: MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE replaces it."""
    return _tree(_core.mpich_tree(library.name, of_device=True), "composition=MPIDI")


def _tree(text: str, prefix: str) -> Tree:
    lines = [(len(line) - len(line.lstrip()), line.strip()) for line in text.strip("\n").split("\n")]
    root: Tree = {}
    above = [root]
    kind = ""
    for depth, line in lines:
        condition, _, answer = line.partition(": ")
        if depth == 0:
            kind = condition
        del above[depth // 2 + 1 :]
        node: Tree = {}
        above[-1][_key(condition, depth)] = node
        above.append(node)
        if answer:
            node |= _answer(f"{prefix}_{kind.capitalize()}_", answer)
    return root


def _key(condition: str, depth: int) -> str:
    if depth == 0:
        return f"collective={condition}"
    return f"comm_type={condition}" if condition in ("intra", "inter") else condition


def _answer(prefix: str, answer: str) -> Tree:
    name, *settings = answer.split()
    return {prefix + name: {setting: {} for setting in settings}}
