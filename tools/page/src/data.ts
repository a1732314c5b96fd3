// SPDX-License-Identifier: BSD-3-Clause
// What Python put into the page: a JSON document, and columns of numbers behind it. See orrery/page/packing.py.

import type { Part } from "./parts/part";

/** Where a column is among the packed bytes, and how it is written. */
export interface Column {
  at: number;
  count: number;
  type: "i64" | "f64" | "i32" | "u32" | "u16" | "u8";
  /** Each number is the difference to the one before. */
  delta?: boolean;
}

export interface Fact {
  name: string;
  text: string;
}

export interface Document {
  title: string;
  parts: Part[];
}

export type Numbers = Float64Array | Int32Array | Uint32Array | Uint16Array | Uint8Array;

/** The document and the bytes of its columns. */
export class Pack {
  constructor(
    readonly document: Document,
    private readonly bytes: Uint8Array,
  ) {}

  /** The numbers of a column. Integers of 64 bits become floating point: times stay exact for 104 days. */
  column(where: Column): Numbers {
    const width = { i64: 8, f64: 8, i32: 4, u32: 4, u16: 2, u8: 1 }[where.type];
    const shuffled = this.bytes.subarray(where.at, where.at + where.count * width);
    const plain = unshuffled(shuffled, where.count, width);
    const numbers = asNumbers(plain.buffer, where);
    if (where.delta) {
      for (let i = 1; i < numbers.length; ++i) numbers[i]! += numbers[i - 1]!;
    }
    return numbers;
  }
}

/** Bytes of equal significance lie together, which compresses better. */
function unshuffled(bytes: Uint8Array, count: number, width: number): Uint8Array<ArrayBuffer> {
  const plain = new Uint8Array(count * width);
  for (let byte = 0; byte < width; ++byte) {
    const from = byte * count;
    for (let i = 0; i < count; ++i) plain[i * width + byte] = bytes[from + i]!;
  }
  return plain;
}

function asNumbers(buffer: ArrayBuffer, where: Column): Numbers {
  switch (where.type) {
    case "i64":
      return fromHalves(new Uint32Array(buffer));
    case "f64":
      return new Float64Array(buffer);
    case "i32":
      return new Int32Array(buffer);
    case "u32":
      return new Uint32Array(buffer);
    case "u16":
      return new Uint16Array(buffer);
    case "u8":
      return new Uint8Array(buffer);
  }
}

function fromHalves(halves: Uint32Array): Float64Array {
  const numbers = new Float64Array(halves.length / 2);
  for (let i = 0; i < numbers.length; ++i) numbers[i] = (halves[2 * i + 1]! | 0) * 4294967296 + halves[2 * i]!;
  return numbers;
}

/** Reads what the page carries: base64 of gzip of the length of the document, the document, and the columns. */
export async function unpack(element: Element): Promise<Pack> {
  const packed = fromBase64(element.textContent ?? "");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const length = new DataView(bytes.buffer).getUint32(0, true);
  const text = new TextDecoder().decode(bytes.subarray(4, 4 + length));
  return new Pack(JSON.parse(text) as Document, bytes.subarray(4 + length));
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
