import { createChunkEncoder } from '../../../src/csv/encoder.js';
import { createRecordSplitter } from '../../../src/csv/record-splitter.js';
import type { ChunkSpan, Dialect, EncodeColumn, SplitChunk } from '../../../src/csv/types.js';

/** Slow, simple reference implementations of the hot path. */
export const comma: Dialect = { delimiter: 0x2c, quote: 0x22 };

export interface ReferenceRecord {
  readonly fields: string[];
  readonly line: number;
  /** The record breaks the quoting rules. */
  readonly malformed: boolean;
}

/** Parses all records of a text, header included, character by character. */
export const parseReference = (text: string, delimiter = ','): ReferenceRecord[] => {
  const records: ReferenceRecord[] = [];
  let i = 0;
  let line = 1;
  const lineEnd = (): void => {
    i += text[i] === '\r' && text[i + 1] === '\n' ? 2 : 1;
    line++;
  };
  const isLineEnd = (): boolean => text[i] === '\n' || text[i] === '\r';
  while (i < text.length) {
    if (isLineEnd()) {
      lineEnd();
      continue;
    }
    const firstLine = line;
    const fields: string[] = [];
    let malformed = false;
    for (;;) {
      let field = '';
      if (text[i] === '"') {
        i++;
        let closed = false;
        while (i < text.length && !closed) {
          if (text[i] === '"' && text[i + 1] === '"') {
            field += '"';
            i += 2;
          } else if (text[i] === '"') {
            closed = true;
            i++;
          } else if (isLineEnd()) {
            const from = i;
            lineEnd();
            field += text.slice(from, i);
          } else {
            field += text[i++];
          }
        }
        if (!closed || (i < text.length && text[i] !== delimiter && !isLineEnd())) malformed = true;
      }
      const unquotedFrom = i;
      while (i < text.length && text[i] !== delimiter && !isLineEnd()) i++;
      const unquoted = text.slice(unquotedFrom, i);
      if (/^[ \t]+"/.test(unquoted)) malformed = true;
      fields.push(field + unquoted);
      if (i >= text.length || isLineEnd()) break;
      i++;
    }
    if (i < text.length) lineEnd();
    records.push({ fields, line: firstLine, malformed });
  }
  return records;
};

export interface DecodedColumn {
  readonly name: string;
  readonly type: string;
  readonly values: (string | null)[];
}

export interface DecodedBlock {
  readonly rows: number;
  readonly columns: DecodedColumn[];
}

const littleEndian = (bytes: Buffer): bigint => {
  let value = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) value = (value << 8n) | BigInt(bytes[i]!);
  return BigInt.asIntN(bytes.length * 8, value);
};

/** Decimal text of a scaled integer, without trailing zeros in the fraction. */
const scaledText = (value: bigint, scale: number): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(scale + 1, '0');
  const fraction = digits.slice(digits.length - scale, digits.length).replace(/0+$/, '');
  const text = scale === 0 ? digits : digits.slice(0, -scale) + (fraction === '' ? '' : `.${fraction}`);
  return (value < 0n ? '-' : '') + text;
};

/** Decodes a block in Native format: values as text, days as ISO dates. */
export const decodeBlock = (pieces: readonly Buffer[]): DecodedBlock => {
  const bytes = Buffer.concat(pieces);
  let at = 0;
  const varUint = (): number => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = bytes[at++]!;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 128;
    }
  };
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw new RangeError('The block is cut short');
    at += length;
    return bytes.subarray(at - length, at);
  };
  const text = (): string => take(varUint()).toString();
  const readers: Record<string, () => string> = {
    String: text,
    Float64: () => String(take(8).readDoubleLE(0)),
    Date32: () => new Date(take(4).readInt32LE(0) * 86_400_000).toISOString().slice(0, 10),
    UInt64: () => take(8).readBigUInt64LE(0).toString(),
  };
  const readerOf = (type: string): (() => string) => {
    const decimal = /^Decimal\((\d+), (\d+)\)$/.exec(type);
    if (decimal)
      return () => scaledText(littleEndian(take(decimal[1] === '38' ? 16 : 32)), Number(decimal[2]));
    const reader = readers[type];
    if (reader === undefined) throw new TypeError(`Unknown type ${type}`);
    return reader;
  };
  const columnCount = varUint();
  const rows = varUint();
  const columns: DecodedColumn[] = [];
  for (let c = 0; c < columnCount; c++) {
    const name = text();
    const type = text();
    const inner = /^Nullable\((.*)\)$/.exec(type)?.[1];
    const nulls = inner === undefined ? Buffer.alloc(rows) : Buffer.from(take(rows));
    const read = readerOf(inner ?? type);
    const values = Array.from({ length: rows }, (_, row) => {
      const value = read();
      return nulls[row] === 1 ? null : value;
    });
    columns.push({ name, type, values });
  }
  if (at !== bytes.length) throw new RangeError(`${bytes.length - at} bytes after the block`);
  return { rows, columns };
};

export interface SplitFile {
  readonly header: Buffer;
  readonly chunks: SplitChunk[];
}

/** Splits a file that arrives in pieces of `pieceBytes`. */
export const splitAll = (
  file: Uint8Array,
  options: { chunkBytes: number; pieceBytes?: number; maxRowsPerChunk?: number; maxRecordBytes?: number },
): SplitFile => {
  const { chunkBytes, pieceBytes = 1 << 20, ...rest } = options;
  const splitter = createRecordSplitter({ dialect: comma, firstChunkBytes: chunkBytes, chunkBytes, ...rest });
  const chunks: SplitChunk[] = [];
  for (let at = 0; at < file.length; at += pieceBytes) {
    chunks.push(...splitter.push(file.subarray(at, at + pieceBytes)));
  }
  chunks.push(...splitter.end());
  return { header: splitter.header!.bytes, chunks };
};

/** Span of a chunk with all records of a file. */
export const wholeChunk = (rows: number): ChunkSpan => ({ firstRow: 0, rows, firstLine: 2 });

/** Encodes fields of one column, one per record; returns the decoded values, or the value that does not fit. */
export const encodeColumn = (
  physical: EncodeColumn['physical'],
  fields: readonly string[],
  rules?: EncodeColumn['rules'],
  kernel = true,
): (string | null)[] | { misfit: string; line: number } => {
  const column = { storageName: 'c', physical, sourceIndex: 1, ...(rules === undefined ? {} : { rules }) };
  const encoder = createChunkEncoder({ dialect: comma, fieldCount: 2, columns: [column], kernel });
  const bytes = Buffer.from(fields.map((field) => `x,"${field.replaceAll('"', '""')}"\n`).join(''));
  const result = encoder.encode(bytes, wholeChunk(fields.length), { segment: 7, uploadNumber: 1 });
  if (result.kind === 'violation') return { misfit: result.violation.value, line: result.violation.line };
  if (result.kind === 'bad_row') throw new Error(`bad row: ${result.badRow.reason}`);
  if (result.kind !== 'encoded') throw new Error(result.kind);
  return decodeBlock(result.block).columns[2]!.values;
};
