import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createBackfills, type SeriesUpload } from '../../../src/gateway/datasets/backfill.js';
import { createBackfillRecords } from '../../../src/gateway/datasets/backfill-records.js';
import { nextRunOf } from '../../../src/gateway/datasets/schedule.js';
import { createSeriesDatasetRecords } from '../../../src/gateway/datasets/series-dataset-records.js';
import { createSeriesDatasets, type SeriesDatasets } from '../../../src/gateway/datasets/series-datasets.js';
import type { UnnamedSeries } from '../../../src/gateway/datasets/wanted-series.js';
import type { Gateway } from '../../../src/gateway/gateway.js';
import { createSeriesAnswer, type SeriesAnswer } from '../../../src/gateway/series-answer.js';
import { AppError } from '../../../src/lib/errors.js';
import { silentLog } from '../../../src/lib/log.js';
import type { ProcessView } from '../../../src/model/process.js';
import { leasesOf } from '../../support/leases.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
let account = 0;
beforeAll(async () => {
  database = await openDatabase();
  account = await database.addAccount('maker');
});
afterAll(() => database.close());

const query = async <T>(text: string, values: unknown[] = []): Promise<T> => {
  const [row] = await database.sql.query<T>(text, values);
  if (row === undefined) throw new Error('no row');
  return row;
};

const addDataset = async (): Promise<number> => {
  const { repository } = await query<{ repository: number }>(
    `INSERT INTO repositories (name, privacy, created_by) VALUES ($1, 'Private', $2) RETURNING id AS repository`,
    [randomUUID(), account],
  );
  const { store } = await query<{ store: number }>('INSERT INTO stores DEFAULT VALUES RETURNING id AS store');
  const { id } = await query<{ id: number }>(
    `INSERT INTO datasets (repository_id, store_id, name, created_by) VALUES ($1, $2, 'd', $3) RETURNING id`,
    [repository, store, account],
  );
  return id;
};

const addProcess = async (datasetId: number): Promise<ProcessView> =>
  query<ProcessView>(
    `INSERT INTO processes (dataset_id, mode, created_by, request_id) VALUES ($1, 'replace', $2, 'r') RETURNING id`,
    [datasetId, account],
  );

/** Answer of the upstream for every series; throws its failure. */
let answer: () => Partial<SeriesAnswer>;
let requests: string[] = [];
let uploads: SeriesUpload[] = [];
let outcomes: string[] = [];

/** Last update of every series, as reported by the upstream. */
let lastUpdate: string | undefined;

const gateway: Pick<Gateway, 'fullSeries' | 'panel' | 'detail' | 'lastUpdate'> = {
  panel: async () => {
    throw new Error('no panel here');
  },
  lastUpdate: async () => lastUpdate,
  detail: async () => ({
    slug: 'stats',
    name: 'Statistics',
    provider: 'Office',
    description: '',
    capabilities: [],
    parameters: [],
    popular_series: [],
    series_id_placeholder: 'X',
    has_user_api_key: false,
    keeps_vintages: false,
    attribution: 'Source: Office',
  }),
  fullSeries: async (caller, slug, seriesId, params) => {
    requests.push(`${caller.share} ${slug} ${seriesId} ${JSON.stringify(params)}`);
    return createSeriesAnswer({
      params: {},
      seriesId,
      label: `Label of ${seriesId}`,
      metadata: {},
      data: [{ date: '2026-01-01', value: '1.0' }],
      isPreview: false,
      keyNotice: undefined,
      ageSeconds: 0,
      stale: false,
      ...answer(),
    });
  },
};

const never = new AbortController().signal;

/** Opens a process with its own leases. */
const openProcess = (sql = database.sql): SeriesDatasets => {
  const leases = leasesOf(sql);
  return createSeriesDatasets({
    gateway,
    records: createSeriesDatasetRecords(sql),
    upload: async (upload) => {
      uploads.push(upload);
      return addProcess(upload.datasetId);
    },
    callerOf: async (accountId) => ({ accountId, share: `account:${accountId}`, mayUsePaid: true }),
    backfills: createBackfills({
      gateway: { vintageDays: async () => [], vintages: async () => () => [] },
      records: createBackfillRecords(sql),
      upload: async ({ datasetId }) => addProcess(datasetId),
      callerOf: async (accountId) => ({ accountId, share: 'a', mayUsePaid: true }),
      vintagesPerStep: 50,
      leases,
      log: silentLog,
    }),
    onRun: (outcome) => outcomes.push(outcome),
    leases,
    log: silentLog,
  });
};

