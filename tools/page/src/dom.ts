// SPDX-License-Identifier: BSD-3-Clause

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/** An element with attributes, listeners (`onclick`) and children. */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** A drop-down list of choices with its label. */
export function choice(label: string, values: string[], onChoice: (index: number) => void): HTMLLabelElement {
  const select = el("select", { onchange: () => onChoice(select.selectedIndex) }, ...values.map((v) => el("option", {}, v)));
  return el("label", {}, `${label} `, select);
}

/** A box to tick with its label. */
export function toggle(label: string, on: boolean, onToggle: (on: boolean) => void): HTMLLabelElement {
  const box = el("input", { type: "checkbox", onchange: () => onToggle(box.checked) });
  box.checked = on;
  return el("label", {}, box, ` ${label}`);
}

/** A canvas in device pixels of a size in CSS pixels; drawing is in CSS pixels. */
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d", { alpha: false })!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}
