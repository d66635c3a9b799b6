import type { Readable } from 'node:stream';
import { endingWith } from '../lib/byte-stream.js';
import type { StoredColumn } from '../model/column.js';
import { serverOf } from '../rows/index.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { OutputColumn } from './formats/format.js';
import { formats } from './formats/formats.js';
import type { Plan } from './plan.js';
import { plainColumn, requireHeader } from './projection.js';
import { isMany, type ReadContext } from './read-context.js';
import { requireFitting } from './row-check.js';
import {
  datesSql,
  factsOf,
  headersOf,
  layOut,
  partSql,
  sizeSql,
  splitValues,
  type TransposeLayout,
  type TransposeShape,
} from './transpose.js';

const readShape = async (
  reader: Reader,
  plan: Plan,
  layout: TransposeLayout,
  context: ReadContext,
): Promise<TransposeShape> => {
  const read = <T>(sql: string, part: string): Promise<T[]> =>
    reader.queryObjects<T>({
      sql: `${sql} FORMAT JSONEachRow`,
      values: plan.answerRows.values,
      place: serverOf(plan.version),
      isHeavy: isMany(plan.version.rowCount),
      ...context,
      queryId: `${context.queryId}-${part}`,
    });
  const dates = await read<{ date: string | null }>(datesSql(plan, layout), 'dates');
  // Rejects too many dates before the expensive query.
  factsOf(dates, undefined);
  const [size] = await read<{ rows: string; most: string }>(sizeSql(plan, layout), 'size');
  return factsOf(dates, size);
};

/** Concatenates results; each one after the first is opened when it is needed. */
async function* inTurn(
  first: Readable,
  count: number,
  open: (index: number) => Promise<Readable>,
): AsyncGenerator<Buffer> {
  let current = first;
  try {
    for (let index = 0; index < count; index += 1) {
      if (index > 0) current = await open(index);
      yield* current as AsyncIterable<Buffer>;
    }
  } finally {
    current.destroy();
  }
}

/** Value columns per query; some formats need all columns in one query. */
const partsOf = (
  layout: TransposeLayout,
  shape: TransposeShape,
  inOne: boolean,
): readonly (readonly StoredColumn[])[] => {
  if (layout.values.length === 0) return [[layout.date]];
  if (inOne) return [layout.values];
  return splitValues(layout.values, shape.rowsPerColumn * Math.max(1, shape.dates.length));
};

const cellsOf = ({ labels, values }: TransposeLayout): OutputColumn[] => [
  ...labels,
  ...values.map(plainColumn),
];

interface TransposedAnswer {
  readonly layout: TransposeLayout;
  readonly shape: TransposeShape;
  readonly headers: readonly string[];
}

/**
 * Reads the shape of a transposed answer.
 * @throws AppError `invalid` for too many dates, and for an answer that the format cannot represent
 */
export const checkTransposed = async (
  reader: Reader,
  plan: Plan,
  context: ReadContext,
): Promise<TransposedAnswer> => {
  const { format } = plan;
  const layout = layOut(plan);
  const shape = await readShape(reader, plan, layout, context);
  const headers = headersOf(layout, shape);
  requireHeader(format, headers, formats[format]);
  await requireFitting(reader, plan, cellsOf(layout), context);
  return { layout, shape, headers };
};

export const openTransposed = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  const { format, options } = plan;
  const { select, frame } = formats[format];
  const { layout, shape, headers } = await checkTransposed(reader, plan, context);
  const transposed = select.transposed(options);
  const parts = partsOf(layout, shape, transposed.inOneQuery);

  const rowsBefore = (index: number): number =>
    parts.slice(0, index).reduce((sum, part) => sum + part.length, 0) * shape.rowsPerColumn;

  const open = (index: number): Promise<Readable> => {
    const part = partSql({
      plan,
      layout,
      shape,
      part: parts[index]!,
      project: transposed.project,
      keyOf: transposed.keyOf,
      rowNumber: transposed.rowNumber?.(headers.length, rowsBefore(index)),
      asText: transposed.inOneQuery,
    });
    return reader.open({
      sql: `${part.sql}${layout.values.length === 0 ? ' LIMIT 0' : ''}\nFORMAT ${transposed.clickHouse}`,
      values: part.values,
      place: serverOf(plan.version),
      settings: { ...transposed.settings, ...part.settings },
      isHeavy: isMany(plan.version.rowCount),
      ...context,
      queryId: `${context.queryId}-${index}`,
    });
  };

  const first = await open(0);
  return endingWith(frame.transposed(inTurn(first, parts.length, open), headers, options, plan.about), first);
};