const withUnits = (...ids: string[]) => ids.map((id) => ({ id, params: { units: 'lin' } }));

const make = async (
  changes: { refresh?: string | null; series?: readonly UnnamedSeries[] } = {},
): Promise<number> => {
  const { datasetId } = await openProcess().create(
    { accountId: account, share: `account:${account}`, mayUsePaid: true },
    {
      slug: 'STATS',
      series: changes.series ?? withUnits('a/b'),
      refresh: changes.refresh === undefined ? 'daily' : changes.refresh,
      withFlags: false,
      isPanel: false,
      backfill: false,
      name: undefined,
      description: undefined,
    },
    { create: async () => ({ id: await addDataset() }), remove: async () => undefined },
    'request',
  );
  return datasetId;
};

interface State {
  next: Date | null;
  error: string | null;
  failures: number;
  since: Date | null;
}
const stateOf = (datasetId: number): Promise<State> =>
  query(
    `SELECT next_run_at AS next, last_error AS error, failures, failing_since AS since
     FROM series_datasets WHERE dataset_id = $1`,
    [datasetId],
  );

beforeEach(async () => {
  await database.sql.query('DELETE FROM series_datasets');
  answer = () => ({});
  lastUpdate = undefined;
  requests = [];
  uploads = [];
  outcomes = [];
});

describe('a dataset made of series', () => {
  it('is uploaded at once, and its next run is at its own time of day', async () => {
    const id = await make({ series: withUnits('a/b', 'c') });
    expect(requests).toEqual(
      ['a/b', 'c'].map((series) => `account:${account} STATS ${series} {"units":"lin"}`),
    );
    expect(uploads[0]?.csv.toString()).toBe('Date,Series,Value\n2026-01-01,"a/b",1.0\n2026-01-01,"c",1.0\n');
    expect((await stateOf(id)).next?.getTime()).toBe(nextRunOf('daily', id, Date.now()));
  });

  it('requests each series with its own parameters, and distinguishes series of the same id', async () => {
    const series = ['NOR', 'SWE', 'NOR'].map((country) => ({ id: 'GDP', params: { units: 'lin', country } }));
    answer = () => ({ params: { start: '2006-01-01' } });
    const id = await make({ series });
    expect(uploads[0]?.csv.toString()).toBe(
      'Date,Series,Value\n2026-01-01,"GDP?country=NOR",1.0\n2026-01-01,"GDP?country=SWE",1.0\n',
    );
    const { described } = await query<{ described: { name: string }[] }>(
      'SELECT described FROM series_datasets WHERE dataset_id = $1',
      [id],
    );
    expect(described.map(({ name }) => name)).toEqual(['GDP?country=NOR', 'GDP?country=SWE']);
    requests = [];
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    // The start chosen by the provider is kept.
    expect(requests.map((text) => JSON.parse(text.slice(text.indexOf('{'))))).toEqual(
      ['NOR', 'SWE'].map((country) => ({ units: 'lin', country, start: '2006-01-01' })),
    );
    expect(outcomes).toEqual(['unchanged']);
  });

  it('has no next run without a schedule, until one is requested', async () => {
    const id = await make({ refresh: null });
    expect((await stateOf(id)).next).toBeNull();
    expect(await openProcess().runDue(never)).toBe(0);
    await openProcess().refreshSoon(id);
    expect(await openProcess().runDue(never)).toBe(1);
    expect((await stateOf(id)).next).toBeNull();
  });

  it('is not created when a series is unavailable', async () => {
    answer = () => {
      throw new AppError('not_found', 'series_not_found', 'no such series');
    };
    await expect(make()).rejects.toThrow('no such series');
    expect(await database.sql.query('SELECT 1 FROM series_datasets')).toEqual([]);
  });
});

