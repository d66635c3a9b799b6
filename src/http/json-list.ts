import { Readable } from 'node:stream';
import type { ColumnPages, ColumnView } from '../catalog/columns.js';
import type { Dataset } from '../catalog/dataset-list.js';
import { runYielding } from '../lib/yielding.js';
import type { Reply } from './route.js';

async function* allColumns(
  first: readonly ColumnView[],
  more: AsyncIterable<readonly ColumnView[]>,
): AsyncGenerator<readonly ColumnView[]> {
  yield first;
  yield* more;
}

/** Items that are written in one step. */
const itemsPerStep = 50;

/** A batch may be megabytes, and many be written at the same time. */
function* batchText(batch: readonly object[], before: string): Generator<void, Buffer> {
  let text = before;
  for (const [at, item] of batch.entries()) {
    text += at === 0 ? JSON.stringify(item) : `,${JSON.stringify(item)}`;
    if (at % itemsPerStep === itemsPerStep - 1) yield;
  }
  return Buffer.from(text);
}

async function* textOf(
  batches: AsyncIterable<readonly object[]>,
  begin = '[',
  end = ']',
): AsyncGenerator<Buffer> {
  let separator = begin;
  for await (const batch of batches) {
    if (batch.length === 0) continue;
    yield await runYielding(batchText(batch, separator));
    separator = ',';
  }
  yield Buffer.from(separator === begin ? `${begin}${end}` : end);
}

const jsonType = { 'Content-Type': 'application/json; charset=utf-8' };

/** A dataset as routes answer it; columns that are not in memory yet are written as they come. */
export const datasetReply = (status: number, dataset: Dataset, beside: object = {}): Reply => {
  const { columns, moreColumns, ...rest } = dataset;
  if (moreColumns === undefined) return { status, body: { ...rest, columns, ...beside } };
  const head = JSON.stringify({ ...rest, ...beside }).slice(0, -1);
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
