/** Every cell of the transition table, on PostgreSQL. */

import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createAccounts } from '../../../src/catalog/accounts.js';
import { uploadRefusals } from '../../../src/catalog/upload-rights.js';
import { isAppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import type { SegmentFacts } from '../../../src/model/version.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import type { ProcessState } from '../../../src/storage/postgres/process-states.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import type { Layout } from '../../../src/uploads/layout/layout.js';
import { createChunkRecords } from '../../../src/uploads/lifecycle/chunk-records.js';
import { createDispatcher } from '../../../src/uploads/lifecycle/dispatcher.js';
import { createMergeRecords } from '../../../src/uploads/lifecycle/merge-records.js';
import { createProcessRecords } from '../../../src/uploads/lifecycle/process-records.js';
import { createPublisher } from '../../../src/uploads/lifecycle/publisher.js';
import { createReservations } from '../../../src/uploads/lifecycle/reservations.js';
import { createRetryRecords } from '../../../src/uploads/lifecycle/retry-records.js';
import { createTransitionRecords } from '../../../src/uploads/lifecycle/transition-records.js';
import {
  type Event,
  firstState,
  states,
  transitionOf,
  transitions,
} from '../../../src/uploads/lifecycle/transitions.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';

let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
let account: number;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 4, log: silentLog });
  sql = createSql(pool);
  account = (await createAccounts({ sql }).create({ name: 'owner', plan: 'unlimited' })).id;
});

afterAll(async () => {
  await pool?.end();
  await database?.drop();
});

const stateNames = Object.keys(states) as ProcessState[];
const eventNames = Object.keys(transitions) as Event[];

const layout: Layout = {
  dialect: { delimiter: ',', quote: '"' } as unknown as Layout['dialect'],
  fieldCount: 0,
  columns: [],
};
const facts: SegmentFacts = { rows: 0, bytes: 0, minDate: null, maxDate: null, frequency: null };

interface Place {
  readonly datasetId: number;
  readonly storeId: number;
}

const reservations = () => createReservations(sql, { keptMs: 60_000, perAccount: 100 });

/** Checks the error of an event that does not apply. */
const isRefused = (error: unknown): void => {
  if (!isAppError(error)) throw error;
};

const publisher = (on = sql) =>
  createPublisher({
    sql: on,
    findRefusals: uploadRefusals,
    dryRunKeptMs: 3_600_000,
    joinPlainly: async () => undefined,
  });

let datasets = 0;

const createDataset = async (): Promise<Place> => {
  const [store] = await sql.query<{ id: number }>('INSERT INTO stores DEFAULT VALUES RETURNING id');
  datasets += 1;
  const [dataset] = await sql.query<{ id: number }>(
    `INSERT INTO datasets (repository_id, store_id, name, created_by)
     SELECT id, $1, $2, $3 FROM repositories WHERE created_by = $3 AND is_home RETURNING id`,
    [store?.id, `dataset ${datasets}`, account],
  );
  return { datasetId: dataset?.id ?? 0, storeId: store?.id ?? 0 };
};

const accept = async (
  { datasetId, storeId }: Place,
  mode = 'replace',
  reservedId?: number,
): Promise<number> => {
  const { processId } = await createProcessRecords(sql).accept({
    datasetId,
    storeId,
    accountId: account,
    keyId: null,
    requestId: 'test',
    mode,
    layout,
    isSmall: false,
    receivedBytes: 0,
    expectedVersionId: undefined,
    reservedId,
  });
  return processId;
};

const isEnded = (state: ProcessState): boolean => state === 'completed' || state === 'failed';

const put = (processId: number, state: ProcessState, baseVersionId: number | null): Promise<unknown> =>
  sql.query(
    `UPDATE processes SET status = $2, phase = $3, facts = $4, merge = $5,
       ended_at = CASE WHEN $2 = 'pending' THEN NULL ELSE now() END WHERE id = $1`,
    [
      processId,
      isEnded(state) ? state : 'pending',
      isEnded(state) ? firstState : state,
      JSON.stringify(facts),
      JSON.stringify({ baseVersionId, segmentId: null, columns: [], facts }),
    ],
  );

const stateOf = async (processId: number): Promise<ProcessState> => {
  const [state] = await sql.query<{ status: string; phase: ProcessState }>(
    'SELECT status, phase FROM processes WHERE id = $1 OR public_id = $1',
    [processId],
  );
  return state?.status === 'pending'
    ? state.phase
    : ((state?.status as ProcessState | undefined) ?? 'failed');
};

