// SPDX-License-Identifier: BSD-3-Clause
// Stacked horizontal bars with a legend: of what a few things consist.

import { el } from "../dom";
import { show } from "../format";
import type { BarsPart } from "./part";

export function drawBars(part: BarsPart, into: HTMLElement): void {
  const totals = part.labels.map((_, i) => part.series.reduce((sum, series) => sum + series.values[i]!, 0));
  const largest = Math.max(...totals, Number.MIN_VALUE);
  const rows = part.labels.map((label, i) => {
    const pieces = part.series
      .filter((series) => series.values[i]! > 0)
      .map((series) => {
        const text = `${label}: ${series.name} ${show(series.values[i], part.unit)}`;
        const piece = el("span", { class: "piece", title: text });
        piece.style.width = `${(100 * series.values[i]!) / largest}%`;
        piece.style.background = `var(${series.colour})`;
        return piece;
      });
    const total = show(totals[i], part.unit);
    const said = part.series.map((series) => `${series.name} ${show(series.values[i], part.unit)}`).join(", ");
    const bar = el("div", { class: "track", role: "img", "aria-label": `${label}: ${said}` }, ...pieces);
    return el("div", { class: "bar-row" }, el("span", { class: "bar-label", title: label }, label), bar, el("span", { class: "bar-total" }, total));
  });
  into.append(legend(part.series), el("div", { class: "bars" }, ...rows));
}

/** Names of colours. */
export function legend(entries: { name: string; colour: string }[]): HTMLElement {
  return el(
    "div",
    { class: "legend" },
    ...entries.map(({ name, colour }) => {
      const swatch = el("span", { class: "swatch" });
      swatch.style.background = `var(${colour})`;
      return el("span", {}, swatch, name);
    }),
  );
}
