import { runAtOnce } from '../lib/time-slicing.js';
import { daySetOf, yearSetOf } from '../model/day-set.js';
import { recordsPerUpload } from '../model/position.js';
import { keyColumns } from '../rows/index.js';
import {
  type ColumnBuffer,
  type ColumnLoop,
  createColumnBuffer,
  resetColumn,
  valueBytes,
  withHeadroom,
} from './column-buffer.js';
import {
  badRowOf,
  closeIndex,
  createFieldIndex,
  dropRecords,
  type FieldIndex,
  fieldText,
  openIndex,
} from './field-index.js';
import { encodeDays, encodeDecimals, encodeDoubles, encodeTexts } from './kernel-columns.js';
import { columnHead, createBlockWriter, varUint } from './native-block.js';
import { indexRecords } from './record-parser.js';
import { encodeDayTexts } from './text-columns.js';
import type {
  BadRow,
  ChunkEncoder,
  ChunkEncoderOptions,
  ChunkSpan,
  EncodeResult,
  RowsTarget,
  Violation,
} from './types.js';
import { encodeYears } from './year-columns.js';

/**
 * Encodes a chunk of CSV as one block in ClickHouse's Native format and checks every value. The block has `keyColumns` (UInt64:
 * the segment, and the position in the dataset), then the requested columns.
 *
 * An encoder reuses its memory for the next chunk, so the result of `encode` is valid until the next call.
 */
const loops: Readonly<Record<ColumnBuffer['encoder'], ColumnLoop>> = {
  days: encodeDays,
  dayTexts: encodeDayTexts,
  doubles: encodeDoubles,
  decimals: encodeDecimals,
  texts: encodeTexts,
};

/** A stored column, and its index in the caller's list. */
interface StoredBuffer {
  readonly position: number;
  readonly buffer: ColumnBuffer;
  readonly encode: ColumnLoop;
  readonly head: Buffer;
}

const [segmentHead, rowHead] = [columnHead(keyColumns[0], 'UInt64'), columnHead(keyColumns[1], 'UInt64')];

const word = 2 ** 32;
const highWordsPerUpload = recordsPerUpload / word;

