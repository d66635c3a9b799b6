/**
 * Reads of versions with patches, compared with a dataset that has the same rows without patches. The patches are
 * written directly, so that they come in all orders: on top of each other, on new rows, with appends in between.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import { createCompactions, createCompactor, createJoin } from '../../../src/rows/index.js';
import { createClickHouse } from '../../../src/storage/clickhouse/client.js';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { leasesOf } from '../../support/leases.js';
import { type PatchedRow, writePatch } from '../../support/patches.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

/** Every n-th version is read with all queries. */
const fullyReadInterval = Number(process.env.ASKED_VERSIONS ?? 10);

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    poolMaxRows: '0',
    compactionMinSegments: '0',
    patchFoldMinPercent: '0',
  });
  owner = await product.createAccount('owner', 'unlimited');
});
afterAll(() => product?.close());

interface Row {
  readonly position: bigint;
  readonly key: string;
  readonly day: string;
  readonly value: string;
}

const dayOf = (number: number): string => new Date(Date.UTC(2020, 0, 1 + number)).toISOString().slice(0, 10);
const csvOf = (rows: readonly Row[]): string =>
  `Key,Day,Value\n${rows.map(({ key, day, value }) => `${key},${day},${value}\n`).join('')}`;
const newRow = (name: string, number: number): Omit<Row, 'position'> => ({
  key: `${name}${number}`,
  day: dayOf(number % 50),
  value: String(number % 7 === 0 ? '' : number / 4),
});
const valuesOf = ({ key, day, value }: Omit<Row, 'position'>) => ({
  Key: `'${key}'`,
  Day: `'${day}'`,
  Value: value === '' ? 'NULL' : value,
});
const inOrder = (rows: readonly Row[]): Row[] =>
  [...rows].sort((one, other) => (one.position < other.position ? -1 : 1));

