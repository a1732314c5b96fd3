// SPDX-License-Identifier: BSD-3-Clause
// The timeline: ranks by time, from the whole run down to a single message.

import { select } from "d3-selection";
import { zoom, zoomIdentity, type D3ZoomEvent, type ZoomTransform } from "d3-zoom";
import type { Pack } from "../../data";
import { choice, el, sized, toggle } from "../../dom";
import { showBytes, showCount, showShare, showTime } from "../../format";
import { onThemeChange } from "../../theme";
import { legend } from "../bars";
import { SPAN, type Span, type TimelinePart } from "../part";
import { describeCall, hostOf } from "./details";
import { AXIS, LEFT, paint, palette, type Scene, yOf } from "./draw";
import { Model, STATE_NAMES, STATES } from "./model";
import { Overview } from "./overview";
import { nameOf, ORDERS, rowsOf } from "./rows";
import { HELP, matches, parse } from "./search";

const TALLEST = 560;
const TALLEST_ROW = 22;
/** The narrowest window. */
const LEAST_NS = 50;

export function drawTimeline(part: TimelinePart, pack: Pack, into: HTMLElement): void {
  new Timeline(new Model(part, pack), into);
}

class Timeline {
  private readonly canvas = el("canvas", { tabindex: 0, role: "application" });
  private readonly tip = el("div", { class: "tip", role: "tooltip" });
  private readonly side = el("div");
  private readonly said = el("p", { class: "readout", "aria-live": "polite" });
  private readonly overview: Overview;
  private readonly scene: Scene;
  private readonly zoom = zoom<HTMLCanvasElement, unknown>();
  private context: CanvasRenderingContext2D | undefined;
  private colours = palette();
  private order = 0;
  private byNode = false;
  private results: Uint32Array = new Uint32Array();
  private result = -1;
  private waitsForFrame = false;

  constructor(
    private readonly model: Model,
    into: HTMLElement,
  ) {
    const rows = rowsOf(model, 0, false);
    const height = AXIS + Math.min(TALLEST, Math.max(90, model.ranks * TALLEST_ROW));
    this.scene = {
      model,
      rows,
      window: { begin_ns: 0, end_ns: model.end_ns, firstRow: 0, rowHeight: 1 },
      width: 900,
      height,
      showMessages: true,
      showPath: true,
      found: undefined,
      chosen: -1,
      chosenMessages: [],
    };
    this.overview = new Overview(model, (begin, end) => this.goTo(begin, end));
    this.canvas.setAttribute(
      "aria-label",
      `Timeline of ${model.ranks} ranks. Arrow keys move in time and between ranks, plus and minus zoom, N and P go to the next and previous call, Enter zooms to the chosen call, 0 shows the whole run.`,
    );
    const states = STATES.map((state, i) => ({ name: STATE_NAMES[i]!, colour: `--state-${state}`, used: this.isUsed(i) }));
    into.append(
      this.tools(),
      legend([
        ...states.filter((state) => state.used),
        { name: "critical path", colour: "--path" },
        { name: "message", colour: "--message" },
      ]),
      this.overview.canvas,
      el("div", { class: "stage" }, this.canvas, this.tip),
      this.said,
      this.side,
    );
    this.fitRows();
    this.listen();
    new ResizeObserver(() => this.resize()).observe(into);
    this.resize();
    onThemeChange(() => {
      this.colours = palette();
      this.draw();
    });
  }

  private isUsed(state: number): boolean {
    const level = this.model.levels[this.model.levels.length - 1]!;
    return level.cells.some((cell) => ((cell >>> (4 * state)) & 15) > 0) || this.model.state.includes(state);
  }

  // ---- what the user can press

