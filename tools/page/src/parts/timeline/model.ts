// SPDX-License-Identifier: BSD-3-Clause
// The run that a timeline shows, with the indices by which it is searched.

import type { Pack } from "../../data";
import type { TimelinePart } from "../part";

export const STATES = ["compute", "send", "receive", "wait", "collective", "one-sided", "file", "other"] as const;
export const STATE_NAMES = [
  "outside of MPI",
  "send",
  "receive, probe",
  "wait, test",
  "collective",
  "one-sided",
  "files",
  "other MPI",
];

export interface Level {
  bucket_ns: number;
  buckets: number;
  cells: Uint32Array;
}

/** A sequence of numbers in which each rank has a piece. */
export interface ByRank {
  /** Positions by rank; `first[rank]` to `first[rank + 1]` in `items`. */
  first: Uint32Array;
  items: Uint32Array;
}

export class Model {
  readonly ranks: number;
  readonly end_ns: number;
  readonly levels: Level[];
  /** Calls, by rank and begin. */
  readonly begin: Float64Array;
  readonly end: Float64Array;
  readonly bytes: Float64Array;
  readonly rank: Uint32Array;
  readonly comm: Uint32Array;
  readonly routine: Uint16Array;
  readonly algorithm: Uint16Array;
  readonly state: Uint8Array;
  /** Calls of a rank: `calls[rank]` to `calls[rank + 1]`. */
  readonly calls: Uint32Array;
  readonly sent: {
    begin: Float64Array;
    end: Float64Array;
    bytes: Float64Array;
    from: Uint32Array;
    to: Uint32Array;
    tag: Int32Array;
    comm: Uint32Array;
  };
  readonly sentBy: ByRank;
  readonly receivedBy: ByRank;
  readonly path: { begin: Float64Array; end: Float64Array; rank: Uint32Array; state: Uint8Array };
  readonly waited_ns: Float64Array;
  readonly caused_ns: Float64Array;

  constructor(
    readonly part: TimelinePart,
    pack: Pack,
  ) {
    this.ranks = part.ranks;
    this.end_ns = Math.max(1, part.end_ns);
    this.levels = part.levels.map((level) => ({ ...level, cells: pack.column(level.cells) as Uint32Array }));
    const columns = part.intervals;
    this.begin = pack.column(columns.begin) as Float64Array;
    this.end = pack.column(columns.end) as Float64Array;
    this.bytes = pack.column(columns.bytes) as Float64Array;
    this.rank = pack.column(columns.rank) as Uint32Array;
    this.comm = pack.column(columns.comm) as Uint32Array;
    this.routine = pack.column(columns.routine) as Uint16Array;
    this.algorithm = pack.column(columns.algorithm) as Uint16Array;
    this.state = pack.column(columns.state) as Uint8Array;
    this.calls = grouped(this.rank, this.ranks).first;
    this.sent = {
      begin: pack.column(part.sent.begin) as Float64Array,
      end: pack.column(part.sent.end) as Float64Array,
      bytes: pack.column(part.sent.bytes) as Float64Array,
      from: pack.column(part.sent.from) as Uint32Array,
      to: pack.column(part.sent.to) as Uint32Array,
      tag: pack.column(part.sent.tag) as Int32Array,
      comm: pack.column(part.sent.comm) as Uint32Array,
    };
    this.sentBy = grouped(this.sent.from, this.ranks);
    this.receivedBy = grouped(this.sent.to, this.ranks);
    this.path = {
      begin: pack.column(part.path.begin) as Float64Array,
      end: pack.column(part.path.end) as Float64Array,
      rank: pack.column(part.path.rank) as Uint32Array,
      state: pack.column(part.path.state) as Uint8Array,
    };
    this.waited_ns = pack.column(part.waited_ns) as Float64Array;
    this.caused_ns = pack.column(part.caused_ns) as Float64Array;
  }

  routineName(call: number): string {
    const number = this.routine[call]!;
    return this.part.routines[number] ?? `routine ${number}`;
  }

  /** Algorithm of a collective call; nothing: not known. */
  algorithmName(call: number): string {
    const number = this.algorithm[call]!;
    return number === 0 ? "" : (this.part.algorithms[number] ?? "");
  }

  /** The first call of the rank that ends after the time. */
  callAfter(rank: number, ns: number): number {
    return firstAbove(this.end, ns, this.calls[rank]!, this.calls[rank + 1]!);
  }

  /** The call of the rank at the time, or -1. */
  callAt(rank: number, ns: number): number {
    const call = this.callAfter(rank, ns);
    return call < this.calls[rank + 1]! && this.begin[call]! <= ns ? call : -1;
  }

  /** Messages whose send begins in the call, and those whose receive it completes. */
  messagesOf(call: number): { sent: number[]; received: number[] } {
    const [rank, begin, end] = [this.rank[call]!, this.begin[call]!, this.end[call]!];
    const within = (group: ByRank, times: Float64Array, inside: (ns: number) => boolean): number[] =>
      [...group.items.subarray(group.first[rank]!, group.first[rank + 1]!)].filter((message) => inside(times[message]!));
    return {
      sent: within(this.sentBy, this.sent.begin, (ns) => ns >= begin && (ns < end || ns === begin)),
      received: within(this.receivedBy, this.sent.end, (ns) => ns <= end && (ns > begin || ns === end)),
    };
  }

  /** The coarsest level whose buckets are at most so long, else the finest. */
  levelFor(bucket_ns: number): Level {
    for (let i = this.levels.length - 1; i > 0; --i) if (this.levels[i]!.bucket_ns <= bucket_ns) return this.levels[i]!;
    return this.levels[0]!;
  }

  /** How long a rank computed, from the coarsest level, in buckets' fifteenths: to sort by. */
  computeShares(): Float64Array {
    const level = this.levels[this.levels.length - 1]!;
    const shares = new Float64Array(this.ranks);
    for (let rank = 0; rank < this.ranks; ++rank)
      for (let i = 0; i < level.buckets; ++i) shares[rank]! += level.cells[rank * level.buckets + i]! & 15;
    return shares;
  }
}

/** The first position whose value is above `limit`, in an ascending piece. */
export function firstAbove(values: Float64Array, limit: number, from = 0, to = values.length): number {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (values[middle]! > limit) to = middle;
    else from = middle + 1;
  }
  return from;
}

function grouped(ranks: Uint32Array, count: number): ByRank {
  const first = new Uint32Array(count + 1);
  for (const rank of ranks) ++first[rank + 1]!;
  for (let rank = 0; rank < count; ++rank) first[rank + 1]! += first[rank]!;
  const next = first.slice();
  const items = new Uint32Array(ranks.length);
  ranks.forEach((rank, i) => (items[next[rank]!++] = i));
  return { first, items };
}