describe('a refresh', () => {
  it('uploads only what has changed', async () => {
    const id = await make();
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([outcomes, uploads.length]).toEqual([['unchanged'], 1]);
    answer = () => ({ data: [{ date: '2026-01-01', value: '1.1' }] });
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([outcomes, uploads.length]).toEqual([['unchanged', 'changed'], 2]);
  });

  const refreshed = async (id: number): Promise<number> => {
    requests = [];
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    return requests.length;
  };

  it('requests no values if the provider reports no change', async () => {
    lastUpdate = '2026-02-26 07:54:01-06';
    const id = await make({ series: withUnits('a', 'b') });
    expect(await refreshed(id)).toBe(0);
    expect(outcomes).toEqual(['unchanged']);
    lastUpdate = '2026-03-26 07:54:01-06';
    answer = () => ({ data: [{ date: '2026-01-01', value: '1.1' }] });
    expect(await refreshed(id)).toBe(2);
    expect(outcomes).toEqual(['unchanged', 'changed']);
    expect(await refreshed(id)).toBe(0);
    // A failed upload is repeated, whatever the provider reports.
    await database.sql.query(`UPDATE processes SET status = 'failed' WHERE dataset_id = $1`, [id]);
    expect(await refreshed(id)).toBe(2);
  });

  it.each([
    ['reports no last update', undefined, 0],
    ['reports an update of today, which may not be the last one', new Date().toISOString().slice(0, 10), 0],
    ['served values that are older than the report', '2026-02-26 07:54:01-06', 30],
  ])('requests values if the provider %s', async (_name, mark, ageSeconds) => {
    lastUpdate = mark;
    answer = () => ({ ageSeconds });
    expect(await refreshed(await make())).toBe(1);
  });

  it('uploads the same data again after a failed upload', async () => {
    const id = await make();
    await database.sql.query(`UPDATE processes SET status = 'failed' WHERE dataset_id = $1`, [id]);
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect(uploads).toHaveLength(2);
  });

  it('that fails shows why and is retried soon; a later success clears the failure', async () => {
    const id = await make();
    answer = () => {
      throw new AppError('upstream', 'upstream_failed', 'Statistics answered with an error.');
    };
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    const failed = await stateOf(id);
    expect(failed).toMatchObject({ error: 'Statistics answered with an error.', failures: 1 });
    expect(failed?.since).toBeInstanceOf(Date);
    expect((failed.next?.getTime() ?? 0) - Date.now()).toBeLessThanOrEqual(600_000);
    answer = () => ({});
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect(await stateOf(id)).toMatchObject({ error: null, failures: 0, since: null });
  });

  it('stores descriptions and marks with text that PostgreSQL cannot store', async () => {
    const odd = 'odd\0\ud800';
    lastUpdate = odd;
    answer = () => ({
      label: odd,
      metadata: { unit: odd, source: odd, flags: { [odd]: odd } },
      data: [{ date: '2026-01-01', value: '1.1' }],
    });
    const id = await make();
    expect(await refreshed(id)).toBe(0);
    lastUpdate = undefined;
    expect(await refreshed(id)).toBe(1);
    const clean = 'odd\ufffd';
    expect(await query('SELECT described FROM series_datasets WHERE dataset_id = $1', [id])).toMatchObject({
      described: [{ label: clean, unit: clean, source: clean, flags: { [clean]: clean } }],
    });
  });

  it('whose outcome cannot be stored fails, and does not keep others from being refreshed', async () => {
    const [bad, good] = [await make(), await make()];
    await database.sql.query(
      `ALTER TABLE series_datasets ADD CONSTRAINT refuse CHECK (dataset_id <> ${bad} OR last_error IS NOT NULL OR next_run_at <= now()) NOT VALID`,
    );
    try {
      await openProcess().refreshSoon(bad);
      await openProcess().refreshSoon(good);
      await openProcess().runDue(never);
    } finally {
      await database.sql.query('ALTER TABLE series_datasets DROP CONSTRAINT refuse');
    }
    expect(await stateOf(bad)).toMatchObject({ error: 'The refresh failed.', failures: 1 });
    expect((await stateOf(bad)).next?.getTime()).toBeGreaterThan(Date.now());
    expect((await stateOf(good)).next?.getTime()).toBeGreaterThan(Date.now());
  });

  it('whose outcome cannot be stored, or not at once, does not upload the same again', async () => {
    const id = await make();
    answer = () => ({ data: [{ date: '2026-01-01', value: '1.1' }] });
    await database.sql.query(
      `ALTER TABLE series_datasets ADD CONSTRAINT refuse CHECK (last_error IS NOT NULL OR next_run_at <= now()) NOT VALID`,
    );
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    await database.sql.query('ALTER TABLE series_datasets DROP CONSTRAINT refuse');
    expect([uploads.length, (await stateOf(id)).failures]).toEqual([2, 1]);
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([uploads.length, (await stateOf(id)).failures]).toEqual([2, 0]);
    answer = () => ({ data: [{ date: '2026-01-01', value: '1.2' }] });
    const stop = new AbortController();
    let failures = 2;
    const unsteady: typeof database.sql = {
      ...database.sql,
      query: async (statement, values) => {
        const text = typeof statement === 'string' ? statement : statement.text;
        if (text.includes('SET last_run_at') && failures > 0) {
          failures -= 1;
          stop.abort();
          throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
        }
        return database.sql.query(statement, values);
      },
    };
    await openProcess().refreshSoon(id);
    await openProcess(unsteady).runDue(stop.signal);
    expect([uploads.length, failures]).toEqual([3, 0]);
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([uploads.length, (await stateOf(id)).failures]).toEqual([3, 0]);
  });

  it('uploads no stale answer that is served while the upstream is down', async () => {
    const id = await make();
    answer = () => ({ stale: true, data: [{ date: '2026-01-01', value: '0.9' }] });
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect(uploads).toHaveLength(1);
    expect((await stateOf(id)).error).toMatch(/could not be reached/);
  });

  it('fails when the provider suddenly has no observations, and keeps the rows', async () => {
    const id = await make({ series: withUnits('a', 'b') });
    answer = () => ({ data: [] });
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([uploads.length, outcomes]).toEqual([1, ['failed']]);
    expect((await stateOf(id)).error).toMatch(/no observations, although there were some before/);
  });

  it('accepts that a series without observations still has none', async () => {
    answer = () => ({ data: [] });
    const id = await make();
    await openProcess().refreshSoon(id);
    await openProcess().runDue(never);
    expect([outcomes, (await stateOf(id)).error]).toEqual([['unchanged'], null]);
  });

  it('runs once when two processes look for due ones', async () => {
    const ids = await Promise.all(Array.from({ length: 12 }, () => make()));
    for (const id of ids) await openProcess().refreshSoon(id);
    requests = [];
    const runs = await Promise.all([
      openProcess().runDue(never),
      openProcess(database.other()).runDue(never),
    ]);
    expect(runs[0] + runs[1]).toBe(12);
    expect(requests).toHaveLength(12);
  });

  it('of a process that died is taken over when its lease expires', async () => {
    const id = await make();
    const records = createSeriesDatasetRecords(database.sql);
    await records.refreshSoon(id);
    await leasesOf(database.sql).whileHeld('refresh', id, async () => {
      expect(await openProcess().runDue(never)).toBe(0);
      await database.sql.query('UPDATE jobs SET held_until = now() WHERE subject = $1::text', [id]);
      expect(await openProcess().runDue(never)).toBe(1);
    });
  });

  it('that is requested during a run is due after it', async () => {
    const id = await make();
    const records = createSeriesDatasetRecords(database.sql);
    await records.refreshSoon(id);
    const run = await records.begin(id);
    if (run === undefined) throw new Error('nothing was due');
    await records.refreshSoon(id);
    await records.finish(run, { nextRunAt: new Date(Date.now() + 1e7), error: null });
    expect(await records.due()).toEqual([id]);
  });

  it('is released when the process stops', async () => {
    const id = await make({ series: withUnits('first', 'second') });
    requests = [];
    const stop = new AbortController();
    answer = () => {
      stop.abort();
      return {};
    };
    await openProcess().refreshSoon(id);
    await openProcess().runDue(stop.signal);
    expect([requests.length, outcomes]).toEqual([1, []]);
    answer = () => ({});
    expect(await openProcess().runDue(never)).toBe(1);
  });
});