  private tools(): HTMLElement {
    const search = el("input", { type: "search", placeholder: "search calls: allreduce >2ms", title: HELP, "aria-label": "search calls" });
    search.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.step(event.shiftKey ? -1 : 1);
      if (event.key === "Escape") ((search.value = ""), this.search(""));
    });
    search.addEventListener("input", () => this.search(search.value));
    this.searchBox = search;
    const button = (text: string, title: string, act: () => void): HTMLElement =>
      el("button", { type: "button", title, "aria-label": title, onclick: act }, text);
    const orders = this.model.part.hosts.length > 0 ? ORDERS : ORDERS.filter((order) => order !== "node");
    return el(
      "div",
      { class: "tools" },
      el(
        "span",
        { class: "group" },
        button("+", "zoom in (+)", () => this.scale(2)),
        button("−", "zoom out (−)", () => this.scale(0.5)),
        button("whole run", "show the whole run (0)", () => this.goTo(0, this.model.end_ns)),
        button("taller", "taller rows", () => this.stretch(1.6)),
        button("flatter", "flatter rows", () => this.stretch(1 / 1.6)),
      ),
      choice("sort by", orders, (index) => this.arrange(ORDERS.indexOf(orders[index]!), this.byNode)),
      ...(this.model.part.hosts.length > 0 ? [toggle("a row for each node", false, (on) => this.arrange(this.order, on))] : []),
      toggle("messages", true, (on) => this.change({ showMessages: on })),
      toggle("critical path", true, (on) => this.change({ showPath: on })),
      el("span", { class: "group" }, search, button("‹", "previous match (Shift+Enter)", () => this.step(-1)), button("›", "next match (Enter)", () => this.step(1))),
    );
  }

  private searchBox: HTMLInputElement | undefined;

  private listen(): void {
    const { canvas } = this;
    this.zoom
      .scaleExtent([1, Math.max(1, this.model.end_ns / LEAST_NS)])
      .filter((event: MouseEvent | WheelEvent) => (event.type === "wheel" ? event.ctrlKey || event.metaKey : event.button === 0))
      .wheelDelta((event) => -event.deltaY * (event.deltaMode === 1 ? 0.05 : 0.004))
      .on("zoom", (event: D3ZoomEvent<HTMLCanvasElement, unknown>) => this.zoomed(event.transform, event.sourceEvent));
    select(canvas).call(this.zoom).on("dblclick.zoom", null);
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("pointermove", (event) => this.hover(event.offsetX, event.offsetY));
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("click", (event) => this.choose(this.callUnder(event.offsetX, event.offsetY)));
    canvas.addEventListener("dblclick", () => this.zoomToChosen());
    canvas.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener(SPAN, (event) => {
      const { rank, begin_ns, end_ns } = (event as CustomEvent<Span>).detail;
      this.showSpan(rank, begin_ns, end_ns);
    });
  }

  private key(event: KeyboardEvent): void {
    const span = this.scene.window.end_ns - this.scene.window.begin_ns;
    const pan = (share: number): void => this.goTo(this.scene.window.begin_ns + share * span, this.scene.window.end_ns + share * span);
    const acts: Record<string, () => void> = {
      ArrowLeft: () => pan(-0.2),
      ArrowRight: () => pan(0.2),
      ArrowUp: () => this.moveRow(-1),
      ArrowDown: () => this.moveRow(1),
      "+": () => this.scale(2),
      "=": () => this.scale(2),
      "-": () => this.scale(0.5),
      "0": () => this.goTo(0, this.model.end_ns),
      Home: () => this.goTo(0, this.model.end_ns),
      n: () => this.moveCall(1),
      p: () => this.moveCall(-1),
      Enter: () => this.zoomToChosen(),
      "/": () => this.searchBox?.focus(),
      Escape: () => this.choose(-1),
    };
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  // ---- the window

  private zoomed(transform: ZoomTransform, source: Event | null): void {
    const { window, width } = this.scene;
    const begin = (((LEFT - transform.x) / transform.k - LEFT) / (width - LEFT)) * this.model.end_ns;
    window.begin_ns = Math.max(0, begin);
    window.end_ns = window.begin_ns + this.model.end_ns / transform.k;
    if (source instanceof MouseEvent && source.type === "mousemove") this.scroll(-source.movementY);
    this.tip.hidden = true;
    this.draw();
  }

  /** Shows a span of time; d3-zoom keeps it, so that the mouse goes on from there. */
  private goTo(begin_ns: number, end_ns: number): void {
    const whole = this.model.end_ns;
    const span = Math.min(whole, Math.max(LEAST_NS, end_ns - begin_ns));
    const begin = Math.min(whole - span, Math.max(0, begin_ns));
    const k = whole / span;
    const x = LEFT - k * (LEFT + (begin / whole) * (this.scene.width - LEFT));
    select(this.canvas).call(this.zoom.transform, zoomIdentity.translate(x, 0).scale(k));
  }

  private scale(factor: number): void {
    const { begin_ns, end_ns } = this.scene.window;
    const middle = this.scene.chosen >= 0 ? this.model.begin[this.scene.chosen]! : (begin_ns + end_ns) / 2;
    const around = middle > begin_ns && middle < end_ns ? middle : (begin_ns + end_ns) / 2;
    this.goTo(around - (around - begin_ns) / factor, around + (end_ns - around) / factor);
  }

  private wheel(event: WheelEvent): void {
    if (event.ctrlKey || event.metaKey) return;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      event.preventDefault();
      const { begin_ns, end_ns } = this.scene.window;
      const shift = ((event.deltaX || event.deltaY) / (this.scene.width - LEFT)) * (end_ns - begin_ns);
      this.goTo(begin_ns + shift, end_ns + shift);
    } else if (this.scroll(event.deltaY)) {
      event.preventDefault(); // at the last row the page goes on scrolling
      this.draw();
    }
  }

  /** Moves rows by pixels. False: they are at their end. */
  private scroll(pixels: number): boolean {
    const { window, rows, height } = this.scene;
    const most = Math.max(0, rows.ranks.length - (height - AXIS) / window.rowHeight);
    const before = window.firstRow;
    window.firstRow = Math.min(most, Math.max(0, before + pixels / window.rowHeight));
    return window.firstRow !== before;
  }

  private fitRows(): void {
    const { scene } = this;
    scene.window.firstRow = 0;
    scene.window.rowHeight = Math.min(TALLEST_ROW, (scene.height - AXIS) / scene.rows.ranks.length);
  }

  private stretch(factor: number): void {
    const { window, height, rows } = this.scene;
    const least = Math.min(TALLEST_ROW, (height - AXIS) / rows.ranks.length);
    const middle = window.firstRow + (height - AXIS) / 2 / window.rowHeight;
    window.rowHeight = Math.min(40, Math.max(least, window.rowHeight * factor));
    window.firstRow = middle - (height - AXIS) / 2 / window.rowHeight;
    this.scroll(0);
    this.draw();
  }

  private arrange(order: number, byNode: boolean): void {
    [this.order, this.byNode] = [order, byNode];
    this.scene.rows = rowsOf(this.model, order, byNode);
    this.fitRows();
    this.draw();
  }

  private change(what: Partial<Scene>): void {
    Object.assign(this.scene, what);
    this.draw();
  }

  // ---- calls

  private rankUnder(y: number): number {
    const { window, rows } = this.scene;
    const row = Math.floor(window.firstRow + (y - AXIS) / window.rowHeight);
    return y >= AXIS && row >= 0 && row < rows.ranks.length ? rows.ranks[row]![0]! : -1;
  }

  private timeUnder(x: number): number {
    const { window, width } = this.scene;
    return window.begin_ns + ((x - LEFT) / (width - LEFT)) * (window.end_ns - window.begin_ns);
  }

  private callUnder(x: number, y: number): number {
    const rank = this.rankUnder(y);
    if (rank < 0 || x < LEFT) return -1;
    const ns = this.timeUnder(x);
    const inside = this.model.callAt(rank, ns);
    if (inside >= 0) return inside;
    const slack = 3 * (this.timeUnder(1) - this.timeUnder(0));
    const near = this.model.callAfter(rank, ns - slack);
    return near < this.model.calls[rank + 1]! && this.model.begin[near]! <= ns + slack ? near : -1;
  }

  private choose(call: number): void {
    const { model } = this;
    const messages = call < 0 ? { sent: [], received: [] } : model.messagesOf(call);
    this.change({ chosen: call, chosenMessages: [...messages.sent, ...messages.received] });
    this.side.replaceChildren(...(call < 0 ? [] : [describeCall(model, call, (other) => this.show(other))]));
  }

  /** Chooses a call and moves so that it is seen. */
  private show(call: number): void {
    const { window, height, rows } = this.scene;
    const row = rows.rowOf[this.model.rank[call]!]!;
    const y = yOf(this.scene, row);
    if (y < AXIS || y + window.rowHeight > height) {
      window.firstRow = row - (height - AXIS) / 2 / window.rowHeight;
      this.scroll(0);
    }
    const [begin, end] = [this.model.begin[call]!, this.model.end[call]!];
    if (begin < window.begin_ns || end > window.end_ns) {
      const span = Math.max(window.end_ns - window.begin_ns, 2 * (end - begin));
      this.goTo((begin + end - span) / 2, (begin + end + span) / 2);
    }
    this.choose(call);
  }

  /** A span of time and a rank: of a wait in the table below, for instance. */
  private showSpan(rank: number, begin_ns: number, end_ns: number): void {
    const margin = Math.max(2 * (end_ns - begin_ns), 20 * LEAST_NS);
    this.goTo(begin_ns - margin, end_ns + margin);
    const call = this.model.callAt(rank, begin_ns);
    if (call >= 0) this.show(call);
    this.canvas.scrollIntoView({ block: "nearest" });
  }

  private zoomToChosen(): void {
    const { chosen } = this.scene;
    if (chosen < 0) return;
    const length = this.model.end[chosen]! - this.model.begin[chosen]!;
    this.goTo(this.model.begin[chosen]! - Math.max(length, LEAST_NS), this.model.end[chosen]! + Math.max(length, LEAST_NS));
  }

  private moveCall(step: number): void {
    const { chosen } = this.scene;
    const rank = chosen >= 0 ? this.model.rank[chosen]! : this.scene.rows.ranks[Math.floor(this.scene.window.firstRow)]![0]!;
    const [first, last] = [this.model.calls[rank]!, this.model.calls[rank + 1]! - 1];
    const next = chosen >= 0 ? chosen + step : this.model.callAfter(rank, this.scene.window.begin_ns);
    if (next >= first && next <= last) this.show(next);
  }

  private moveRow(step: number): void {
    const { chosen, rows, window } = this.scene;
    if (chosen < 0) {
      if (this.scroll(step * window.rowHeight)) this.draw();
      return;
    }
    const row = rows.rowOf[this.model.rank[chosen]!]! + step;
    if (row < 0 || row >= rows.ranks.length) return;
    const rank = rows.ranks[row]![0]!;
    const call = Math.min(this.model.callAfter(rank, this.model.begin[chosen]!), this.model.calls[rank + 1]! - 1);
    if (call >= this.model.calls[rank]!) this.show(call);
  }

  // ---- search

  private search(query: string): void {
    const tests = parse(query);
    this.result = -1;
    if (typeof tests === "string" || tests.length === 0) {
      this.results = new Uint32Array();
      this.said.textContent = typeof tests === "string" ? tests : "";
      this.change({ found: undefined });
      return;
    }
    this.results = matches(this.model, tests);
    const kept = this.model.part.complete ? "" : ` of ${showCount(this.model.begin.length)} calls that the page has`;
    this.change({ found: new Set(this.results) });
    this.said.textContent = `${showCount(this.results.length)} calls match${kept}`;
  }

  private step(by: number): void {
    if (this.results.length === 0) return;
    this.result = (this.result + by + this.results.length) % this.results.length;
    this.show(this.results[this.result]!);
    this.said.textContent = `match ${showCount(this.result + 1)} of ${showCount(this.results.length)}`;
  }

  // ---- drawing

  private hover(x: number, y: number): void {
    const rank = this.rankUnder(y);
    this.tip.hidden = rank < 0 || x < LEFT;
    if (this.tip.hidden) return;
    this.tip.textContent = this.tipText(x, y, rank);
    const right = x > this.scene.width / 2;
    this.tip.style.left = right ? "auto" : `${x + 14}px`;
    this.tip.style.right = right ? `${this.scene.width - x + 14}px` : "auto";
    this.tip.style.top = `${y + 14}px`;
  }

  private tipText(x: number, y: number, rank: number): string {
    const { model } = this;
    const row = this.scene.rows.ranks[this.scene.rows.rowOf[rank]!]!;
    const who = row.length === 1 ? `rank ${nameOf(model, rank)}${hostOf(model, rank)}` : `${row.length} ranks${hostOf(model, rank)}`;
    const when = showTime(this.timeUnder(x));
    const call = row.length === 1 ? this.callUnder(x, y) : -1;
    if (call >= 0) {
      const algorithm = model.algorithmName(call);
      const how = algorithm ? `, ${algorithm}` : "";
      return `${who}, ${when}\n${model.routineName(call)}${how}\n${showBytes(model.bytes[call]!)}, takes ${showTime(model.end[call]! - model.begin[call]!)}`;
    }
    return `${who}, ${when}\n${this.mixture(row, this.timeUnder(x))}`;
  }

  private mixture(ranks: Uint32Array, ns: number): string {
    const { window, width } = this.scene;
    const level = this.model.levelFor((window.end_ns - window.begin_ns) / (width - LEFT));
    const bucket = Math.min(level.buckets - 1, Math.floor(ns / level.bucket_ns));
    const shares = STATES.map(() => 0);
    for (const rank of ranks)
      for (let state = 0; state < STATES.length; ++state)
        shares[state]! += (level.cells[rank * level.buckets + bucket]! >>> (4 * state)) & 15;
    const said = shares.map((share, state) => ({ share: share / 15 / ranks.length, name: STATE_NAMES[state]! })).filter((one) => one.share > 0);
    said.sort((a, b) => b.share - a.share);
    return said.map((one) => `${one.name} ${showShare(one.share)}`).join("\n") || "not in its run";
  }

  private resize(): void {
    const width = Math.max(320, this.canvas.parentElement!.clientWidth);
    this.scene.width = width;
    this.context = sized(this.canvas, width, this.scene.height);
    const { height } = this.scene;
    this.zoom.extent([[LEFT, 0], [width, height]]).translateExtent([[LEFT, -Infinity], [width, Infinity]]); // prettier-ignore
    this.goTo(this.scene.window.begin_ns, this.scene.window.end_ns);
  }

  /** At the next frame, once for all that changed. */
  private draw(): void {
    if (this.waitsForFrame) return;
    this.waitsForFrame = true;
    requestAnimationFrame(() => {
      this.waitsForFrame = false;
      const note = paint(this.context!, this.scene, this.colours);
      this.overview.draw(this.scene.width, this.scene.window, this.colours);
      this.canvas.dataset["window"] = `${Math.round(this.scene.window.begin_ns)} ${Math.round(this.scene.window.end_ns)}`;
      if (note || this.results.length === 0) this.said.textContent = note;
    });
  }
}
