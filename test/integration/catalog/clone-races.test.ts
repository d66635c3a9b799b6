import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Sql } from '../../../src/storage/postgres/sql.js';
import { type Answer, type Person, startTestApi, type TestApi } from '../../support/api.js';
import { publishVersion } from '../../support/published-version.js';

let api: TestApi;
let ada: Person;
let repositoryId: number;

beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  ada = await api.person('ada');
  repositoryId = (await ada.ask('GET', '/repositories/home')).json<{ id: number }>().id;
});
afterAll(async () => {
  await api.close();
});

const facts = (rows: number) => ({ columns: [{ name: 'Value', physical: 'f' }], rows, bytes: rows }) as const;

const newDataset = async (name: string): Promise<number> =>
  (await ada.ask('POST', '/datasets', { name, repositoryId })).json<{ id: number }>().id;

const untilBlockedOnLock = async (): Promise<void> => {
  for (;;) {
    const [row] = await api.sql.query<{ waiting: number }>(
      // Other tests use the same server.
      `SELECT count(*)::int AS waiting FROM pg_locks JOIN pg_stat_activity USING (pid)
       WHERE NOT granted AND datname = current_database()`,
    );
    if ((row?.waiting ?? 0) > 0) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
};

/** Runs `change` in a transaction that commits once the clone waits for it. */
const cloneWhile = async (
  datasetId: number,
  name: string,
  change: (tx: Sql) => Promise<unknown>,
): Promise<Answer> => {
  let cloning: Promise<Answer> | undefined;
  await api.sql.tx(async (tx) => {
    await change(tx);
    cloning = ada.ask('POST', `/datasets/${datasetId}/clone`, { repositoryId, name });
    await untilBlockedOnLock();
  });
  if (cloning === undefined) throw new Error('the clone was never requested');
  return cloning;
};

describe('a clone that waits for a change of its source', () => {
  it('has the version that the change publishes', async () => {
    const id = await newDataset('published meanwhile');
    await publishVersion(api.sql, id, facts(3));
    const answer = await cloneWhile(id, 'of the newer', (tx) => publishVersion(tx, id, facts(7)));
    expect(answer.status).toBe(201);
    expect(answer.json()).toMatchObject({
      rowCount: 7,
      columns: [{ name: 'Value' }],
      currentVersionId: expect.any(String),
    });
  });

  it('has the first version, if the change publishes it', async () => {
    const id = await newDataset('first published meanwhile');
    const answer = await cloneWhile(id, 'of the first', (tx) => publishVersion(tx, id, facts(5)));
    expect(answer.json()).toMatchObject({ rowCount: 5, columns: [{ name: 'Value' }] });
  });

  it('is 404 if the change deletes the source', async () => {
    const id = await newDataset('deleted meanwhile');
    await publishVersion(api.sql, id, facts(5));
    const answer = await cloneWhile(id, 'of nothing', (tx) =>
      tx.query('DELETE FROM datasets WHERE id = $1', [id]),
    );
    expect(answer.status).toBe(404);
  });
});
