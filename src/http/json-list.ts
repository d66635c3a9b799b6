import { Readable } from 'node:stream';
import type { ColumnPages, ColumnView } from '../catalog/columns.js';
import type { Dataset } from '../catalog/dataset-list.js';
import { runSliced } from '../lib/time-slicing.js';
import type { Reply } from './route.js';

async function* allColumns(
  first: readonly ColumnView[],
  more: AsyncIterable<readonly ColumnView[]>,
): AsyncGenerator<readonly ColumnView[]> {
  yield first;
  yield* more;
}

/** Characters that are written at a time: a batch may have megabytes, and many slow readers may each keep one. */
const pieceChars = 64 * 1024;

/** Text of the items from an index on, up to `pieceChars`. Returns the index of the next item. */
function* pieceOf(
  batch: readonly object[],
  from: number,
  before: string,
): Generator<void, { piece: Buffer; next: number }> {
  let text = before;
  let at = from;
  for (; at < batch.length && text.length < pieceChars; at += 1) {
    text += at === 0 ? JSON.stringify(batch[at]) : `,${JSON.stringify(batch[at])}`;
    yield;
  }
  return { piece: Buffer.from(text), next: at };
}

async function* textOf(
  batches: AsyncIterable<readonly object[]>,
  begin = '[',
  end = ']',
): AsyncGenerator<Buffer> {
  let separator = begin;
  for await (const batch of batches) {
    for (let at = 0; at < batch.length; ) {
      const { piece, next } = await runSliced(pieceOf(batch, at, at === 0 ? separator : ''));
      yield piece;
      separator = ',';
      at = next;
    }
  }
  yield Buffer.from(separator === begin ? `${begin}${end}` : end);
}

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' };

/** Response with a dataset. Columns after the first page are streamed. */
export const datasetReply = (status: number, dataset: Dataset, others: object = {}): Reply => {
  const { columns, moreColumns, ...rest } = dataset;
  if (moreColumns === undefined) return { status, body: { ...rest, columns, ...others } };
  const head = JSON.stringify({ ...rest, ...others }).slice(0, -1);
  const text = textOf(allColumns(columns, moreColumns), `${head},"columns":[`, ']}');
  return { status, headers: jsonType, body: Readable.from(text, { objectMode: false }) };
};

/** `200` with columns. */
export const columnsReply = ({ columns, moreColumns }: ColumnPages): Reply =>
  moreColumns === undefined ? { status: 200, body: columns } : jsonList(allColumns(columns, moreColumns));

/** `200` with a JSON array that is streamed in batches. */
export const jsonList = (batches: AsyncIterable<readonly object[]>): Reply => ({
  status: 200,
  headers: jsonType,
  body: Readable.from(textOf(batches), { objectMode: false }),
});