/** Triggers each event, with its preconditions. */
const fire: Readonly<
  Record<
    Event,
    {
      /** True if an earlier upload blocks this one. */
      readonly isBlocked: boolean;
      readonly mode: string;
      /** Base version of the finished merge; the dataset has none. */
      readonly base: number | null;
      run(processId: number, place: Place): Promise<unknown>;
    }
  >
> = {
  claimed: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: async (processId, { datasetId }) => {
      await sql.query(`UPDATE processes SET expires_at = now() + interval '1 minute' WHERE id = $1`, [
        processId,
      ]);
      await reservations().claim(processId, { datasetId, accountId: account }).catch(isRefused);
    },
  },
  accepted: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId, place) => accept(place, 'replace', processId).catch(isRefused),
  },
  expired: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: async (processId) => {
      await sql.query('UPDATE processes SET expires_at = now() WHERE id = $1', [processId]);
      await createTransitionRecords(sql).expireReserved();
    },
  },
  stored: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) =>
      createChunkRecords(sql).recordStored(
        {
          processId,
          number: 0,
          firstRow: 0,
          rows: 1,
          firstLine: 2,
          last: false,
          rawBytes: 2,
          data: Buffer.of(),
        },
        { topic: 'chunks', partition: 0, offset: '0' },
        1,
        { rows: 1, rejects: [] },
      ),
  },
  misfit: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).collect('misfit', processId, 1),
  },
  deferred: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).collect('deferred', processId, 1),
  },
  resolved: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).nextAttempt('resolved', processId, 1, layout),
  },
  miscounted: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).nextAttempt('miscounted', processId, 1, layout),
  },
  repeated: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).nextAttempt('repeated', processId, 1, layout),
  },
  verified: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId, { datasetId }) => publisher().verified({ processId, datasetId, attempt: 1, facts }),
  },
  merge_due: {
    isBlocked: false,
    mode: 'append',
    base: 999_999,
    run: (_, { datasetId }) => publisher().publishDue([datasetId]),
  },
  rebased: {
    isBlocked: true,
    mode: 'append',
    base: null,
    run: (processId) => createMergeRecords(sql).rebase(processId, layout),
  },
  merged: {
    isBlocked: true,
    mode: 'append',
    base: null,
    run: (processId) =>
      createMergeRecords(sql).finish(
        processId,
        { baseVersionId: null, segmentId: null, keepsBase: true, columns: [], facts },
        null,
      ),
  },
  published: {
    isBlocked: false,
    mode: 'replace',
    base: null,
    run: (_, { datasetId }) => publisher().publishDue([datasetId]),
  },
  checked: {
    isBlocked: false,
    mode: 'replace',
    base: null,
    run: async (processId, { datasetId }) => {
      await sql.query('UPDATE processes SET dry_run = true WHERE id = $1', [processId]);
      await publisher().publishDue([datasetId]);
    },
  },
  failed: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createTransitionRecords(sql).fail(processId, { code: 'made_up', message: 'made up' }),
  },
  retried: {
    isBlocked: true,
    mode: 'replace',
    base: null,
    run: (processId) => createRetryRecords(sql).retry(processId, () => undefined),
  },
};

const cells = stateNames.flatMap((state) =>
  eventNames.map((event) => [state, event, transitionOf(event).moves[state] ?? state] as const),
);

describe('an upload in each state', () => {
  it('starts in the first state', async () => {
    expect(await stateOf(await accept(await createDataset()))).toBe(firstState);
  });

  it.each(cells)('%s, %s: %s', async (state, event, expected) => {
    const { isBlocked, mode, base, run } = fire[event];
    const place = await createDataset();
    if (isBlocked) await accept(place);
    const processId = await accept(place, mode);
    await put(processId, state, base);
    await run(processId, place);
    expect(await stateOf(processId)).toBe(expected);
  });
});

