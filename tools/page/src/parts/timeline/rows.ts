// SPDX-License-Identifier: BSD-3-Clause
// In which order ranks are shown, and which share a row.

import type { Model } from "./model";

export interface Rows {
  /** Ranks of each row. */
  ranks: Uint32Array[];
  labels: string[];
  /** By rank: its row. */
  rowOf: Uint32Array;
}

export const ORDERS = ["rank", "node", "time waited", "waited for", "time outside of MPI"];

/** What a rank is called: its number, and in a picture of two runs the run's letter. */
export function nameOf(model: Model, rank: number): string {
  const first = model.part.ranksOfFirst;
  if (first === undefined) return `${rank}`;
  return rank < first ? `A ${rank}` : `B ${rank - first}`;
}

/** Rows, one for each rank, or for each node that has ranks. */
export function rowsOf(model: Model, order: number, byNode: boolean): Rows {
  const groups = byNode ? nodes(model) : Array.from({ length: model.ranks }, (_, rank) => Uint32Array.of(rank));
  const value = [undefined, undefined, model.waited_ns, model.caused_ns, model.computeShares()][order];
  if (order === 1) groups.sort((a, b) => compareHosts(model, a[0]!, b[0]!) || a[0]! - b[0]!);
  if (value) {
    const mean = (ranks: Uint32Array): number => ranks.reduce((sum, rank) => sum + value[rank]!, 0) / ranks.length;
    const means = new Map(groups.map((ranks) => [ranks, mean(ranks)]));
    groups.sort((a, b) => means.get(b)! - means.get(a)! || a[0]! - b[0]!);
  }
  const rowOf = new Uint32Array(model.ranks);
  groups.forEach((ranks, row) => ranks.forEach((rank) => (rowOf[rank] = row)));
  const labels = groups.map((ranks) => {
    const host = model.part.hosts[ranks[0]!];
    if (byNode) return host ?? "all ranks";
    return order === 1 && host ? `${nameOf(model, ranks[0]!)} ${host}` : nameOf(model, ranks[0]!);
  });
  return { ranks: groups, labels, rowOf };
}

function compareHosts(model: Model, a: number, b: number): number {
  const [one, other] = [model.part.hosts[a] ?? "", model.part.hosts[b] ?? ""];
  return one.localeCompare(other, "en", { numeric: true });
}

function nodes(model: Model): Uint32Array[] {
  const found = new Map<string, number[]>();
  for (let rank = 0; rank < model.ranks; ++rank) {
    const host = model.part.hosts[rank] ?? "";
    const there = found.get(host);
    if (there) there.push(rank);
    else found.set(host, [rank]);
  }
  return [...found.values()].map((ranks) => Uint32Array.from(ranks));
}
