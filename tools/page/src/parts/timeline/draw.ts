// SPDX-License-Identifier: BSD-3-Clause
// Draws what a window of time and rows shows. Far away a pixel is the mixture of what ranks did there; near enough, calls are
// boxes with names and messages are arrows.

import { showCount, showMoment } from "../../format";
import { colour, rgb, type Rgb } from "../../theme";
import { firstAbove, type Model, STATES } from "./model";
import type { Rows } from "./rows";

export const LEFT = 84;
export const AXIS = 24;
/** Boxes are drawn up to so many calls, arrows up to so many messages. */
const MOST_BOXES = 30_000;
const MOST_ARROWS = 3_000;

/** What is shown of the run. */
export interface Window {
  begin_ns: number;
  end_ns: number;
  /** Rows above the upper edge; may have a fraction. */
  firstRow: number;
  rowHeight: number;
}

export interface Scene {
  model: Model;
  rows: Rows;
  window: Window;
  width: number;
  height: number;
  showMessages: boolean;
  showPath: boolean;
  /** Calls that a search found, as a set; undefined: no search. */
  found: Set<number> | undefined;
  /** The chosen call, or -1, and its messages. */
  chosen: number;
  chosenMessages: number[];
}

export interface Palette {
  states: Rgb[];
  stateNames: string[];
  paper: Rgb;
  ink: string;
  quiet: string;
  line: string;
  path: string;
  message: string;
}

export function palette(): Palette {
  const names = STATES.map((state) => `--state-${state}`);
  return {
    states: names.map(rgb),
    stateNames: names.map(colour),
    paper: rgb("--paper"),
    ink: colour("--ink"),
    quiet: colour("--quiet"),
    line: colour("--line"),
    path: colour("--path"),
    message: colour("--message"),
  };
}

/** Draws the scene; gives a sentence about what is not shown. */
export function paint(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): string {
  const { window, width, height } = scene;
  context.fillStyle = `rgb(${colours.paper.join(" ")})`;
  context.fillRect(0, 0, width, height);
  paintMixture(context, scene, colours);
  const boxes = callsInView(scene);
  const exact = window.rowHeight >= 3 && boxes <= MOST_BOXES;
  context.save();
  context.beginPath();
  context.rect(LEFT, AXIS, width - LEFT, height - AXIS);
  context.clip();
  if (exact) paintCalls(context, scene, colours);
  else if (scene.found) paintFound(context, scene, colours);
  const arrows = scene.showMessages ? paintMessages(context, scene, colours) : 0;
  if (scene.showPath) paintPath(context, scene, colours);
  paintChosen(context, scene, colours);
  context.restore();
  paintRows(context, scene, colours);
  paintAxis(context, scene, colours);
  if (arrows > MOST_ARROWS) return `${showCount(arrows)} messages here: zoom in for their arrows.`;
  return "";
}

export function xOf(scene: Pick<Scene, "window" | "width">, ns: number): number {
  const { begin_ns, end_ns } = scene.window;
  return LEFT + ((ns - begin_ns) / (end_ns - begin_ns)) * (scene.width - LEFT);
}

export function yOf(scene: Pick<Scene, "window">, row: number): number {
  return AXIS + (row - scene.window.firstRow) * scene.window.rowHeight;
}

function rowsInView(scene: Scene): [number, number] {
  const { window, height, rows } = scene;
  const last = Math.ceil(window.firstRow + (height - AXIS) / window.rowHeight);
  return [Math.max(0, Math.floor(window.firstRow)), Math.min(rows.ranks.length, last)];
}

