// SPDX-License-Identifier: BSD-3-Clause
// What is known of a call: beside the timeline, with a way to the other ends of its messages.

import { el } from "../../dom";
import { showBytes, showCount, showTime } from "../../format";
import { type Model, STATE_NAMES } from "./model";
import { nameOf } from "./rows";

const MOST_MESSAGES = 12;

export function describeCall(model: Model, call: number, goTo: (call: number) => void): HTMLElement {
  const { sent, received } = model.messagesOf(call);
  const algorithm = model.algorithmName(call);
  const facts: [string, string][] = [
    ["rank", `${nameOf(model, model.rank[call]!)}${hostOf(model, model.rank[call]!)}`],
    ["begins", showTime(model.begin[call]!)],
    ["takes", showTime(model.end[call]! - model.begin[call]!)],
    ["state", STATE_NAMES[model.state[call]!]!],
    ["size", showBytes(model.bytes[call]!)],
    ["communicator", `${model.comm[call]}`],
  ];
  if (algorithm) facts.push(["algorithm", algorithm]);
  const list = el("dl", {}, ...facts.flatMap(([name, text]) => [el("dt", {}, name), el("dd", {}, text)]));
  return el(
    "div",
    { class: "details", role: "status" },
    el("h4", {}, model.routineName(call)),
    list,
    ...messageList(model, "sends", sent, model.sent.to, model.sent.end, goTo),
    ...messageList(model, "receives", received, model.sent.from, model.sent.begin, goTo),
  );
}

function messageList(
  model: Model,
  what: string,
  messages: number[],
  other: Uint32Array,
  when: Float64Array,
  goTo: (call: number) => void,
): HTMLElement[] {
  if (messages.length === 0) return [];
  const items = messages.slice(0, MOST_MESSAGES).map((message) => {
    const rank = other[message]!;
    const took = showTime(model.sent.end[message]! - model.sent.begin[message]!);
    const text = `${showBytes(model.sent.bytes[message]!)} ${what === "sends" ? "to" : "from"} rank ${nameOf(model, rank)}, tag ${model.sent.tag[message]}, ${took} from send to receive`;
    const call = nearestCall(model, rank, when[message]!);
    return el("li", {}, text, " ", call < 0 ? "" : el("button", { type: "button", onclick: () => goTo(call) }, "go there"));
  });
  const more = messages.length > MOST_MESSAGES ? [el("li", {}, `and ${showCount(messages.length - MOST_MESSAGES)} more`)] : [];
  return [el("h5", {}, `${what} ${showCount(messages.length)} ${messages.length === 1 ? "message" : "messages"}`), el("ul", {}, ...items, ...more)];
}

/** The call of the rank at the time, which may be its very begin or end. */
function nearestCall(model: Model, rank: number, ns: number): number {
  const inside = model.callAt(rank, ns);
  if (inside >= 0) return inside;
  const before = model.callAfter(rank, ns - 1);
  return before < model.calls[rank + 1]! && model.begin[before]! <= ns ? before : -1;
}

/** " on node-3", where the trace names hosts. */
export function hostOf(model: Model, rank: number): string {
  const host = model.part.hosts[rank];
  return host ? ` on ${host}` : "";
}
