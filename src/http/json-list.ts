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

/** Characters of text that are written at a time: a batch may be megabytes, and be kept for many slow readers. */
const pieceChars = 64 * 1024;

/** The items from the given one on, up to a piece; gives the index of the first that is not in it. */
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

/** A dataset as routes answer it; columns that are not in memory yet are written as they come. */
export const datasetReply = (status: number, dataset: Dataset, others: object = {}): Reply => {
  const { columns, moreColumns, ...rest } = dataset;
  if (moreColumns === undefined) return { status, body: { ...rest, columns, ...others } };
  const head = JSON.stringify({ ...rest, ...others }).slice(0, -1);
  const text = textOf(allColumns(columns, moreColumns), `${head},"columns":[`, ']}');
  return { status, headers: jsonType, body: Readable.from(text, { objectMode: false }) };
};

/** `200` with columns alone. */
export const columnsReply = ({ columns, moreColumns }: ColumnPages): Reply =>
  moreColumns === undefined ? { status: 200, body: columns } : jsonList(allColumns(columns, moreColumns));

/** `200` with a JSON array that is written as its batches come, never held as a whole. */
export const jsonList = (batches: AsyncIterable<readonly object[]>): Reply => ({
  status: 200,
  headers: jsonType,
  body: Readable.from(textOf(batches), { objectMode: false }),
});
