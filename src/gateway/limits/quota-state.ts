import type { Rate } from '../../providers/limits.js';
import type { Sql } from '../../storage/postgres/sql.js';
import { type Span, windowsOf } from './window.js';

export interface QuotaQuestion {
  /** Upstream and key for which limits are counted. */
  readonly scope: string;
  readonly rate: Rate;
  readonly zone: string;
}

interface QuotaState {
  readonly span: Span;
  readonly limit: number;
  readonly used: number;
  readonly left: number;
}

interface UsageRow {
  scope: string;
  span: Span;
  bucket: Date;
  used: number;
}

const usageSql = `
  SELECT scope, span, bucket, sum(used)::int AS used FROM gateway_usage WHERE scope = ANY($1) GROUP BY 1, 2, 3`;

/** Used and remaining quotas by scope. Reads only. */
export const readQuotas = async (
  sql: Sql,
  questions: readonly QuotaQuestion[],
  nowMs: number,
): Promise<ReadonlyMap<string, readonly QuotaState[]>> => {
  const scopes = questions.map(({ scope }) => scope);
  const usage = await sql.query<UsageRow>(usageSql, [scopes]);
  const states = questions.map(({ scope, rate, zone }): [string, QuotaState[]] => {
    const quotas = windowsOf(rate, zone, nowMs).map(({ span, limit, since }): QuotaState => {
      const used = usage
        .filter((row) => row.scope === scope && row.span === span && row.bucket >= since)
        .reduce((sum, row) => sum + row.used, 0);
      return { span, limit, used, left: Math.max(0, limit - used) };
    });
    return [scope, quotas];
  });
  return new Map(states);
};
