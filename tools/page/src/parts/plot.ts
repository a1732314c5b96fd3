// SPDX-License-Identifier: BSD-3-Clause
// Curves and points, by uPlot: drag to zoom, double click for all.

import uPlot from "uplot";
import type { Numbers, Pack } from "../data";
import { el } from "../dom";
import { show, showTick, type Unit } from "../format";
import { colour, onThemeChange } from "../theme";
import type { PlotPart } from "./part";

const SERIES_COLOURS = 8;
const HEIGHT = 340;
/** Series from which on the legend stands beside the plot, in two columns, if there is room for both. */
const ASIDE = 10;
const ASIDE_PX = 470;
const ASIDE_HEIGHT = 440;
const LEAST_ASIDE_PX = 1000;
/** Behind as many series as there are colours the next pattern begins. */
const DASHES = [[], [6, 4], [2, 3]];
/** How the legend draws them. */
const BORDERS = ["solid", "dashed", "dotted"];
/** Points from which on they are small and let each other shine through. */
const MANY = 300;
/** Between two sizes on the axis. */
const LEAST_PX = 64;

interface Size {
  width: number;
  height: number;
}

export function drawPlot(part: PlotPart, pack: Pack, into: HTMLElement): void {
  const x = Array.from(pack.column(part.values));
  const series = part.series.map((one) => values(pack.column(one.values)));
  const data = [x, ...series] as uPlot.AlignedData;
  const counts = series.map((one) => one.reduce<number>((count, value) => count + (value == null ? 0 : 1), 0));
  const isAside = (): boolean => part.series.length >= ASIDE && box.clientWidth >= LEAST_ASIDE_PX;
  const size = (): Size => {
    box.classList.toggle("aside", isAside());
    return isAside() ? { width: box.clientWidth - ASIDE_PX, height: ASIDE_HEIGHT } : { width: box.clientWidth || 900, height: HEIGHT };
  };
  const box = el("div", { class: "plot", role: "img", "aria-label": `${part.title}: ${part.y.name} by ${part.x.name}` });
  into.append(box);
  let plot: uPlot | undefined;
  const draw = (): void => {
    plot?.destroy();
    plot = new uPlot(options(part, counts, size()), data, box);
  };
  draw();
  onThemeChange(draw);
  new ResizeObserver(() => plot?.setSize(size())).observe(box);
}

/** As uPlot has them: lines go on over `undefined`, and end at `null`. */
function values(numbers: Numbers): (number | null | undefined)[] {
  return Array.from(numbers, (value) => (Number.isNaN(value) ? undefined : Number.isFinite(value) ? value : null));
}

function options(part: PlotPart, counts: number[], size: Size): uPlot.Options {
  return {
    bands: bands(part),
    ...size,
    cursor: { drag: { x: true, y: false }, dataIdx: (plot, series, at) => nearest(plot, series, at) },
    scales: { x: scale(part.x), y: scale(part.y) },
    axes: [axis(part.x, 50), axis(part.y, 84)],
    legend: { markers: { dash: (plot, series) => BORDERS[DASHES.findIndex((dash) => dash[0] === plot.series[series]!.dash?.[0])]! } },
    hooks: { drawAxes: part.marks.length > 0 ? [(plot) => drawMarks(plot, part.marks)] : [] },
    series: [{ label: part.x.name, value: (_plot, value) => read(value, part.x.unit) }, ...curves(part, counts)],
  };
}

function scale(which: PlotPart["x"]): uPlot.Scale {
  return which.log ? { time: false, distr: 3, log: doubles(which) ? 2 : 10 } : { time: false };
}

/** Sizes and numbers of ranks go in powers of two. */
function doubles(which: PlotPart["x"]): boolean {
  return which.unit === "bytes" || which.unit === "count";
}

function axis(which: PlotPart["x"], size: number): uPlot.Axis {
  return {
    label: which.name,
    stroke: colour("--quiet"),
    grid: { stroke: colour("--grid"), width: 1 },
    ticks: { stroke: colour("--line"), width: 1 },
    values: (_plot, places) => places.map((place) => (place === null ? "" : showTick(place, which.unit))),
    ...(which.log && doubles(which) ? { splits: powersOfTwo, filter: (_plot, places) => places } : {}),
    size,
    font: "12px system-ui, sans-serif",
    labelFont: "12px system-ui, sans-serif",
  };
}

/** As many of them as have room. */
function powersOfTwo(plot: uPlot, _axis: number, least: number, most: number): number[] {
  const [first, last] = [Math.max(0, Math.ceil(Math.log2(least))), Math.floor(Math.log2(most))];
  const room = Math.max(1, plot.width / LEAST_PX);
  const step = Math.max(1, Math.ceil((last - first) / room));
  return Array.from({ length: Math.max(0, Math.floor((last - first) / step) + 1) }, (_, i) => 2 ** (first + i * step));
}

function bands(part: PlotPart): uPlot.Band[] {
  return part.series.flatMap((series, i): uPlot.Band[] =>
    series.style === "high" && part.series[i - 1]?.style === "low" ? [{ series: [i + 1, i], fill: `${colour("--quiet")}2e` }] : [],
  );
}

function curves(part: PlotPart, counts: number[]): uPlot.Series[] {
  let number = -1;
  return part.series.map((series, i): uPlot.Series => {
    const many = counts[i]! > MANY;
    if (series.style === "line" || many) ++number;
    const stroke = series.style === "line" || many ? colour(`--series-${(number % SERIES_COLOURS) + 1}`) : colour("--ink");
    const turn = Math.floor(Math.max(number, 0) / SERIES_COLOURS) % DASHES.length;
    const dash = series.style === "points" ? [] : DASHES[series.dashed && turn === 0 ? 1 : turn]!;
    const dashed = dash.length > 0;
    return {
      label: series.name,
      stroke,
      width: 2,
      value: (_plot, value, _series, at) => read(value, part.y.unit) + (at != null && series.notes?.[at] ? ` (${series.notes[at]})` : ""),
      ...(dashed ? { dash } : {}),
      ...(series.style === "points" ? points(stroke, many) : { points: { show: !many && !dashed, size: 5 } }),
      ...(series.style === "low" || series.style === "high" ? { stroke: colour("--quiet"), width: 0, points: { show: false } } : {}),
    };
  });
}

function points(stroke: string, many: boolean): uPlot.Series {
  const fill = many ? `${stroke}99` : stroke;
  return { paths: () => null, points: many ? { show: true, size: 5, width: 0, fill } : { show: true, size: 7, width: 0, fill } };
}

/** Where there is no value at the mouse, the one beside it. */
function nearest(plot: uPlot, series: number, at: number): number {
  const column = plot.data[series]!;
  for (let away = 0; away < column.length; ++away) {
    if (column[at - away] != null) return at - away;
    if (column[at + away] != null) return at + away;
  }
  return at;
}

function drawMarks(plot: uPlot, marks: number[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = colour("--quiet");
  ctx.lineWidth = devicePixelRatio;
  ctx.setLineDash([4 * devicePixelRatio, 4 * devicePixelRatio]);
  ctx.beginPath();
  for (const mark of marks) {
    const x = Math.round(plot.valToPos(mark, "x", true));
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
  }
  ctx.stroke();
  ctx.restore();
}

function read(value: number | null, unit: Unit): string {
  return value === null || value === undefined ? "–" : show(value, unit);
}