export const createChunkEncoder = (options: ChunkEncoderOptions): ChunkEncoder => {
  const { columns, dialect, fieldCount, maxBadRows = Number.POSITIVE_INFINITY } = options;
  const collect = options.onBadRow === 'collect';
  const index = createFieldIndex(dialect, fieldCount, options.kernel);
  const writer = createBlockWriter();
  const stored: StoredBuffer[] = [];
  columns.forEach((column, position) => {
    if (column.physical === 'skip') return;
    const buffer = createColumnBuffer(column);
    stored.push({
      position,
      buffer,
      encode: buffer.years ? encodeYears : loops[buffer.encoder],
      head: columnHead(column.storageName, column.storageType ?? buffer.type),
    });
  });
  const blockHeadColumns = varUint(stored.length + 2);
  /** Fixed types come first where they decide which records are set aside. */
  const inOrder = collect
    ? stored.toSorted((a, b) => Number(b.buffer.fixed) - Number(a.buffer.fixed))
    : stored;
  let segments = new BigUint64Array(0);
  let positionWords = new Uint32Array(0);

  const reset = (rows: number): void => {
    openIndex(index);
    writer.reset();
    for (const { buffer } of stored) resetColumn(buffer, rows);
    if (segments.length >= rows) return;
    segments = new BigUint64Array(withHeadroom(rows));
    positionWords = new Uint32Array(withHeadroom(rows) * 2);
  };

  /** Writes each position as two words, since it may exceed 2^53. */
  const writePositions = (firstRow: number, uploadNumber: number, at: number): void => {
    const { ordinals, rows } = index;
    const high = uploadNumber * highWordsPerUpload;
    for (let i = 0; i < rows; i++) {
      const row = firstRow + ordinals[i]!;
      const low = (at + i) * 2;
      positionWords[low] = row;
      positionWords[low + 1] = high + Math.floor(row / word);
    }
  };

  const violationAt = ({ position, buffer }: StoredBuffer, record: number, chunk: ChunkSpan): Violation => {
    return {
      column: position,
      field: buffer.field,
      row: chunk.firstRow + index.ordinals[record]!,
      line: chunk.firstLine + index.lines[record]!,
      value: fieldText(index, record * fieldCount + buffer.field),
      physical: buffer.physical,
    };
  };

  /**
   * Encodes the indexed block, starting at row `at`. If `onBadRow` is `collect`, adds values that do not fit a fixed type to `rejected`.
   * Returns the first other value that does not fit, of a record that is not rejected.
   */
  const encodeBlock = (
    chunk: ChunkSpan,
    at: number,
    rejected: Map<number, BadRow>,
  ): Violation | undefined => {
    let rows = index.rows;
    let violation: Violation | undefined;
    for (const column of inOrder) {
      let from = 0;
      while (from < rows) {
        const misfit = column.encode(column.buffer, index.text, index, from, rows, at + from);
        if (misfit < 0) break;
        if (rejected.has(misfit)) {
          from = misfit + 1;
          continue;
        }
        const found = violationAt(column, misfit, chunk);
        if (collect && column.buffer.fixed) {
          rejected.set(misfit, badValue(found, index, misfit));
          from = misfit + 1;
        } else {
          violation = found;
          rows = misfit;
        }
      }
    }
    return violation;
  };

  function* encodeInSteps(
    bytes: Uint8Array,
    chunk: ChunkSpan,
    { segment, uploadNumber }: RowsTarget,
  ): Generator<void, EncodeResult> {
    if (chunk.firstRow + chunk.rows > recordsPerUpload)
      throw new RangeError(`A file has at most ${recordsPerUpload} records`);
    reset(chunk.rows);
    const badRows: BadRow[] = [];
    const rejected = new Map<number, BadRow>();
    let rows = 0;
    for (;;) {
      indexRecords(index, bytes, !collect);
      const malformed = index.malformed.map((record) => badRowOf(record, index, chunk));
      if (index.rows === 0 && malformed.length === 0) break;
      if (rows + index.rows > chunk.rows)
        throw new RangeError(`More records than the ${chunk.rows} announced`);
      const marks = collect ? stored.map(({ buffer }) => buffer.textBytes) : [];
      let violation = encodeBlock(chunk, rows, rejected);
      if (violation !== undefined) return { kind: 'violation', violation };
      if (rejected.size > 0) {
        dropRecords(index, new Set(rejected.keys()));
        stored.forEach(({ buffer }, i) => {
          buffer.textBytes = marks[i]!;
        });
        badRows.push(...rejected.values());
        rejected.clear();
        violation = encodeBlock(chunk, rows, rejected);
        if (violation !== undefined || rejected.size > 0)
          throw new Error('An already encoded row does not fit its column');
      }
      if (!collect && malformed[0] !== undefined) return { kind: 'bad_row', badRow: malformed[0] };
      badRows.push(...malformed);
      if (badRows.length > maxBadRows)
        return { kind: 'too_many_bad_rows', badRows: inFileOrder(badRows).slice(0, maxBadRows + 1) };
      writePositions(chunk.firstRow, uploadNumber, rows);
      rows += index.rows;
      yield;
    }
    if (index.ordinal !== chunk.rows) throw new RangeError(`${index.ordinal} records, not ${chunk.rows}`);
    return finish(rows, BigInt(segment), inFileOrder(badRows));
  }

  const finish = (rows: number, segment: bigint, badRows: BadRow[]): EncodeResult => {
    closeIndex(index);
    segments.fill(segment, 0, rows);
    writer.add(blockHeadColumns);
    writer.add(varUint(rows));
    writer.add(segmentHead);
    writer.add(new Uint8Array(segments.buffer, 0, rows * 8));
    writer.add(rowHead);
    writer.add(new Uint8Array(positionWords.buffer, 0, rows * 8));
    for (const { buffer, head } of stored) {
      writer.add(head);
      writer.add(buffer.nulls.subarray(0, rows));
      writer.add(valueBytes(buffer, rows));
    }
    const daysOf = (position: number) => {
      const buffer = stored.find((column) => column.position === position)?.buffer;
      if (buffer?.encoder === 'doubles') return yearSetOf(buffer.doubles, buffer.nulls, rows);
      return buffer?.encoder === 'days' ? daySetOf(buffer.days, buffer.nulls, rows) : undefined;
    };
    return { kind: 'encoded', block: writer.pieces(), rows, badRows, daysOf };
  };

  return {
    encode: (bytes, chunk, target) => runAtOnce(encodeInSteps(bytes, chunk, target)),
    encodeInSteps,
  };
};

const inFileOrder = (badRows: BadRow[]): BadRow[] => badRows.sort((a, b) => a.row - b.row);

const badValue = (violation: Violation, index: FieldIndex, record: number): BadRow => ({
  reason: 'value',
  row: violation.row,
  line: violation.line,
  field: violation.field,
  value: violation.value,
  fieldCount: null,
  rawStart: index.textStart + index.recordStarts[record]!,
  rawEnd: index.textStart + index.recordEnds[record]!,
});
