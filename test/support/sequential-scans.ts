import type { Sql } from '../../src/storage/postgres/sql.js';

export interface ScanWatch {
  /** The same database; every statement outside of transactions is explained before it runs. */
  readonly sql: Sql;
  /** Plans of the explained statements. */
  readonly plans: readonly string[];
  /** Those that read a table from its first row to its last. */
  scansOf(table: string): readonly string[];
}

/** Shows which statements of a test read whole tables. */
export const watchScans = (sql: Sql): ScanWatch => {
  const plans: string[] = [];
  return {
    sql: {
      async query(statement, values) {
        const text = typeof statement === 'string' ? statement : statement.text;
        const lines = await sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN ${text}`, values);
        plans.push(lines.map((line) => line['QUERY PLAN']).join('\n'));
        return sql.query(statement, values);
      },
      tx: sql.tx,
    },
    plans,
    scansOf: (table) => plans.filter((plan) => plan.includes(`Seq Scan on ${table}`)),
  };
};
