import { csvHeader, generateRows } from '../csv-data.js';

/** CSV file generated in memory. */
export interface CsvStream {
  readonly rows: number;
  readonly bytes: number;
  readonly content: AsyncIterable<Buffer>;
}

const sliceBytes = 1 << 20;

async function* slices(header: Buffer, block: Buffer, times: number): AsyncGenerator<Buffer> {
  yield header;
  for (let time = 0; time < times; time += 1) {
    for (let at = 0; at < block.length; at += sliceBytes) yield block.subarray(at, at + sliceBytes);
  }
}

/** Repeats a block of rows: generating new ones would take CPU from what is measured. */
export const repeated = (header: string, block: Buffer, blockRows: number, times: number): CsvStream => {
  const head = Buffer.from(header);
  return {
    rows: blockRows * times,
    bytes: head.length + block.length * times,
    content: slices(head, block, times),
  };
};

/** About 19 MB, beyond the compression window of chunks and of ClickHouse. */
const blockRows = 300_000;
let block: Buffer | undefined;

/** Rows of a date, two texts and three numbers, about 63 bytes each. */
export const tableStream = (bytes: number): CsvStream => {
  block ??= generateRows(blockRows);
  if (bytes >= block.length) {
    return repeated(csvHeader, block, blockRows, Math.ceil(bytes / block.length));
  }
  const rows = Math.ceil((bytes / block.length) * blockRows);
  return repeated(csvHeader, generateRows(rows), rows, 1);
};