/** Deterministic random numbers. */
const createDraw = (seed: number) => {
  let state = seed;
  return (below: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

/** Creates a dataset with patches, and one with the same versions, each uploaded as a whole. */
const createTwins = async (first: number, seed: number) => {
  const [patched, plain] = [await createDataset(owner), await createDataset(owner)];
  const draw = createDraw(seed);
  const versions: { readonly patched: string; readonly plain: string; readonly rows: readonly Row[] }[] = [];
  let rows: Row[] = [];
  let uploads = 0;
  let made = 0;
  const next = (): number => {
    made += 1;
    return made;
  };
  const keep = async (patchedId: string | null, now: Row[]): Promise<void> => {
    rows = inOrder(now);
    const { versionId } = await uploadWith(owner, plain, csvOf(rows), { mode: 'replace' });
    versions.push({ patched: patchedId ?? '', plain: versionId ?? '', rows });
  };
  const append = async (count: number): Promise<void> => {
    uploads += 1;
    const added = Array.from({ length: count }, (_, at) => ({
      ...newRow('b', next()),
      position: BigInt(uploads) * BigInt(recordsPerUpload) + BigInt(at),
    }));
    const { versionId } = await uploadWith(owner, patched, csvOf(added), { mode: 'append' });
    await keep(versionId, [...rows, ...added]);
  };
  const patch = async (replaced: number, deleted: number, added: number): Promise<void> => {
    uploads += 1;
    const left = [...rows];
    const take = (): Row => left.splice(draw(left.length), 1)[0]!;
    const changes: (PatchedRow & { readonly row?: Omit<Row, 'position'> })[] = [
      ...Array.from({ length: replaced }, () => {
        const { position, ...before } = take();
        const row = { ...before, value: String(1_000 + next()) };
        return { at: position, row, values: valuesOf(row) };
      }),
      ...Array.from({ length: deleted }, () => ({ at: take().position })),
      ...Array.from({ length: added }, () => {
        const row = newRow('n', next());
        return { row, values: valuesOf(row) };
      }),
    ];
    const { versionId, positions } = await writePatch(product, patched, changes);
    const written = changes.flatMap(({ row }, at) =>
      row === undefined ? [] : [{ ...row, position: positions[at]! }],
    );
    await keep(versionId, [...left, ...written]);
  };
  await append(first);
  return { patched, plain, versions, append, patch };
};

const questions: readonly string[] = [
  '',
  '$top=5',
  '$skip=3&$top=7',
  '$skip=40',
  '$orderby=Value desc,Key',
  '$orderby=Day&$top=9',
  '$filter=Value gt 20',
  "$filter=Day ge 2020-01-10 and contains(Key,'n')",
  '$filter=Value eq null&$skip=1',
  '$select=Day&$distinct=true',
  '$last=3',
  'transpose=true',
  '$apply=groupby((Day),aggregate(Value with sum as Total,$count as Rows))',
  '$apply=aggregate(Value with average as Mean,Key with countdistinct as Keys)',
  '$apply=filter(Value gt 3)/groupby((Key))/top(4)',
  '$format=json&$top=20',
];

const readOf = async (dataset: number, versionId: string, question: string) => {
  const query = question === '' ? '$skip=0' : question;
  const answer = await call(owner, 'GET', `/datasets/${dataset}/data?versionId=${versionId}&${query}`);
  return { status: answer.status, body: await answer.text() };
};

/** Reads both datasets at the same version. */
const readBoth = (
  twins: { readonly patched: number; readonly plain: number },
  version: { readonly patched: string; readonly plain: string },
  question: string,
) =>
  Promise.all([
    readOf(twins.patched, version.patched, question),
    readOf(twins.plain, version.plain, question),
  ]);

const summaryOf = async (dataset: number, versionId: string): Promise<unknown> => {
  const { versionId: _, ...summary } = await json<{ versionId: string; columns: { id: number }[] }>(
    await call(owner, 'GET', `/datasets/${dataset}/summary?versionId=${versionId}`),
  );
  return { ...summary, columns: summary.columns.map(({ id: __, ...column }) => column) };
};

const steps = async ({ append, patch }: Awaited<ReturnType<typeof createTwins>>): Promise<void> => {
  await patch(1, 0, 0);
  await patch(0, 1, 0);
  await patch(5, 4, 3);
  await append(30);
  await patch(0, 0, 2);
  await patch(8, 9, 4);
  await append(1);
  for (let at = 0; at < 12; at += 1) await patch(2, 2, 2);
  await patch(20, 40, 0);
};

describe('versions with patches', () => {
  it('are read like versions without patches', async () => {
    const twins = await createTwins(60, 1);
    await steps(twins);
    // Some versions are read with all queries, among them the first and the last of 21.
    for (const [at, version] of twins.versions.entries())
      for (const question of at % fullyReadInterval === 0 ? questions : ['']) {
        const [answer, expected] = await readBoth(twins, version, question);
        expect(answer, `${version.patched} ${question}`).toEqual(expected);
        if (question === '') expect(answer.body.split('\r\n').length - 2).toBe(version.rows.length);
      }
    const last = twins.versions.at(-1)!;
    expect(await summaryOf(twins.patched, last.patched)).toEqual(await summaryOf(twins.plain, last.plain));
  });

  it('have the same differences as versions without patches', async () => {
    const twins = await createTwins(20, 2);
    await twins.patch(2, 1, 1);
    await twins.patch(0, 3, 0);
    await twins.append(4);
    await twins.patch(3, 3, 3);
    await twins.patch(1, 0, 0);
    const diff = async (dataset: number, from: string, to: string) => {
      const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
      const {
        from: _,
        to: __,
        ...counts
      } = await json<Record<string, unknown>>(await call(owner, 'GET', path));
      const rows = await call(owner, 'GET', `${path}/rows`);
      return { counts, status: rows.status, rows: await rows.text() };
    };
    for (const from of twins.versions)
      for (const to of twins.versions) {
        const [answer, expected] = await Promise.all([
          diff(twins.patched, from.patched, to.patched),
          diff(twins.plain, from.plain, to.plain),
        ]);
        expect(answer).toEqual(expected);
      }
  });

  it('have the same revisions as versions without patches', async () => {
    const twins = await createTwins(15, 3);
    await twins.patch(3, 2, 1);
    await twins.patch(3, 2, 1);
    await twins.append(3);
    await twins.patch(4, 4, 0);
    const revisions = async (dataset: number, side: 'patched' | 'plain', query: string) => {
      const rows = await json<{ versionId: string; publishedAt: string }[]>(
        await call(owner, 'GET', `/datasets/${dataset}/revisions?${query}`),
      );
      return rows.map(({ publishedAt: _, versionId, ...row }) => ({
        ...row,
        version: twins.versions.findIndex((version) => version[side] === versionId),
      }));
    };
    for (const query of ['', '$filter=Value gt 3', 'vintage=first', 'vintage=latest', '$select=Key,Value'])
      expect(await revisions(twins.patched, 'patched', query), query).toEqual(
        await revisions(twins.plain, 'plain', query),
      );
  });

  it('can be read from any row number', async () => {
    const twins = await createTwins(60_000, 4);
    await twins.patch(500, 3_000, 200);
    await twins.append(25_000);
    await twins.patch(300, 9_000, 12_000);
    await twins.patch(300, 100, 0);
    for (const { patched, rows } of twins.versions)
      for (const skip of [19_999, 20_000, 33_333, 57_000, 59_900, 60_200, rows.length - 2, rows.length - 1]) {
        if (skip >= rows.length) continue;
        const expected = csvOf(rows.slice(skip, skip + 3))
          .split('\n')
          .slice(1, -1)
          .map((line) => line.split(',')[0]);
        const { body } = await readOf(twins.patched, patched, `$skip=${skip}&$top=3`);
        expect(
          body
            .trimEnd()
            .split('\r\n')
            .slice(1)
            .map((line) => line.split(',')[0]?.replaceAll('"', '')),
          `${patched} ${skip}`,
        ).toEqual(expected);
      }
  });

  it('are read like versions without patches when they end in the middle of a joined base', async () => {
    const twins = await createTwins(25_000, 7);
    await twins.patch(20, 30, 10);
    await twins.append(15_000);
    await twins.patch(40, 20, 5);
    await twins.append(12_000);
    await twins.patch(10, 2_000, 0);
    const compactions = createCompactions({ sql: product.sql, leases: leasesOf(product.sql) });
    const clickhouse = createClickHouse({
      url: product.config.clickhouseUrl ?? '',
      database: product.config.clickhouseDatabase,
    });
    const joined = await createCompactor({
      compactions: {
        ...compactions,
        candidates: async (...limits) =>
          (await compactions.candidates(...limits)).filter(({ datasetId }) => datasetId === twins.patched),
      },
      join: createJoin({ clickhouse, log: silentLog }),
      bounds: { least: 2, maxBytes: 1_000_000_000 },
      onJoined: () => undefined,
      log: silentLog,
    }).compact(new AbortController().signal);
    await clickhouse.close();
    expect(joined).toBe(1);
    const cut = await product.sql.query(
      `SELECT DISTINCT r.from_version::text AS version FROM segment_ranges r JOIN segment_ranges p ON p.dataset_id = r.dataset_id
         AND p.from_version = r.from_version JOIN segments g ON g.id = p.segment_id
       WHERE r.dataset_id = $1 AND r.before_upload IS NOT NULL`,
      [twins.patched],
    );
    expect(cut.length).toBeGreaterThan(0);
    for (const version of twins.versions) {
      const { patched, plain, rows } = version;
      for (const question of [
        ...['', '$skip=20001&$top=3', `$skip=${rows.length - 2}`, '$filter=Value gt 5000', '$last=3'],
        '$apply=groupby((Day),aggregate(Value with sum as Total,$count as Rows))',
      ]) {
        const [answer, expected] = await readBoth(twins, version, question);
        expect(answer, `${patched} ${question}`).toEqual(expected);
        if (question === '') expect(answer.body.split('\r\n').length - 2).toBe(rows.length);
      }
      expect(await summaryOf(twins.patched, patched)).toEqual(await summaryOf(twins.plain, plain));
    }
    const differences = async (side: 'patched' | 'plain'): Promise<string[]> => {
      const all: string[] = [];
      for (const from of twins.versions)
        for (const to of twins.versions) {
          const path = `/datasets/${twins[side]}/versions/${from[side]}/diff/${to[side]}/rows?$top=50`;
          all.push(await (await call(owner, 'GET', path)).text());
        }
      return all;
    };
    const [answers, expected] = await Promise.all([differences('patched'), differences('plain')]);
    expect(answers).toEqual(expected);
  });

  it('answer 503 when rows of a patch are missing', async () => {
    const twins = await createTwins(10, 5);
    await twins.patch(2, 2, 2);
    const { patched } = twins.versions.at(-1)!;
    const [segment] = await product.sql.query<{ id: number; store: number }>(
      'SELECT s.id, s.store_id AS store FROM segments s JOIN datasets d ON d.store_id = s.store_id WHERE d.id = $1 AND s.patch',
      [twins.patched],
    );
    await product.clickhouse(
      `ALTER TABLE ${product.config.clickhouseDatabase}.s${segment?.store} DROP PARTITION ${segment?.id}`,
    );
    expect((await readOf(twins.patched, patched, '')).status).toBe(503);
    expect((await readOf(twins.patched, twins.versions[0]!.patched, '')).status).toBe(200);
  });

  it('can be cloned', async () => {
    const twins = await createTwins(12, 6);
    await twins.patch(2, 2, 2);
    const [home] = await product.sql.query<{ id: number }>(
      'SELECT repository_id AS id FROM datasets WHERE id = $1',
      [twins.patched],
    );
    const clone = await json<{ id: number }>(
      await call(owner, 'POST', `/datasets/${twins.patched}/clone`, {
        name: `clone ${twins.patched}`,
        repositoryId: home?.id,
      }),
      201,
    );
    const current = await call(owner, 'GET', `/datasets/${clone.id}/data?$skip=0`);
    const { body } = await readOf(twins.plain, twins.versions.at(-1)!.plain, '');
    expect(await current.text()).toBe(body);
    await upload(owner, clone.id, 'Key,Day,Value\nz,2020-01-01,1\n');
    expect((await readOf(twins.patched, twins.versions.at(-1)!.patched, '')).body).toBe(body);
  });
});