describe('events that come too late', () => {
  it('do not change an attempt that has started since', async () => {
    const place = await createDataset();
    const processId = await accept(place);
    const events = createTransitionRecords(sql);
    await events.collect('misfit', processId, 1);
    await events.nextAttempt('resolved', processId, 1, layout);
    await events.nextAttempt('miscounted', processId, 1, layout);
    await publisher().verified({ processId, datasetId: place.datasetId, attempt: 1, facts });
    expect(await createProcessRecords(sql).state(processId)).toMatchObject({ phase: 'replay', attempt: 2 });
  });

  it('do not publish an upload that was cancelled while it was being published', async () => {
    const place = await createDataset();
    const processId = await accept(place);
    await put(processId, 'ready', null);
    let publishing: Promise<unknown> = Promise.resolve();
    await sql.tx(async (tx) => {
      await createTransitionRecords(tx).fail(processId, { code: 'cancelled', message: 'cancelled' });
      publishing = publisher().publishDue([place.datasetId]);
      // It has seen the process as ready and waits for its row lock.
      const lockWaits = async () =>
        (
          await sql.query(
            `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`,
          )
        ).length;
      await expect.poll(lockWaits).toBe(1);
    });
    expect(await publishing).toEqual({ published: [], failed: [], merges: [], rest: [] });
    expect(await stateOf(processId)).toBe('failed');
  });
});

describe('a merge with the current version', () => {
  it.each([
    ['is published', 0, 'completed'],
    ['is done again if the version was repaired since', 1, 'merge'],
  ] as const)('%s', async (_, repairs, expected) => {
    const place = await createDataset();
    await put(await accept(place), 'ready', null);
    const [base] = (await publisher().publishDue([place.datasetId])).published;
    const processId = await accept(place, 'append');
    await put(processId, 'merge', null);
    const { versionId: baseVersionId = 0 } = base ?? {};
    await createMergeRecords(sql).finish(
      processId,
      { baseVersionId, baseRepairs: 0, segmentId: null, keepsBase: true, columns: [], facts },
      null,
    );
    await sql.query('UPDATE versions SET repairs = repairs + $2 WHERE id = $1', [baseVersionId, repairs]);
    await publisher().publishDue([place.datasetId]);
    expect(await stateOf(processId)).toBe(expected);
  });
});

describe('a chunk of an upload that waits to be published', () => {
  it('is done with while the dataset is locked, and publishing is left to the sweep', async () => {
    const place = await createDataset();
    const processId = await accept(place);
    await put(processId, 'ready', null);
    const impatient = createPool({
      databaseUrl: database.databaseUrl,
      maxConnections: 1,
      statementMs: 100,
      log: silentLog,
    });
    const dispatcher = createDispatcher({
      processes: createProcessRecords(sql),
      transitions: createTransitionRecords(sql),
      publisher: publisher(createSql(impatient)),
      onPublished: () => undefined,
      onFailed: () => undefined,
      log: silentLog,
    });
    const state = await createProcessRecords(sql).state(processId);
    if (state === undefined) throw new Error('the upload is missing');
    await sql.tx(async (tx) => {
      await tx.query('SELECT 1 FROM datasets WHERE id = $1 FOR UPDATE', [place.datasetId]);
      expect(await dispatcher.settle(state, { kind: 'publish' })).toBe('over');
    });
    expect(await stateOf(processId)).toBe('ready');
    await publisher().publishDue([place.datasetId]);
    expect(await stateOf(processId)).toBe('completed');
    await impatient.end();
  });
});

describe('a long queue of uploads of one dataset', () => {
  it('is published in order, by transactions of at most ten uploads', async () => {
    const place = await createDataset();
    const queued: number[] = [];
    for (let upload = 0; upload < 25; upload += 1) queued.push(await accept(place));
    for (const processId of queued) await put(processId, 'ready', null);
    const batches: number[] = [];
    const published: number[] = [];
    for (let datasets: readonly number[] = [place.datasetId]; datasets.length > 0; ) {
      const due = await publisher().publishDue(datasets);
      batches.push(due.published.length);
      published.push(...due.published.map(({ processId }) => processId));
      datasets = due.rest;
    }
    expect(published).toEqual(queued);
    expect(Math.max(...batches)).toBe(10);
    expect(await Promise.all(queued.map(stateOf))).toEqual(queued.map(() => 'completed'));
  });

  it('is published completely by the dispatcher', async () => {
    const place = await createDataset();
    const queued: number[] = [];
    for (let upload = 0; upload < 25; upload += 1) queued.push(await accept(place));
    for (const processId of queued) await put(processId, 'ready', null);
    const announced: number[] = [];
    const dispatcher = createDispatcher({
      processes: createProcessRecords(sql),
      transitions: createTransitionRecords(sql),
      publisher: publisher(),
      onPublished: ({ processId }) => void announced.push(processId),
      onFailed: () => undefined,
      log: silentLog,
    });
    await dispatcher.publish(place.datasetId);
    expect(announced).toEqual(queued);
  });
});
