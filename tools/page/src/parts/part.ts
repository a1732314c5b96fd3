// SPDX-License-Identifier: BSD-3-Clause
// The parts of which pages are made. orrery/page/parts.py declares the same.

import type { Column } from "../data";
import type { Unit } from "../format";

export interface Common {
  title: string;
  /** A sentence below the title: what is to be seen. */
  note?: string;
}

/** Event by which other parts ask the timeline to show a span. */
export const SPAN = "orrery-span";

export interface Span {
  rank: number;
  begin_ns: number;
  end_ns: number;
}

export interface TablePart extends Common {
  kind: "table";
  columns: { name: string; unit: Unit; help?: string }[];
  rows: unknown[][];
  /** Rows shown before "show all". */
  most: number;
  /** Column whose values are drawn as bars as well. */
  bar?: number;
  /** Of each row: what the timeline shows of it. */
  spans?: Span[];
}

export interface MatrixPart extends Common {
  kind: "matrix";
  unit: Unit;
  from: string;
  to: string;
  /** The same messages between ranks, nodes and so on. */
  views: {
    name: string;
    size: number;
    labels: string[];
    from: Column;
    to: Column;
    value: Column;
    count: Column;
  }[];
}

export interface PlotPart extends Common {
  kind: "plot";
  x: { name: string; unit: Unit; log: boolean };
  y: { name: string; unit: Unit; log: boolean };
  values: Column;
  /** Drawn in this order; `low`, then `high`: limits of a band. NaN: no value there; infinity: the line ends there. `notes`: of each value, what is shown beside it. */
  series: { name: string; values: Column; style: "line" | "points" | "low" | "high"; dashed?: boolean; notes?: string[] }[];
  /** Where dashed vertical lines are. */
  marks: number[];
}

export interface StripsPart extends Common {
  kind: "strips";
  unit: Unit;
  /** What is along the axis. */
  axis: string;
  labels: string[];
  /** Of each row. */
  values: number[][];
  /** Where a vertical line is. */
  mark?: number;
}

export interface BarsPart extends Common {
  kind: "bars";
  unit: Unit;
  /** What a bar is, such as a routine. */
  of: string;
  labels: string[];
  /** Stacked on each other; `colour` is a name of the style sheet. */
  series: { name: string; colour: string; values: number[] }[];
}

export interface FabricPart extends Common {
  kind: "fabric";
  /** A drawing; what stands for links in it has `data-link`: their numbers in `links`, with spaces between. */
  svg: string;
  /** End of the run, in the last bucket. */
  end_ns: number;
  bucket_ns: number;
  buckets: number;
  links: { name: string; rate: number }[];
  /** Bytes by link, then bucket. */
  bytes: Column;
}

export interface TimelinePart extends Common {
  kind: "timeline";
  ranks: number;
  end_ns: number;
  complete: boolean;
  calls: number;
  messages: number;
  routines: Record<string, string>;
  algorithms: Record<string, string>;
  hosts: string[];
  /** Of two runs in one picture: how many ranks are of the first, A; the others are of the second, B. */
  ranksOfFirst?: number;
  levels: { bucket_ns: number; buckets: number; cells: Column }[];
  intervals: Record<"begin" | "end" | "bytes" | "rank" | "comm" | "routine" | "algorithm" | "state", Column>;
  sent: Record<"begin" | "end" | "bytes" | "from" | "to" | "tag" | "comm", Column>;
  path: Record<"begin" | "end" | "rank" | "state", Column>;
  waited_ns: Column;
  caused_ns: Column;
}

export type Part = TablePart | MatrixPart | PlotPart | StripsPart | BarsPart | FabricPart | TimelinePart;
