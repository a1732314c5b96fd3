// SPDX-License-Identifier: BSD-3-Clause
// How busy links are, on the drawn topology: in the whole run, or at a moment that a slider chooses.

import type { Pack } from "../data";
import { el } from "../dom";
import { showBytes, showShare, showTime } from "../format";
import { onThemeChange, ramp } from "../theme";
import type { FabricPart } from "./part";

export function drawFabric(part: FabricPart, pack: Pack, into: HTMLElement): void {
  const bytes = pack.column(part.bytes);
  const picture = el("div", { class: "fabric scroll" });
  picture.innerHTML = part.svg;
  const shapes = [...picture.querySelectorAll<SVGElement>("[data-link]")];
  const said = el("span", { class: "readout", "aria-live": "polite" });
  let bucket = -1; // the whole run

  const sent = (link: number): number => {
    if (bucket >= 0) return bytes[link * part.buckets + bucket]!;
    let sum = 0;
    for (let i = 0; i < part.buckets; ++i) sum += bytes[link * part.buckets + i]!;
    return sum;
  };
  const seconds = (): number => ((bucket < 0 ? part.buckets : 1) * part.bucket_ns) / 1e9;
  const draw = (): void => {
    let busiest = "";
    let most = -1;
    for (const shape of shapes) {
      const links = (shape.dataset["link"] ?? "").split(" ").map(Number);
      let share = 0;
      const lines = links.map((link) => {
        const load = sent(link) / (part.links[link]!.rate * seconds());
        share = Math.max(share, load);
        if (load > most) [most, busiest] = [load, part.links[link]!.name];
        return `${part.links[link]!.name}: ${showBytes(sent(link))}, ${showShare(load)} busy`;
      });
      shape.setAttribute(shape.tagName === "rect" ? "fill" : "stroke", share > 0 ? ramp(0.15 + 0.85 * Math.min(1, share)) : "");
      shape.classList.toggle("idle", share === 0);
      const title = shape.querySelector("title") ?? shape.appendChild(document.createElementNS("http://www.w3.org/2000/svg", "title"));
      title.textContent = lines.join("\n");
    }
    const when = bucket < 0 ? "whole run" : `${showTime(bucket * part.bucket_ns)} to ${showTime((bucket + 1) * part.bucket_ns)}`;
    said.textContent = most > 0 ? `${when}: busiest ${busiest}, ${showShare(most)}` : `${when}: no link is used`;
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
  into.append(el("div", { class: "tools" }, el("label", {}, "time ", slider), said), picture);
  draw();
  onThemeChange(draw);
}
