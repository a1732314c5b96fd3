// SPDX-License-Identifier: BSD-3-Clause
// How busy links are, on the drawn topology: in the whole run, or in a bucket of time that a slider chooses.

import type { Numbers, Pack } from "../data";
import { el } from "../dom";
import { showBytes, showShare, showTime } from "../format";
import { onThemeChange, ramp } from "../theme";
import type { FabricPart } from "./part";

const MOST_LINES = 8; // of a tooltip

/** What links carry: `bucket` -1 is the whole run. */
class Loads {
  private readonly whole: Float64Array;

  constructor(
    private readonly part: FabricPart,
    private readonly bytes: Numbers,
  ) {
    this.whole = new Float64Array(part.links.length);
    for (let i = 0; i < bytes.length; ++i) this.whole[Math.floor(i / part.buckets)]! += bytes[i]!;
  }

  sent(link: number, bucket: number): number {
    return bucket < 0 ? this.whole[link]! : this.bytes[link * this.part.buckets + bucket]!;
  }

  /** Begin and end in nanoseconds; the run ends within the last bucket. */
  span(bucket: number): [number, number] {
    if (bucket < 0) return [0, this.part.end_ns];
    return [bucket * this.part.bucket_ns, Math.min((bucket + 1) * this.part.bucket_ns, this.part.end_ns)];
  }

  /** Part of what it could have carried. */
  share(link: number, bucket: number): number {
    const [begin, end] = this.span(bucket);
    const could = (this.part.links[link]!.rate * (end - begin)) / 1e9;
    return could > 0 ? this.sent(link, bucket) / could : 0;
  }

  /** The busiest link. */
  busiest(bucket: number): number {
    let best = 0;
    for (let link = 1; link < this.part.links.length; ++link) if (this.share(link, bucket) > this.share(best, bucket)) best = link;
    return best;
  }
}

/** Something drawn that stands for links. */
class Shape {
  private readonly links: number[];
  private readonly name: string;
  private readonly width: number;
  private readonly title: Element;

  constructor(private readonly shape: SVGElement) {
    this.links = shape.dataset["link"]!.split(" ").map(Number);
    this.width = Number(shape.getAttribute("stroke-width") ?? 1);
    const title = shape.querySelector("title") ?? shape.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "title"));
    this.name = title.textContent ?? "";
    this.title = title;
  }

  /** Shows the busiest of its links; `full` is the load that has the strongest colour. */
  paint(loads: Loads, part: FabricPart, bucket: number, full: number): void {
    const links = this.links.map((link) => ({ link, share: loads.share(link, bucket) })).sort((a, b) => b.share - a.share);
    const share = full > 0 ? Math.min(1, links[0]!.share / full) : 0;
    const colour = share > 0 ? ramp(0.12 + 0.88 * share) : "";
    if (this.shape.tagName === "line" || this.shape.tagName === "path") {
      this.shape.style.stroke = colour;
      this.shape.style.strokeWidth = share > 0 ? String(Math.max(this.width, 1 + 2 * share)) : "";
    } else {
      this.shape.style.fill = colour;
    }
    const lines = links.slice(0, MOST_LINES).map(({ link, share }) => `${part.links[link]!.name}: ${showBytes(loads.sent(link, bucket))}, ${showShare(share)} busy`);
    if (links.length > MOST_LINES) lines.push(`and ${links.length - MOST_LINES} more`);
    this.title.textContent = [...(this.name ? [this.name] : []), ...lines].join("\n");
  }
}

export function drawFabric(part: FabricPart, pack: Pack, into: HTMLElement): void {
  const loads = new Loads(part, pack.column(part.bytes));
  const picture = el("div", { class: "fabric scroll" });
  picture.innerHTML = part.svg;
  const shapes = [...picture.querySelectorAll<SVGElement>("[data-link]")].map((shape) => new Shape(shape));
  const said = el("div", { class: "readout", "aria-live": "polite" });
  const strongest = el("span");
  const peak = peakOf(loads, part);
  let bucket = -1;

  const draw = (): void => {
    const busiest = loads.busiest(bucket);
    const most = part.links.length > 0 ? loads.share(busiest, bucket) : 0;
    const full = bucket < 0 ? most : peak;
    for (const shape of shapes) shape.paint(loads, part, bucket, full);
    const [begin, end] = loads.span(bucket);
    const when = bucket < 0 ? "whole run" : `${showTime(begin)} to ${showTime(end)}`;
    said.textContent = most > 0 ? `${when}: busiest is ${part.links[busiest]!.name}, ${showShare(most)}` : `${when}: no link is used`;
    strongest.textContent = `${showShare(full)} busy`;
  };
  const slider = el("input", {
    type: "range",
    min: -1,
    max: part.buckets - 1,
    value: -1,
    "aria-label": "time; the left end is the whole run",
    oninput: () => {
      bucket = Number(slider.value);
      draw();
    },
  });
  const scale = el("div", { class: "ramp" }, el("span", {}, "little"), el("span", { class: "ramp-bar" }), strongest);
  into.append(el("div", { class: "tools" }, el("label", {}, "time ", slider), scale), said, picture);
  draw();
  onThemeChange(draw);
}

/** The highest load of any link in any bucket, so that colours mean the same at all times. */
function peakOf(loads: Loads, part: FabricPart): number {
  let peak = 0;
  for (let bucket = 0; bucket < part.buckets; ++bucket) peak = Math.max(peak, part.links.length > 0 ? loads.share(loads.busiest(bucket), bucket) : 0);
  return peak;
}
