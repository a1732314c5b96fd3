// SPDX-License-Identifier: BSD-3-Clause
// Who sent how much to whom: a matrix of coloured cells on a logarithmic scale. Of more ranks than pixels, blocks are drawn.

import type { Pack } from "../data";
import { choice, el, sized } from "../dom";
import { show, showCount } from "../format";
import { colour, onThemeChange, ramp } from "../theme";
import type { MatrixPart } from "./part";

const WIDEST = 560;
const LEFT = 64;
const TOP = 26;

interface View {
  name: string;
  size: number;
  labels: string[];
  /** Ranks in a row or column of cells. */
  block: number;
  cells: Map<number, { value: number; count: number }>;
}

export function drawMatrix(part: MatrixPart, pack: Pack, into: HTMLElement): void {
  const views = part.views.map((view) => read(view, pack));
  let view = views[0]!;
  const canvas = el("canvas", { tabindex: 0, role: "img" });
  const said = el("p", { class: "readout", "aria-live": "polite" });
  const draw = (): void => paint(part, view, canvas);
  const point = (x: number, y: number): void => {
    said.textContent = describe(part, view, cellAt(view, y - TOP), cellAt(view, x - LEFT));
  };
  canvas.addEventListener("mousemove", (event) => point(event.offsetX, event.offsetY));
  canvas.addEventListener("mouseleave", () => (said.textContent = summary(part, view)));
  let at: [number, number] = [0, 0];
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!step) return;
    event.preventDefault();
    const last = cells(view) - 1;
    at = [0, 1].map((i) => Math.min(last, Math.max(0, at[i]! + step[i]!))) as [number, number];
    said.textContent = describe(part, view, at[0], at[1]);
  });
  const show = (index: number): void => {
    view = views[index]!;
    said.textContent = summary(part, view);
    canvas.setAttribute("aria-label", `${part.title} ${summary(part, view)} Arrow keys read cells.`);
    draw();
  };
  if (views.length > 1) into.append(el("div", { class: "tools" }, choice("between", views.map((one) => one.name), show)));
  into.append(canvas, scaleOf(), said);
  show(0);
  onThemeChange(draw);
}

function read(view: MatrixPart["views"][number], pack: Pack): View {
  const block = Math.ceil(view.size / WIDEST);
  const across = Math.ceil(view.size / block);
  const [from, to, value, count] = [view.from, view.to, view.value, view.count].map((column) => pack.column(column));
  const cells = new Map<number, { value: number; count: number }>();
  for (let i = 0; i < from!.length; ++i) {
    const key = Math.floor(from![i]! / block) * across + Math.floor(to![i]! / block);
    const cell = cells.get(key);
    if (cell) {
      cell.value += value![i]!;
      cell.count += count![i]!;
    } else {
      cells.set(key, { value: value![i]!, count: count![i]! });
    }
  }
  return { name: view.name, size: view.size, labels: view.labels, block, cells };
}

function cells(view: View): number {
  return Math.ceil(view.size / view.block);
}

function pixels(view: View): number {
  return Math.max(1, Math.min(28, Math.floor(WIDEST / cells(view))));
}

function cellAt(view: View, offset: number): number {
  return Math.floor(offset / pixels(view));
}

function label(view: View, cell: number): string {
  const first = cell * view.block;
  const last = Math.min(view.size, first + view.block) - 1;
  return first === last ? view.labels[first]! : `${view.labels[first]} to ${view.labels[last]}`;
}

function describe(part: MatrixPart, view: View, row: number, column: number): string {
  const across = cells(view);
  if (row < 0 || column < 0 || row >= across || column >= across) return summary(part, view);
  const cell = view.cells.get(row * across + column);
  const said = cell ? `${show(cell.value, part.unit)} in ${showCount(cell.count)} messages` : "nothing";
  return `${label(view, row)} to ${label(view, column)}: ${said}`;
}

function summary(part: MatrixPart, view: View): string {
  let value = 0;
  let count = 0;
  for (const cell of view.cells.values()) {
    value += cell.value;
    count += cell.count;
  }
  return `In all ${show(value, part.unit)} in ${showCount(count)} messages.`;
}

/** 0 for the smallest cell, 1 for the largest, by orders of magnitude. */
function shares(view: View): (value: number) => number {
  const values = [...view.cells.values()].map((cell) => cell.value).filter((value) => value > 0);
  const low = values.reduce((a, b) => Math.min(a, b), Infinity);
  const high = values.reduce((a, b) => Math.max(a, b), 0);
  return (value) => (value <= 0 ? 0.08 : high === low ? 1 : 0.15 + (0.85 * Math.log(value / low)) / Math.log(high / low));
}

function paint(part: MatrixPart, view: View, canvas: HTMLCanvasElement): void {
  const across = cells(view);
  const size = pixels(view);
  const extent = across * size;
  const context = sized(canvas, LEFT + extent + 8, TOP + extent + 22);
  context.fillStyle = colour("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.fillStyle = colour("--panel");
  context.fillRect(LEFT, TOP, extent, extent);
  const share = shares(view);
  for (const [key, cell] of view.cells) {
    context.fillStyle = ramp(share(cell.value));
    context.fillRect(LEFT + (key % across) * size, TOP + Math.floor(key / across) * size, size - (size > 6 ? 1 : 0), size - (size > 6 ? 1 : 0));
  }
  context.strokeStyle = colour("--line");
  context.strokeRect(LEFT - 0.5, TOP - 0.5, extent + 1, extent + 1);
  context.fillStyle = colour("--quiet");
  context.font = "11px system-ui, sans-serif";
  const step = Math.max(1, Math.ceil(40 / size));
  for (let i = 0; i < across; i += step) {
    const text = shorter(view.labels[i * view.block]!);
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText(text, LEFT - 5, TOP + (i + 0.5) * size, LEFT - 18);
    context.textAlign = "center";
    context.textBaseline = "bottom";
    context.fillText(text, LEFT + (i + 0.5) * size, TOP - 3, step * size - 4);
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  context.fillText(part.to, LEFT + extent / 2, TOP + extent + 6);
  context.save();
  context.translate(10, TOP + extent / 2);
  context.rotate(-Math.PI / 2);
  context.fillText(part.from, 0, -5);
  context.restore();
}

function shorter(text: string): string {
  return text.replace(/^(rank|node) /, "");
}

function scaleOf(): HTMLElement {
  return el("div", { class: "ramp" }, el("span", {}, "little"), el("span", { class: "ramp-bar" }), el("span", {}, "much"));
}
