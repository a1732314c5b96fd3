// SPDX-License-Identifier: BSD-3-Clause
// Which calls match words such as "allreduce bytes>64K >2ms rank=7".

import type { Model } from "./model";

const UNITS: Record<string, number> = { ns: 1, us: 1e3, "µs": 1e3, ms: 1e6, s: 1e9 };
const SIZES: Record<string, number> = { "": 1, b: 1, k: 1024, kib: 1024, m: 1048576, mib: 1048576, g: 1073741824, gib: 1073741824 };

export const HELP =
  "Words of a routine or an algorithm (allreduce, ring); >2ms or <10us: longer or shorter; bytes>64K; rank=7; tag is in the details";

type Test = (model: Model, call: number) => boolean;

/** A test for each word; a sentence about the first one that is not understood. */
export function parse(query: string): Test[] | string {
  const tests: Test[] = [];
  for (const word of query.trim().toLowerCase().split(/\s+/).filter(Boolean)) {
    const test = parseWord(word);
    if (typeof test === "string") return test;
    tests.push(test);
  }
  return tests;
}

function parseWord(word: string): Test | string {
  const time = /^(<|>)([\d.]+)(ns|us|µs|ms|s)$/.exec(word);
  if (time) {
    const limit = Number(time[2]) * UNITS[time[3]!]!;
    const sign = time[1] === ">" ? 1 : -1;
    return (model, call) => sign * (model.end[call]! - model.begin[call]! - limit) > 0;
  }
  const size = /^(?:bytes|size)(<|>|=)([\d.]+)(b|k|kib|m|mib|g|gib)?$/.exec(word);
  if (size) {
    const limit = Number(size[2]) * SIZES[size[3] ?? ""]!;
    if (size[1] === "=") return (model, call) => model.bytes[call] === limit;
    const sign = size[1] === ">" ? 1 : -1;
    return (model, call) => sign * (model.bytes[call]! - limit) > 0;
  }
  const rank = /^rank=?(\d+)$/.exec(word);
  if (rank) return (model, call) => model.rank[call] === Number(rank[1]);
  if (/[<>=]/.test(word)) return `"${word}" is not understood. ${HELP}`;
  return (model, call) =>
    model.routineName(call).toLowerCase().includes(word) || model.algorithmName(call).toLowerCase().includes(word);
}

/** Numbers of the calls that pass all tests, in the order of their begin. */
export function matches(model: Model, tests: Test[]): Uint32Array {
  const found: number[] = [];
  for (let call = 0; call < model.begin.length; ++call) if (tests.every((test) => test(model, call))) found.push(call);
  return Uint32Array.from(found).sort((a, b) => model.begin[a]! - model.begin[b]!);
}
