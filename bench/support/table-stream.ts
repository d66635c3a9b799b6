import { csvHeader, generateRows } from '../csv-data.js';

/** A CSV file that is never on a disk. */
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

/** The same rows over and over: making them anew would take the CPU of what is measured. */
export const repeated = (header: string, block: Buffer, blockRows: number, times: number): CsvStream => {
  const head = Buffer.from(header);
  return {
    rows: blockRows * times,
    bytes: head.length + block.length * times,
    content: slices(head, block, times),
  };
};

/** Some 19 MB: further apart than compression looks back, in chunks and in ClickHouse. */
const blockRows = 300_000;
let block: Buffer | undefined;

/** A date, two texts and three numbers, some 63 bytes a row. */
export const tableStream = (bytes: number): CsvStream => {
  block ??= generateRows(blockRows);
  if (bytes >= block.length) {
    return repeated(csvHeader, block, blockRows, Math.ceil(bytes / block.length));
  }
  const rows = Math.ceil((bytes / block.length) * blockRows);
  return repeated(csvHeader, generateRows(rows), rows, 1);
};