/** What fraction of a pixel ranks spent in each state, as a colour. */
function paintMixture(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { model, rows, window, width, height } = scene;
  const across = Math.max(1, Math.floor(width - LEFT));
  const shown = Math.min(height - AXIS, (rows.ranks.length - window.firstRow) * window.rowHeight);
  const down = Math.max(1, Math.ceil(window.rowHeight >= 1 ? shown / window.rowHeight + 1 : shown));
  const ns = (window.end_ns - window.begin_ns) / across;
  const level = model.levelFor(ns);
  const image = new ImageData(across, down);
  const sums = new Float64Array(across * 4);
  const first = Math.floor(window.firstRow);
  for (let line = 0; line < down; ++line) {
    const from = window.rowHeight >= 1 ? first + line : Math.floor(window.firstRow + line / window.rowHeight);
    const to = window.rowHeight >= 1 ? from + 1 : Math.max(from + 1, Math.floor(window.firstRow + (line + 1) / window.rowHeight));
    sums.fill(0);
    for (let row = from; row < to && row < rows.ranks.length; ++row)
      for (const rank of rows.ranks[row]!) addRank(sums, across, level, rank, window.begin_ns, ns, colours.states);
    writeLine(image, line, sums, colours.paper);
  }
  const buffer = new OffscreenCanvas(across, down);
  buffer.getContext("2d")!.putImageData(image, 0, 0);
  context.imageSmoothingEnabled = false;
  const rowHeight = Math.max(1, window.rowHeight);
  const top = window.rowHeight >= 1 ? yOf(scene, first) : AXIS;
  context.save();
  context.beginPath();
  context.rect(LEFT, AXIS, width - LEFT, height - AXIS);
  context.clip();
  const gap = window.rowHeight >= 6 ? 1 : 0;
  if (gap === 0) {
    context.drawImage(buffer, 0, 0, across, down, LEFT, top, width - LEFT, down * rowHeight);
  } else {
    for (let line = 0; line < down; ++line)
      context.drawImage(buffer, 0, line, across, 1, LEFT, top + line * rowHeight, width - LEFT, rowHeight - gap);
  }
  context.restore();
}

function addRank(
  sums: Float64Array,
  across: number,
  level: { bucket_ns: number; buckets: number; cells: Uint32Array },
  rank: number,
  begin_ns: number,
  pixel_ns: number,
  states: Rgb[],
): void {
  const offset = rank * level.buckets;
  for (let x = 0; x < across; ++x) {
    const from = Math.floor((begin_ns + x * pixel_ns) / level.bucket_ns);
    const to = Math.max(from + 1, Math.floor((begin_ns + (x + 1) * pixel_ns) / level.bucket_ns));
    for (let bucket = Math.max(0, from); bucket < to && bucket < level.buckets; ++bucket) {
      let cell = level.cells[offset + bucket]!;
      for (let state = 0; cell !== 0; ++state, cell >>>= 4) {
        const share = cell & 15;
        if (share === 0) continue;
        const [r, g, b] = states[state]!;
        sums[4 * x]! += share * r;
        sums[4 * x + 1]! += share * g;
        sums[4 * x + 2]! += share * b;
        sums[4 * x + 3]! += share;
      }
    }
  }
}

function writeLine(image: ImageData, line: number, sums: Float64Array, paper: Rgb): void {
  const pixels = image.data;
  for (let x = 0; x < image.width; ++x) {
    const at = 4 * (line * image.width + x);
    const weight = sums[4 * x + 3]!;
    for (let i = 0; i < 3; ++i) pixels[at + i] = weight > 0 ? sums[4 * x + i]! / weight : paper[i]!;
    pixels[at + 3] = 255;
  }
}

function callsInView(scene: Scene): number {
  const { model, rows, window } = scene;
  const [from, to] = rowsInView(scene);
  let count = 0;
  for (let row = from; row < to; ++row) {
    for (const rank of rows.ranks[row]!) {
      const end = firstAbove(model.begin, window.end_ns, model.calls[rank]!, model.calls[rank + 1]!);
      count += Math.max(0, end - model.callAfter(rank, window.begin_ns));
    }
    if (count > MOST_BOXES) break;
  }
  return count;
}

function paintCalls(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { model, rows, window } = scene;
  const [from, to] = rowsInView(scene);
  const height = Math.max(1, window.rowHeight - (window.rowHeight >= 6 ? 1 : 0));
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (let row = from; row < to; ++row) {
    if (rows.ranks[row]!.length !== 1) continue;
    const rank = rows.ranks[row]![0]!;
    const y = yOf(scene, row);
    if (model.part.complete) {
      const last = model.calls[rank + 1]!;
      context.fillStyle = colours.stateNames[0]!;
      const right = last > model.calls[rank]! ? xOf(scene, model.end[last - 1]!) : LEFT;
      context.fillRect(xOf(scene, 0), y, right - xOf(scene, 0), height);
    }
    for (let call = model.callAfter(rank, window.begin_ns); call < model.calls[rank + 1]!; ++call) {
      if (model.begin[call]! > window.end_ns) break;
      const x = xOf(scene, model.begin[call]!);
      const width = Math.max(0.6, xOf(scene, model.end[call]!) - x);
      context.globalAlpha = scene.found && !scene.found.has(call) ? 0.18 : 1;
      context.fillStyle = colours.stateNames[model.state[call]!]!;
      context.fillRect(x, y, width, height);
      if (width > 34 && height >= 12) writeName(context, scene, call, x, y + height / 2, width);
    }
    context.globalAlpha = 1;
  }
}

