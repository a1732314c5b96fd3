// SPDX-License-Identifier: BSD-3-Clause
// Rows of points on one axis, from 0 on: how far apart a few values of each thing are.

import { el } from "../dom";
import { show, showTick } from "../format";
import type { StripsPart } from "./part";

const TICKS = 6;

export function drawStrips(part: StripsPart, into: HTMLElement): void {
  const every = [...part.values.flat(), part.mark ?? 0];
  const ticks = round(Math.min(0, ...every), Math.max(0, ...every));
  const [first, last] = [ticks[0]!, ticks[ticks.length - 1]!];
  const at = (value: number): string => `${(100 * (value - first)) / (last - first)}%`;
  const line = (value: number, kind: string): HTMLElement => {
    const one = el("span", { class: kind });
    one.style.left = at(value);
    return one;
  };
  const rows = part.labels.map((label, i) => {
    const values = part.values[i]!;
    const middle = show(median(values), part.unit);
    const dots = values.map((value) => {
      const dot = line(value, "dot");
      dot.title = `${label}: ${show(value, part.unit)}`;
      return dot;
    });
    const mark = part.mark === undefined ? [] : [line(part.mark, "strip-mark")];
    const said = `${label}: ${values.length} values, median ${middle}`;
    const strip = el("div", { class: "strip", role: "img", "aria-label": said }, ...ticks.map((tick) => line(tick, "strip-tick")), ...mark, ...dots);
    return el("div", { class: "bar-row" }, el("span", { class: "bar-label", title: label }, label), strip, el("span", { class: "bar-total" }, middle));
  });
  const places = ticks.map((tick) => {
    const one = line(tick, "strip-number");
    one.textContent = showTick(tick, part.unit);
    return one;
  });
  const head = el("div", { class: "bar-row" }, el("span"), el("span"), el("span", { class: "bar-total" }, "median"));
  const axis = el("div", { class: "bar-row" }, el("span"), el("div", { class: "strip-axis" }, ...places), el("span"));
  const name = el("div", { class: "bar-row" }, el("span"), el("span", { class: "strip-name" }, part.axis), el("span"));
  into.append(el("div", { class: "bars strips" }, head, ...rows, axis, name));
}

/** Round numbers at equal distances, from below the least value to above the most. */
function round(least: number, most: number): number[] {
  const rough = (most - least || 1) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5].find((factor) => factor * power >= rough) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.max(Math.ceil(most / step), Math.floor(least / step) + 1)];
  return Array.from({ length: last - first + 1 }, (_, i) => (first + i) * step);
}

function median(values: number[]): number {
  const ordered = [...values].sort((a, b) => a - b);
  const half = ordered.length / 2;
  return (ordered[Math.floor(half - 0.5)]! + ordered[Math.floor(half)]!) / 2;
}
