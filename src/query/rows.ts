import type { Readable } from 'node:stream';
import type { Reader } from '../storage/clickhouse/reader.js';
import { formatSettings, formatSpecs } from './formats.js';
import type { Plan } from './plan.js';
import { buildTail, countSql, selectSql } from './statement.js';

export interface ReadContext {
  readonly queryId: string;
  readonly signal: AbortSignal;
}

/** Number of rows that match, before `$top` and `$skip`. */
export const countRows = async (reader: Reader, plan: Plan, context: ReadContext): Promise<number> => {
  const { source, chosen, options } = plan;
  const [row] = await reader.facts<{ n: string }>({
    sql: `${countSql(source, options.distinct ? chosen : undefined)} FORMAT JSONEachRow`,
    values: source.values,
    ...context,
  });
  return Number(row?.n ?? 0);
};

/** Bytes of the answer in its format, from its first byte on. */
export const openRows = async (reader: Reader, plan: Plan, context: ReadContext): Promise<Readable> => {
  const { source, output, order, chosen, options, format } = plan;
  const sql = selectSql({ source, output, tail: buildTail(options, order, chosen) });
  return reader.open({
    sql: `${sql}\nFORMAT ${formatSpecs[format].clickHouse}`,
    values: source.values,
    settings: formatSettings(format, {
      soleColumn: output.length === 1,
      quoteDecimals: options.decimals === 'string',
    }),
    ...context,
  });
};