function writeName(context: CanvasRenderingContext2D, scene: Scene, call: number, x: number, y: number, width: number): void {
  const left = Math.max(x, LEFT) + 4;
  const room = x + width - left - 4;
  const algorithm = scene.model.algorithmName(call);
  const name = scene.model.routineName(call).replace(/^MPI_/, "");
  const full = algorithm ? `${name}: ${algorithm}` : name;
  const text = context.measureText(full).width <= room ? full : context.measureText(name).width <= room ? name : "";
  if (!text) return;
  context.fillStyle = "#ffffff";
  context.shadowColor = "rgb(0 0 0 / 0.65)";
  context.shadowBlur = 3;
  context.fillText(text, left, y);
  context.shadowBlur = 0;
}

/** Far away: a mark where calls are that a search found. */
function paintFound(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { model, window, rows } = scene;
  context.fillStyle = colours.ink;
  const height = Math.max(2, window.rowHeight - 1);
  for (const call of scene.found!) {
    if (model.end[call]! < window.begin_ns || model.begin[call]! > window.end_ns) continue;
    const x = xOf(scene, model.begin[call]!);
    context.fillRect(x, yOf(scene, rows.rowOf[model.rank[call]!]!), Math.max(1, xOf(scene, model.end[call]!) - x), height);
  }
}

/** Gives how many messages are in view; above the limit none is drawn. */
function paintMessages(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): number {
  const { model, window, rows } = scene;
  const [from, to] = rowsInView(scene);
  const { begin, end } = model.sent;
  const inView: number[] = [];
  let count = 0;
  for (let i = 0; i < begin.length && begin[i]! <= window.end_ns; ++i) {
    if (end[i]! < window.begin_ns) continue;
    const [a, b] = [rows.rowOf[model.sent.from[i]!]!, rows.rowOf[model.sent.to[i]!]!];
    if (Math.max(a, b) < from || Math.min(a, b) >= to) continue;
    if (++count <= MOST_ARROWS) inView.push(i);
  }
  if (count > MOST_ARROWS) return count;
  context.globalAlpha = inView.length > 400 ? 0.45 : 0.8;
  context.lineWidth = 1;
  for (const message of inView) arrow(context, scene, message, colours.message);
  context.globalAlpha = 1;
  return count;
}

function arrow(context: CanvasRenderingContext2D, scene: Scene, message: number, ink: string): void {
  const { model, rows } = scene;
  const half = scene.window.rowHeight / 2;
  const x0 = xOf(scene, model.sent.begin[message]!);
  const x1 = xOf(scene, model.sent.end[message]!);
  const y0 = yOf(scene, rows.rowOf[model.sent.from[message]!]!) + half;
  const y1 = yOf(scene, rows.rowOf[model.sent.to[message]!]!) + half;
  context.strokeStyle = context.fillStyle = ink;
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  const length = Math.hypot(x1 - x0, y1 - y0);
  if (length < 14) return;
  const [dx, dy] = [(x1 - x0) / length, (y1 - y0) / length];
  context.beginPath();
  context.moveTo(x1, y1);
  context.lineTo(x1 - 7 * dx - 3 * dy, y1 - 7 * dy + 3 * dx);
  context.lineTo(x1 - 7 * dx + 3 * dy, y1 - 7 * dy - 3 * dx);
  context.fill();
}

