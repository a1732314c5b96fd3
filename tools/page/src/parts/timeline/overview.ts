// SPDX-License-Identifier: BSD-3-Clause
// The whole run in a strip: how many ranks were in which state. A frame marks the window; dragging moves or draws it.

import { el, sized } from "../../dom";
import { LEFT, type Palette, type Window } from "./draw";
import { type Model, STATES } from "./model";

const HEIGHT = 46;

export class Overview {
  readonly canvas = el("canvas", { class: "overview", "aria-hidden": "true" });
  private picture: OffscreenCanvas | undefined;
  private drawnFor = "";

  constructor(
    private readonly model: Model,
    private readonly onWindow: (begin_ns: number, end_ns: number) => void,
  ) {
    let from: number | undefined;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      from = this.timeAt(event.offsetX);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (from === undefined) return;
      const to = this.timeAt(event.offsetX);
      if (Math.abs(to - from) > 0.004 * this.model.end_ns) this.onWindow(Math.min(from, to), Math.max(from, to));
    });
    this.canvas.addEventListener("pointerup", () => (from = undefined));
  }

  private timeAt(x: number): number {
    const share = (x - LEFT) / (this.canvas.clientWidth - LEFT);
    return Math.min(1, Math.max(0, share)) * this.model.end_ns;
  }

  draw(width: number, window: Window, colours: Palette): void {
    const context = sized(this.canvas, width, HEIGHT);
    const key = `${width} ${colours.stateNames.join()}`;
    if (this.drawnFor !== key) {
      this.picture = this.render(Math.max(1, Math.floor(width - LEFT)), colours);
      this.drawnFor = key;
    }
    context.fillStyle = `rgb(${colours.paper.join(" ")})`;
    context.fillRect(0, 0, width, HEIGHT);
    context.drawImage(this.picture!, LEFT, 0);
    const x = LEFT + (window.begin_ns / this.model.end_ns) * (width - LEFT);
    const right = LEFT + (window.end_ns / this.model.end_ns) * (width - LEFT);
    context.fillStyle = `rgb(${colours.paper.join(" ")} / 0.6)`;
    context.fillRect(LEFT, 0, x - LEFT, HEIGHT);
    context.fillRect(right, 0, width - right, HEIGHT);
    context.strokeStyle = colours.ink;
    context.strokeRect(Math.round(x) + 0.5, 0.5, Math.max(2, Math.round(right - x) - 1), HEIGHT - 1);
    context.fillStyle = colours.quiet;
    context.font = "11px system-ui, sans-serif";
    context.textAlign = "right";
    context.textBaseline = "middle";
    context.fillText("whole run", LEFT - 6, HEIGHT / 2);
  }

  private render(across: number, colours: Palette): OffscreenCanvas {
    const { model } = this;
    const level = model.levelFor(model.end_ns / across);
    const picture = new OffscreenCanvas(across, HEIGHT);
    const context = picture.getContext("2d")!;
    context.fillStyle = `rgb(${colours.paper.join(" ")})`;
    context.fillRect(0, 0, across, HEIGHT);
    const shares = new Float64Array(level.buckets * STATES.length);
    for (let rank = 0; rank < model.ranks; ++rank)
      for (let bucket = 0; bucket < level.buckets; ++bucket) {
        let cell = level.cells[rank * level.buckets + bucket]!;
        for (let state = 0; cell !== 0; ++state, cell >>>= 4) shares[bucket * STATES.length + state]! += cell & 15;
      }
    const whole = 15 * model.ranks;
    for (let x = 0; x < across; ++x) {
      const bucket = Math.min(level.buckets - 1, Math.floor((((x + 0.5) / across) * model.end_ns) / level.bucket_ns));
      let y = HEIGHT;
      for (let state = STATES.length - 1; state >= 0; --state) {
        const height = (HEIGHT * shares[bucket * STATES.length + state]!) / whole;
        context.fillStyle = colours.stateNames[state]!;
        context.fillRect(x, y - height, 1, height);
        y -= height;
      }
    }
    return picture;
  }
}
