// SPDX-License-Identifier: BSD-3-Clause
// Draws the parts of a page. The header is there without this script.

import "./language";
import { type Pack, unpack } from "./data";
import { el } from "./dom";
import { drawBars } from "./parts/bars";
import { drawFabric } from "./parts/fabric";
import { drawMatrix } from "./parts/matrix";
import type { Part } from "./parts/part";
import { drawPlot } from "./parts/plot";
import { drawStrips } from "./parts/strips";
import { drawTable } from "./parts/table";
import { drawTimeline } from "./parts/timeline";

function draw(part: Part, pack: Pack, into: HTMLElement): void {
  switch (part.kind) {
    case "timeline":
      return drawTimeline(part, pack, into);
    case "table":
      return drawTable(part, into);
    case "bars":
      return drawBars(part, into);
    case "matrix":
      return drawMatrix(part, pack, into);
    case "plot":
      return drawPlot(part, pack, into);
    case "strips":
      return drawStrips(part, into);
    case "fabric":
      return drawFabric(part, pack, into);
  }
}

function section(part: Part, number: number): HTMLElement {
  const note = part.note ? [el("p", { class: "note" }, part.note)] : [];
  return el("section", { id: `part-${number}`, class: `part-${part.kind}` }, el("h2", {}, part.title), ...note);
}

function contents(parts: Part[]): HTMLElement {
  const links = parts.map((part, i) => el("a", { href: `#part-${i}` }, part.title));
  return el("nav", { "aria-label": "contents" }, ...links);
}

async function start(): Promise<void> {
  const main = document.querySelector("main")!;
  const pack = await unpack(document.getElementById("data")!);
  const { parts } = pack.document;
  const sections = parts.map(section);
  if (parts.length > 2) main.append(contents(parts));
  main.append(...sections);
  parts.forEach((part, i) => {
    try {
      draw(part, pack, sections[i]!);
    } catch (error) {
      sections[i]!.append(el("p", { class: "failure" }, `This part cannot be drawn: ${error}`));
      document.documentElement.dataset["failed"] = String(error);
    }
  });
  requestAnimationFrame(() => (document.documentElement.dataset["ready"] = String(Math.round(performance.now()))));
}

start().catch((error: unknown) => {
  document.documentElement.dataset["failed"] = String(error);
  document.querySelector("main")!.append(el("p", { class: "failure" }, `This page cannot be drawn: ${error}. It needs a browser of 2023 or later.`));
});