function paintPath(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { model, window, rows } = scene;
  const { begin, end, rank } = model.path;
  context.fillStyle = colours.path;
  const half = window.rowHeight / 2;
  // Segments of one run end in their order; of two, not.
  const first = model.part.ranksOfFirst === undefined ? firstAbove(end, window.begin_ns) : 0;
  const crowded = firstAbove(begin, window.end_ns) - first > scene.width / 2;
  const thick = crowded ? 1 : Math.max(1.5, Math.min(3, window.rowHeight / 4));
  context.globalAlpha = crowded ? 0.6 : 1; // so that what is below it is seen
  let [lastX, lastY] = [-1, -1];
  const ofFirst = model.part.ranksOfFirst ?? model.ranks;
  const before = [-1, -1]; // of each run
  for (let i = first; i < begin.length && begin[i]! <= window.end_ns; ++i) {
    if (end[i]! < window.begin_ns) continue;
    const x = xOf(scene, begin[i]!);
    const y = yOf(scene, rows.rowOf[rank[i]!]!) + half;
    const width = xOf(scene, end[i]!) - x;
    const run = rank[i]! < ofFirst ? 0 : 1;
    const last = before[run]!;
    if (!crowded && last >= 0 && last !== y) context.fillRect(x - 0.5, Math.min(last, y), 1, Math.abs(y - last));
    if (width >= 0.5 || Math.floor(x) !== lastX || Math.floor(y) !== lastY) context.fillRect(x, y - thick / 2, Math.max(width, 0.8), thick);
    [lastX, lastY, before[run]] = [Math.floor(x), Math.floor(y), y];
  }
  context.globalAlpha = 1;
}

function paintChosen(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { model, window, rows, chosen } = scene;
  if (chosen < 0) return;
  context.lineWidth = 2;
  for (const message of scene.chosenMessages) arrow(context, scene, message, colours.ink);
  const x = xOf(scene, model.begin[chosen]!);
  const y = yOf(scene, rows.rowOf[model.rank[chosen]!]!);
  context.strokeStyle = colours.ink;
  context.strokeRect(x - 1, y - 1, Math.max(3, xOf(scene, model.end[chosen]!) - x + 2), Math.max(3, window.rowHeight + 1));
  context.lineWidth = 1;
}

function paintRows(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { rows, window, height } = scene;
  context.fillStyle = `rgb(${colours.paper.join(" ")})`;
  context.fillRect(0, AXIS, LEFT, height - AXIS);
  const [from, to] = rowsInView(scene);
  const step = niceStep(14 / window.rowHeight);
  context.fillStyle = colours.quiet;
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "right";
  context.textBaseline = "middle";
  for (let row = Math.ceil(from / step) * step; row < to; row += step) {
    const y = yOf(scene, row) + Math.min(window.rowHeight, 14) / 2;
    if (y > AXIS + 4) context.fillText(rows.labels[row]!, LEFT - 6, y, LEFT - 10);
  }
}

/** The smallest of 1, 2, 5, 10, 20, ... that is not below. */
function niceStep(least: number): number {
  for (let power = 1; ; power *= 10) for (const factor of [1, 2, 5]) if (factor * power >= least) return factor * power;
}

function paintAxis(context: CanvasRenderingContext2D, scene: Scene, colours: Palette): void {
  const { window, width, height } = scene;
  context.fillStyle = `rgb(${colours.paper.join(" ")})`;
  context.fillRect(0, 0, width, AXIS);
  const { places, step } = timeTicks(window, Math.max(2, Math.floor((width - LEFT) / 110)));
  context.strokeStyle = colours.line;
  context.fillStyle = colours.quiet;
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  for (const ns of places) {
    const x = Math.round(xOf(scene, ns)) + 0.5;
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(x, AXIS - 6);
    context.lineTo(x, height);
    context.stroke();
    context.globalAlpha = 1;
    context.fillText(showMoment(ns, step), x + 4, AXIS / 2);
  }
  context.textAlign = "right";
  context.fillText("rank", LEFT - 6, AXIS / 2);
}

function timeTicks(window: Window, most: number): { places: number[]; step: number } {
  const span = window.end_ns - window.begin_ns;
  let step = 10 ** Math.floor(Math.log10(span / most));
  step *= [1, 2, 5, 10].find((factor) => span / (factor * step) <= most)!;
  const places: number[] = [];
  for (let ns = Math.ceil(window.begin_ns / step) * step; ns <= window.end_ns; ns += step) places.push(ns);
  return { places, step };
}
