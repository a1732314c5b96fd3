// SPDX-License-Identifier: BSD-3-Clause
// Some systems name the browser's language by no valid tag (`en-US@posix`), at which uPlot throws as it is loaded. So this is loaded first.

try {
  new Intl.NumberFormat(navigator.language);
} catch {
  Object.defineProperty(navigator, "language", { value: "en-US", configurable: true });
}
