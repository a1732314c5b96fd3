// SPDX-License-Identifier: BSD-3-Clause
// Curves and points, by uPlot: drag to zoom, double click for all.

import uPlot from "uplot";
import type { Pack } from "../data";
import { el } from "../dom";
import { show, type Unit } from "../format";
import { colour, onThemeChange } from "../theme";
import type { PlotPart } from "./part";

const SERIES_COLOURS = 8;

export function drawPlot(part: PlotPart, pack: Pack, into: HTMLElement): void {
  const data = [
    Array.from(pack.column(part.values)),
    ...part.series.map((series) => Array.from(pack.column(series.values), (value) => (Number.isNaN(value) ? null : value))),
  ] as uPlot.AlignedData;
  const box = el("div", { class: "plot", role: "img", "aria-label": `${part.title}: ${part.y.name} by ${part.x.name}` });
  into.append(box);
  let plot: uPlot | undefined;
  const draw = (): void => {
    plot?.destroy();
    plot = new uPlot(options(part, box.clientWidth || 900), data, box);
  };
  draw();
  onThemeChange(draw);
  new ResizeObserver(() => plot?.setSize({ width: box.clientWidth, height: 340 })).observe(box);
}

function options(part: PlotPart, width: number): uPlot.Options {
  const axis = (which: PlotPart["x"], size: number): uPlot.Axis => ({
    label: which.name,
    stroke: colour("--quiet"),
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    values: (_plot, places) => places.map((place) => (place === null ? "" : show(place, which.unit))),
    size,
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
  });
  const scale = (which: PlotPart["x"]): uPlot.Scale => (which.log ? { time: false, distr: 3, log: 10 } : { time: false });
  let number = -1;
  const bands = part.series.flatMap((series, i): uPlot.Band[] =>
    series.style === "high" && part.series[i - 1]?.style === "low" ? [{ series: [i + 1, i], fill: `${colour("--quiet")}2e` }] : [],
  );
  return {
    bands,
    width,
    height: 340,
    cursor: { drag: { x: true, y: false } },
    scales: { x: scale(part.x), y: scale(part.y) },
    axes: [axis(part.x, 50), axis(part.y, 84)],
    series: [
      { label: part.x.name, value: (_plot, value) => read(value, part.x.unit) },
      ...part.series.map((series): uPlot.Series => {
        if (series.style === "line" || series.style === "points") ++number;
        const stroke = colour(`--series-${(number % SERIES_COLOURS) + 1}`);
        return {
          label: series.name,
          stroke,
          width: series.style === "line" ? 2 : 1,
          spanGaps: true,
          value: (_plot, value) => read(value, part.y.unit),
          ...(series.dashed ? { dash: [6, 4] } : {}),
          ...(series.style === "points" ? { paths: () => null, points: { show: true, size: 6, fill: stroke } } : { points: { size: 5 } }),
          ...(series.style === "low" || series.style === "high" ? { width: 0, points: { show: false } } : {}),
        };
      }),
    ],
  };
}

function read(value: number | null, unit: Unit): string {
  return value === null || value === undefined ? "–" : show(value, unit);
}
