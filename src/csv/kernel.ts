/**
 * The compiled loops of `assembly/` and their memory. The process has one such memory, whose content is valid only until other work runs.
 * Positions are relative to `text`.
 */
import { kernelCode } from './kernel-code.js';
import { exactPowersOfTen } from './shortest-double.js';

/** Most bytes of CSV in the memory. With few columns `blockRows` makes blocks smaller, so that they fit into the second-level cache. */
export const windowBytes = 1024 << 10;
/** Most fields and rows per block. A block of 5,000 columns has 26 rows; with 6, calling the loops would cost more than encoding. */
export const blockFields = 131_072;
export const blockRows = 2_048;
/** Loops may read and write up to 64 bytes beyond the end of an array. */
const margin = 64;

interface Loops {
  next(): number;
  line(): number;
  indexPlain(
    text: number,
    from: number,
    end: number,
    fieldCount: number,
    maxRows: number,
    line: number,
    delimiter: number,
    quote: number,
    starts: number,
    ends: number,
    recordStarts: number,
    recordEnds: number,
    lines: number,
  ): number;
  quoted(): number;
  quoteLine(): number;
  recordStart(): number;
  recordLine(): number;
  scanRecords(...scan: readonly number[]): number;
  written(): number;
  encodeTexts(...block: readonly number[]): number;
  encodeDoubles(...block: readonly number[]): number;
  encodeDecimals(...block: readonly number[]): number;
  encodeDays(...block: readonly number[]): number;
}

let reserved = 1_024;
const reserve = (bytes: number): number => {
  const at = reserved;
  reserved += (bytes + margin + 15) & ~15;
  return at;
};

export const addresses = {
  text: reserve(windowBytes),
  starts: reserve(blockFields * 4),
  ends: reserve(blockFields * 4),
  recordStarts: reserve(blockRows * 4),
  recordEnds: reserve(blockRows * 4),
  lines: reserve(blockRows * 4),
  nulls: reserve(blockRows),
  /** Values of one column; each text follows a length of up to five bytes. */
  values: reserve(windowBytes + blockRows * 5),
  powers: reserve(exactPowersOfTen.length * 8),
} as const;

const pageBytes = 64 << 10;
const memory = new WebAssembly.Memory({ initial: Math.ceil(reserved / pageBytes) });
const { buffer } = memory;

export const kernelMemory = {
  text: new Uint8Array(buffer, addresses.text, windowBytes),
  starts: new Int32Array(buffer, addresses.starts, blockFields),
  ends: new Int32Array(buffer, addresses.ends, blockFields),
  recordStarts: new Int32Array(buffer, addresses.recordStarts, blockRows),
  recordEnds: new Int32Array(buffer, addresses.recordEnds, blockRows),
  lines: new Int32Array(buffer, addresses.lines, blockRows),
  nulls: new Uint8Array(buffer, addresses.nulls, blockRows),
  texts: new Uint8Array(buffer, addresses.values, windowBytes + blockRows * 5),
  doubles: new Float64Array(buffer, addresses.values, blockRows),
  /** Decimals of up to 256 bits. */
  words: new Uint32Array(buffer, addresses.values, blockRows * 8),
  /** Three numbers per record that a scan found: first byte, byte after the line end, line. */
  records: new Int32Array(buffer, addresses.values, windowBytes >> 2),
  days: new Int32Array(buffer, addresses.values, blockRows),
} as const;
new Float64Array(buffer, addresses.powers, exactPowersOfTen.length).set(exactPowersOfTen);

const { exports } = new WebAssembly.Instance(new WebAssembly.Module(Buffer.from(kernelCode, 'base64')), {
  env: { memory },
});
export const kernel = exports as unknown as Loops;
