// SPDX-License-Identifier: BSD-3-Clause
// Tables that sort by a click on a column's name.

import { el } from "../dom";
import { show } from "../format";
import { SPAN, type Span, type TablePart } from "./part";

export function drawTable(part: TablePart, into: HTMLElement): void {
  let order = part.rows.map((_, i) => i);
  let sortedBy = -1;
  let descending = true;
  let all = false;
  const body = el("tbody");
  const more = el("button", { type: "button", class: "more", onclick: () => ((all = true), fill()) });
  const largest = part.bar === undefined ? 0 : Math.max(...part.rows.map((row) => Number(row[part.bar!]) || 0), 0);

  const cell = (value: unknown, column: number): HTMLTableCellElement => {
    const { unit } = part.columns[column]!;
    const one = el("td", unit === "text" ? { class: "text" } : {}, show(value, unit));
    if (column === part.bar && largest > 0 && typeof value === "number") {
      one.classList.add("bar");
      one.style.setProperty("--share", `${(100 * value) / largest}%`);
    }
    return one;
  };
  const fill = (): void => {
    const shown = all ? order : order.slice(0, part.most);
    body.replaceChildren(
      ...shown.map((row) =>
        el("tr", {}, ...part.rows[row]!.map((value, column) => cell(value, column)), ...(part.spans ? [link(part.spans[row]!)] : [])),
      ),
    );
    more.textContent = `show all ${part.rows.length.toLocaleString("en-US")} rows`;
    more.hidden = shown.length === part.rows.length;
  };
  const sort = (column: number): void => {
    descending = sortedBy === column ? !descending : part.columns[column]!.unit !== "text";
    sortedBy = column;
    order = part.rows.map((_, i) => i).sort((a, b) => compare(part.rows[a]![column], part.rows[b]![column]) || a - b);
    if (descending) order.reverse();
    heads.forEach((head, i) => {
      if (i === column) head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      else head.removeAttribute("aria-sort");
    });
    fill();
  };
  const heads = part.columns.map((column, i) =>
    el(
      "th",
      { scope: "col", ...(column.unit === "text" ? { class: "text" } : {}), ...(column.help ? { title: column.help } : {}) },
      el("button", { type: "button", onclick: () => sort(i) }, column.name),
    ),
  );
  if (part.spans) heads.push(el("th", {}, ""));
  fill();
  into.append(el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, ...heads)), body)), more);
}

function link(span: Span): HTMLTableCellElement {
  const show = (): boolean => document.dispatchEvent(new CustomEvent(SPAN, { detail: span }));
  return el("td", {}, el("button", { type: "button", class: "link", onclick: () => void show() }, "show"));
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a === "number") return 1; // numbers before nothing, when the largest come first
  if (typeof b === "number") return -1;
  return String(a ?? "").localeCompare(String(b ?? ""), "en", { numeric: true });
}
