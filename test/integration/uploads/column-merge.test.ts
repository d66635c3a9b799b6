/** Merging of columns: values, types, collisions, order among uploads, permissions. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Failure, putWith, uploadWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({
    columnMergePollMs: '50',
    sweepIntervalMs: '200',
    poolMaxRows: '1000',
    firstChunkBytes: '20000',
    chunkBytes: '20000',
  });
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

const columnOf = async (dataset: number, name: string): Promise<number> => {
  const found = (await readDataset(owner, dataset)).columns.find((column) => column.name === name);
  if (found === undefined) throw new Error(`there is no column ${name}`);
  return found.id;
};

interface MergeOptions {
  readonly body?: object;
  readonly query?: string;
  readonly as?: Client;
}

const merge = async (
  dataset: number,
  from: string,
  into: string,
  { body = {}, query = '', as = owner }: MergeOptions = {},
): Promise<Response> => {
  const path = `/datasets/${dataset}/columns/${await columnOf(dataset, from)}${query}`;
  return call(as, 'PATCH', path, { name: into, merge: true, ...body });
};

interface MergeFailure extends Failure {
  readonly details: { processId: number; count: number; collisions: object[] };
}

const refused = async (response: Response, status: number): Promise<MergeFailure> =>
  json<MergeFailure>(response, status);

const rowsOf = async (dataset: number, query = ''): Promise<string> =>
  (await download(owner, dataset, query)).replaceAll('"', '');

const send = async (dataset: number, file: string, mode: string): Promise<void> => {
  expect(await uploadWith(owner, dataset, file, { mode })).toMatchObject({
    status: 'completed',
    error: null,
  });
};

const versionsOf = async (dataset: number) =>
  json<{ versionId: string; mode: string; rows: number; columns: { removed: string[] } }[]>(
    await call(owner, 'GET', `/datasets/${dataset}/versions`),
  );

describe('columns merged by rename', () => {
  it('become one column with the id of the kept name; older versions are unchanged', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'Country,country,v\nNorway,,1\n,Sweden,2\nDenmark,Denmark,3\n,,4\n');
    const before = (await versionsOf(dataset))[0]?.versionId ?? '';
    const kept = await columnOf(dataset, 'Country');
    const column = await json<object>(await merge(dataset, 'country', 'Country'));
    expect(column).toMatchObject({ id: kept, name: 'Country', dataType: 'String', isEntity: true });
    expect(await rowsOf(dataset)).toBe('Country,v\nNorway,1\nSweden,2\nDenmark,3\n,4\n');
    expect(await rowsOf(dataset, `?versionId=${before}`)).toBe(
      'Country,country,v\nNorway,,1\n,Sweden,2\nDenmark,Denmark,3\n,,4\n',
    );
    const [version] = await versionsOf(dataset);
    expect(version).toMatchObject({ mode: 'merge_columns', rows: 4, columns: { removed: ['country'] } });
    const [process] = await json<object[]>(await call(owner, 'GET', `/datasets/${dataset}/processes`));
    expect(process).toMatchObject({
      mode: 'merge_columns',
      status: 'completed',
      versionId: version?.versionId,
    });
  });

  it('appear as changed rows in a comparison with the version before', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\ny,,2\n');
    await json(await merge(dataset, 'b', 'a'));
    const [to, from] = (await versionsOf(dataset)).map(({ versionId }) => versionId);
    const path = `/datasets/${dataset}/versions/${from}/diff/${to}`;
    expect(await json(await call(owner, 'GET', path))).toMatchObject({ added: 0, removed: 0, changed: 1 });
  });

  it('keep the order of many rows in several segments', async () => {
    const dataset = await createDataset(owner);
    const lines = (from: number, count: number, line: (n: number) => string): string =>
      Array.from({ length: count }, (_, at) => line(from + at)).join('');
    const first = `n,value\n${lines(0, 4000, (n) => `${n},${n}.5\n`)}`;
    const second = `n,Value\n${lines(4000, 3000, (n) => `${n},${n}.25\n`)}`;
    await send(dataset, first, 'replace');
    await send(dataset, second, 'append');
    await json(await merge(dataset, 'Value', 'value'));
    const expected = `n,value\n${lines(0, 4000, (n) => `${n},${n}.5\n`)}${lines(4000, 3000, (n) => `${n},${n}.25\n`)}`;
    expect(await rowsOf(dataset)).toBe(expected);
    await send(dataset, 'n,value\n7000,1\n', 'append');
    expect(await rowsOf(dataset)).toBe(`${expected}7000,1\n`);
  });

  it('cannot have different values in one row: such rows are listed, and nothing changes', async () => {
    const dataset = await createDataset(owner);
    await send(dataset, 'k,a,b\nr1,1,1\nr2,2,3\nr3,,4\n', 'replace');
    await send(dataset, 'k,a,b\nr4,5,6\nr5,7,7.0\nr6,8,9\nr7,10,11\n', 'append');
    const failure = await refused(await merge(dataset, 'b', 'a'), 409);
    expect(failure).toMatchObject({
      code: 'values_collide',
      details: {
        count: 4,
        collisions: [
          { row: 2, key: { k: 'r2' }, values: { a: '2', b: '3' } },
          { row: 4, key: { k: 'r4' }, values: { a: '5', b: '6' } },
          { row: 6, key: { k: 'r6' }, values: { a: '8', b: '9' } },
        ],
      },
    });
    expect(await rowsOf(dataset)).toContain('r2,2,3\n');
    expect((await versionsOf(dataset)).length).toBe(2);
    const path = `/datasets/${dataset}/processes/${failure.details.processId}`;
    expect(await json(await call(owner, 'GET', path))).toMatchObject({
      status: 'failed',
      error: { code: 'values_collide', count: 4 },
    });
  });

  it('keep every digit: doubles and exact decimals, near and far dates', async () => {
    const dataset = await createDataset(owner);
    const file =
      'k,f,n,d,e\n1,0.1,,2020-01-31,\n2,,12345678901234567890.123456789,,0999-12-31\n3,-1e-7,,,1850-06-01\n4,250,250.000,,\n';
    await upload(owner, dataset, file);
    await json(await merge(dataset, 'n', 'f'));
    await json(await merge(dataset, 'e', 'd'));
    const rows = await json<object[]>(await call(owner, 'GET', `/datasets/${dataset}/data?$format=json`));
    expect(JSON.stringify(rows)).toContain('0999-12-31');
    const text = await rowsOf(dataset);
    expect(text.split('\n').slice(0, 4)).toEqual([
      'k,f,d',
      '1,0.1,2020-01-31',
      '2,12345678901234567890.123456789,0999-12-31',
      '3,-0.0000001,1850-06-01',
    ]);
    expect(text.split('\n')[4]).toMatch(/^4,250,?$/);
  });

  it('become text when only text can represent both types, if that is requested', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,year,Year\na,2020,\nb,,2021e\n');
    const failure = await refused(await merge(dataset, 'Year', 'year'), 409);
    expect(failure).toMatchObject({ code: 'type_conflict' });
    const column = await json<object>(
      await merge(dataset, 'Year', 'year', { body: { onTypeConflict: 'widen' } }),
    );
    expect(column).toMatchObject({ name: 'year', dataType: 'String' });
    expect(await rowsOf(dataset)).toBe('k,year\na,2020\nb,2021e\n');
  });

  it('take the type of the one that has values', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,,1.5\ny,,2\n');
    const column = await json<object>(await merge(dataset, 'b', 'a'));
    expect(column).toMatchObject({ name: 'a', dataType: 'Decimal' });
    expect(await rowsOf(dataset)).toBe('k,a\nx,1.5\ny,2\n');
  });

  it('can have no rows, and extend the range of dates', async () => {
    const empty = await createDataset(owner);
    await upload(owner, empty, 'a,b\n');
    await json(await merge(empty, 'b', 'a'));
    expect(await rowsOf(empty)).toBe('a\n');
    const dated = await createDataset(owner);
    await upload(owner, dated, 'd,e,v\n2020-01-01,,1\n,2021-06-01,2\n');
    await json(await merge(dated, 'e', 'd'));
    expect(await readDataset(owner, dated)).toMatchObject({ minDate: '2020-01-01', maxDate: '2021-06-01' });
  });
});

describe('a merge among uploads', () => {
  it('runs in its turn: it includes an earlier append, and a later one adds the name again', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await product.stopWorker();
    const append = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,a,b\ny,,2\n', { mode: 'append' }),
      201,
    );
    const merging = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    const again = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    expect(again.id).toBe(merging.id);
    const late = await json<ProcessAnswer>(
      await putWith(owner, dataset, 'k,a,b\nz,3,4\n', { mode: 'append' }),
      201,
    );
    await product.startWorker();
    for (const process of [append, merging, late])
      expect(await ended(owner, process)).toMatchObject({ status: 'completed', error: null });
    expect(await rowsOf(dataset)).toBe('k,a,b\nx,1,\ny,2,\nz,3,4\n');
  });

  it('sees values that an earlier append adds', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await product.stopWorker();
    await json(await putWith(owner, dataset, 'k,a,b\ny,2,3\n', { mode: 'append' }), 201);
    const merging = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    await product.startWorker();
    expect(await ended(owner, merging)).toMatchObject({
      status: 'failed',
      error: { code: 'values_collide', count: 1 },
    });
    expect(await rowsOf(dataset)).toBe('k,a,b\nx,1,\ny,2,3\n');
  });

  it('can be cancelled while it is pending', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await product.stopWorker();
    const { id } = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    const cancelled = await call(owner, 'DELETE', `/datasets/${dataset}/processes/${id}`);
    expect(await json(cancelled)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } });
    await product.startWorker();
    expect(await rowsOf(dataset)).toBe('k,a,b\nx,1,\n');
  });

  it('is taken over from a worker that died, and repeated when the version has changed meanwhile', async () => {
    const dataset = await createDataset(owner);
    const first = await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await send(dataset, 'k,a,b\ny,,2\n', 'append');
    await product.stopWorker();
    const merging = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    await product.sql.query(`UPDATE processes SET phase = 'merge', merge_attempt = 1 WHERE id = $1`, [
      merging.id,
    ]);
    await product.sql.query(
      `INSERT INTO jobs (name, subject, lease, held_until)
       VALUES ('upload', $1::text, gen_random_uuid(), now() + interval '1 s')`,
      [merging.id],
    );
    await json(await call(owner, 'POST', `/datasets/${dataset}/versions/${first.versionId}/restore`), 201);
    await product.startWorker();
    expect(await ended(owner, merging)).toMatchObject({ status: 'completed', error: null });
    expect(await rowsOf(dataset)).toBe('k,a\nx,1\n');
  });

  it('waits while ClickHouse takes no rows, and fails when its tries are used up', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    const [store] = await product.sql.query<{ id: number }>(
      'SELECT store_id AS id FROM datasets WHERE id = $1',
      [dataset],
    );
    const lines = Array.from({ length: 1200 }, (_, at) => `y${at},,2\n`).join('');
    await send(dataset, `k,a,b\n${lines}`, 'append');
    await send(dataset, 'k,a,b\nz,3,\n', 'append');
    const rows = await rowsOf(dataset);
    const setting = (change: string): Promise<string> =>
      product.clickhouse(`ALTER TABLE ${product.config.clickhouseDatabase}.s${store?.id} ${change}`);
    const triesOf = async (id: number): Promise<number> => {
      const [row] = await product.sql.query<{ tries: number }>(
        'SELECT coalesce(merge_attempt, 0) AS tries FROM processes WHERE id = $1',
        [id],
      );
      return row?.tries ?? 0;
    };
    const begin = async () => json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);

    await setting('MODIFY SETTING max_parts_in_total = 1');
    const refusedOne = await begin();
    await expect.poll(() => triesOf(refusedOne.id)).toBeGreaterThan(1);
    await product.sql.query('UPDATE processes SET merge_attempt = 298 WHERE id = $1', [refusedOne.id]);
    await product.stopWorker();
    await product.startWorker();
    expect(await ended(owner, refusedOne)).toMatchObject({
      status: 'failed',
      error: { code: 'store_refused', message: expect.stringContaining('TOO_MANY_PARTS') },
    });
    expect(await rowsOf(dataset)).toBe(rows);

    const delayed = await begin();
    await expect.poll(() => triesOf(delayed.id)).toBeGreaterThan(0);
    await setting('RESET SETTING max_parts_in_total');
    expect(await ended(owner, delayed)).toMatchObject({ status: 'completed', error: null });
  });

  it('fails when a column no longer exists at its turn', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await product.stopWorker();
    await json(await putWith(owner, dataset, 'k,a\ny,2\n', { mode: 'replace' }), 201);
    const merging = await json<ProcessAnswer>(await merge(dataset, 'b', 'a', { query: '?wait=0' }), 202);
    await product.startWorker();
    expect(await ended(owner, merging)).toMatchObject({
      status: 'failed',
      error: { code: 'column_not_found' },
    });
    expect(await rowsOf(dataset)).toBe('k,a\ny,2\n');
  });
});

describe('a request for a merge', () => {
  it('needs two columns of the current version, and no option except the name', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    const id = await columnOf(dataset, 'a');
    const patch = (body: object, column = id): Promise<Response> =>
      call(owner, 'PATCH', `/datasets/${dataset}/columns/${column}`, body);
    expect(await refused(await patch({ name: 'b' }), 409)).toMatchObject({ code: 'name_taken' });
    expect(await refused(await patch({ name: 'c', merge: true }), 404)).toMatchObject({
      code: 'column_not_found',
    });
    expect(await refused(await patch({ name: 'b', merge: true }, id + 1000), 404)).toMatchObject({
      code: 'column_not_found',
    });
    for (const body of [
      { name: 'a', merge: true },
      { merge: true },
      { name: 'b', merge: true, isEntity: true },
      { name: 'b', merge: true, description: 'x' },
      { name: 'b', onTypeConflict: 'widen' },
      { name: 'b', merge: 'yes' },
    ])
      expect((await patch(body)).status).toBe(400);
    expect((await merge(dataset, 'a', 'b', { query: '?wait=56' })).status).toBe(400);
    expect((await versionsOf(dataset)).length).toBe(1);
  });

  it('needs write access, and free storage in the plan of the owner', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    const other = await product.createAccount('other');
    const path = `/datasets/${dataset}/columns/${await columnOf(dataset, 'a')}`;
    expect((await call(other, 'PATCH', path, { name: 'b', merge: true })).status).toBe(403);
    const narrow = await json<{ key: string }>(
      await call(owner, 'POST', '/account/keys', { name: 'reader', readOnly: true }),
      201,
    );
    const reader = { ...owner, key: narrow.key };
    expect((await call(reader, 'PATCH', path, { name: 'b', merge: true })).status).toBe(403);
    await product.sql.query(`UPDATE plans SET max_stored_bytes = 20 WHERE name = 'unlimited'`);
    const failure = await refused(await merge(dataset, 'a', 'b'), 402);
    expect(failure.code).toMatch(/quota/);
    await product.sql.query(`UPDATE plans SET max_stored_bytes = NULL WHERE name = 'unlimited'`);
  });

  it('is recorded in the audit trail when it is accepted', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,a,b\nx,1,\n');
    await json(await merge(dataset, 'b', 'a'));
    const events = await product.sql.query<{ action: string; key_id: number | null }>(
      `SELECT action, key_id FROM audit_events WHERE target_kind = 'dataset' AND target_id = $1`,
      [dataset],
    );
    expect(events).toMatchObject([{ action: 'column.merge', key_id: expect.any(Number) }]);
  });
});
