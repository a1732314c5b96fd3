// SPDX-License-Identifier: BSD-3-Clause
// Colours, which page.css declares for light and dark; canvases need them as numbers.

export type Rgb = [number, number, number];

/** The value of a colour that the style sheet declares, such as "--ink". */
export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function rgb(name: string): Rgb {
  const hex = colour(name).replace("#", "");
  const full = hex.length === 3 ? [...hex].map((digit) => digit + digit).join("") : hex;
  return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16)) as Rgb;
}

/** Calls back when the system changes between light and dark. */
export function onThemeChange(redraw: () => void): void {
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
}

/** A scale of colours for magnitudes: from the background to a strong colour, `share` from 0 to 1. */
export function ramp(share: number): string {
  const [low, middle, high] = [rgb("--ramp-low"), rgb("--ramp-middle"), rgb("--ramp-high")];
  const [from, to, part] = share < 0.5 ? [low, middle, 2 * share] : [middle, high, 2 * share - 1];
  const mixed = from.map((value, i) => Math.round(value + (to[i]! - value) * part));
  return `rgb(${mixed.join(" ")})`;
}
