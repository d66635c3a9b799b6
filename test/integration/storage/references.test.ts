import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createDatabase } from '../../support/database.js';

/** References that the deletion of an account, team, repository or dataset has to look up, without an index for it. */
const unindexedSql = `
  WITH RECURSIVE refs AS (
    SELECT c.oid AS child, f.oid AS parent, a.attnum, c.relname || '.' || a.attname AS name, k.confdeltype = 'c' AS cascades,
      '(' || a.attname || ' IS NOT NULL)' AS is_set
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1]
    WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace
  ), deleted AS (
    SELECT oid FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relname IN ('accounts', 'teams', 'repositories')
    UNION SELECT child FROM refs JOIN deleted ON parent = oid WHERE cascades
  )
  SELECT name FROM refs JOIN deleted ON parent = oid
  WHERE NOT EXISTS (SELECT 1 FROM pg_index i WHERE i.indrelid = child AND i.indkey[0] = attnum
    AND (i.indpred IS NULL OR pg_get_expr(i.indpred, child) = is_set))
  ORDER BY 1`;

it('every reference to an account and what it owns has an index', async () => {
  const database = await createDatabase(inject('databaseUrl'));
  onTestFinished(() => database.drop());
  const client = new pg.Client({ connectionString: database.databaseUrl });
  await client.connect();
  try {
    expect((await client.query(unindexedSql)).rows).toEqual([]);
  } finally {
    await client.end();
  }
});
