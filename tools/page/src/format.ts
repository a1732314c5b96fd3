// SPDX-License-Identifier: BSD-3-Clause
// Numbers as people read them; as orrery/units.py has them.

const TIME_UNITS: [number, string][] = [
  [1e9, "s"],
  [1e6, "ms"],
  [1e3, "µs"],
  [1, "ns"],
];

/** Nanoseconds in the unit that suits them, with four digits. */
export function showTime(ns: number): string {
  if (ns === 0) return "0 s";
  const [factor, unit] = TIME_UNITS.find(([factor]) => Math.abs(ns) >= factor) ?? TIME_UNITS[3]!;
  return `${digits(ns / factor, 4)} ${unit}`;
}

/** A place on the axis of time: as many digits as tell it from one `step_ns` away. */
export function showMoment(ns: number, step_ns: number): string {
  const [factor, unit] = TIME_UNITS.find(([factor]) => Math.abs(ns) >= factor) ?? TIME_UNITS[3]!;
  const places = Math.max(0, Math.ceil(-Math.log10(step_ns / factor) - 1e-9));
  return `${(ns / factor).toFixed(Math.min(places, 12))} ${unit}`;
}

export function showBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
  let unit = 0;
  while (Math.abs(bytes) >= 1024 && unit + 1 < units.length) {
    bytes /= 1024;
    ++unit;
  }
  return `${unit === 0 ? Math.round(bytes) : digits(bytes, 3)} ${units[unit]}`;
}

export function showCount(count: number): string {
  return count.toLocaleString("en-US");
}

export function showShare(share: number): string {
  if (share !== 0 && Math.abs(share) < 1e-4) return `${share < 0 ? ">" : "<"} ${share < 0 ? "−" : ""}0.01 %`;
  return `${digits(100 * share, 3)} %`;
}

function digits(value: number, most: number): string {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const before = Math.floor(Math.log10(Math.abs(value))) + 1;
  return before >= most ? Math.round(value).toLocaleString("en-US") : value.toFixed(Math.min(most - before, 12));
}

export type Unit = "text" | "ns" | "s" | "bytes" | "count" | "share" | "number" | "bytes/s";

/** A value of a table or a plot in its unit. */
export function show(value: unknown, unit: Unit): string {
  if (value === null || value === undefined) return "";
  if (typeof value !== "number") return String(value);
  switch (unit) {
    case "ns":
      return showTime(value);
    case "s":
      return showTime(value * 1e9);
    case "bytes":
      return showBytes(value);
    case "bytes/s":
      return `${showBytes(value)}/s`;
    case "share":
      return showShare(value);
    case "count":
      return showCount(value);
    default:
      return digits(value, 4);
  }
}

/** A value beside an axis: without zeros that say nothing. */
export function showTick(value: number, unit: Unit): string {
  return show(value, unit).replace(/\.(\d*?)0+(?=\D|$)/, (_, digits: string) => (digits ? `.${digits}` : ""));
}
