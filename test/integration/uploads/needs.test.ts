/** During an upgrade, a worker of the previous release leaves uploads with unknown options to newer workers. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Client,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, putWith } from '../../support/upload-options.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct({ kafkaPartitions: '1', sweepIntervalMs: '200' });
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('owner')).key };
});

afterAll(() => product?.close());

const put = async (dataset: number, file: string, options: Options = {}): Promise<ProcessAnswer> =>
  json<ProcessAnswer>(await putWith(owner, dataset, file, options), 201);

interface Row {
  readonly status: string;
  readonly phase: string;
  readonly attempt: number;
}

const rowOf = async ({ id }: ProcessAnswer): Promise<Row | undefined> => {
  const [row] = await product.sql.query<Row>(
    'SELECT status, phase, attempt FROM processes WHERE coalesce(public_id, id) = $1',
    [id],
  );
  return row;
};

/** Gives the upload an option that this release lacks. */
const addUnknownOption = ({ id }: ProcessAnswer) =>
  product.sql.query(`UPDATE processes SET layout = layout || '{"needs": ["trim"]}' WHERE id = $1`, [id]);

/** Removes the option, so that this worker acts like a newer one. */
const removeUnknownOption = ({ id }: ProcessAnswer) =>
  product.sql.query(`UPDATE processes SET layout = layout - 'needs' WHERE id = $1`, [id]);

const deadLetters = () => product.sql.query('SELECT id FROM dead_letters');

describe('an upload whose layout needs an option that the worker does not know', () => {
  it('waits for a newer worker, and blocks no other dataset', async () => {
    const [newer = 0, other = 0] = await Promise.all([createDataset(owner), createDataset(owner)]);
    await product.stopWorker();
    const blocked = await put(newer, 'a,b\n1,2\n');
    await addUnknownOption(blocked);
    const concurrent = await put(other, 'a,b\n3,4\n');
    await product.startWorker();
    expect(await ended(owner, concurrent)).toMatchObject({ status: 'completed' });
    await expect.poll(() => rowOf(blocked)).toMatchObject({ status: 'pending', phase: 'collect' });
    // A later upload of the dataset is stored and queued.
    const later = await put(newer, 'a,b\n5,6\n', { mode: 'append' });
    await expect.poll(() => rowOf(later)).toMatchObject({ status: 'pending', phase: 'ready' });
    expect(await rowOf(blocked)).toEqual({ status: 'pending', phase: 'collect', attempt: 1 });
    expect(await deadLetters()).toEqual([]);

    await removeUnknownOption(blocked);
    expect(await ended(owner, blocked)).toMatchObject({ status: 'completed' });
    expect(await ended(owner, later)).toMatchObject({ status: 'completed' });
    expect(await download(owner, newer)).toBe('"a","b"\n1,2\n5,6\n');
  });

  it('is not published by a process that does not know the option', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const stored = await put(dataset, 'a,b\n1,2\n');
    await product.startWorker();
    await ended(owner, stored);
    await product.stopWorker();
    const blocked = await put(dataset, 'a,b\n1,2\n3,4\n');
    // A newer worker has stored and counted it, but died before publishing.
    await product.sql.query(
      `UPDATE processes SET phase = 'ready', layout = layout || '{"needs": ["trim"]}',
         facts = '{"rows": 0, "bytes": 0, "minDate": null, "maxDate": null, "frequency": null}' WHERE id = $1`,
      [blocked.id],
    );
    await product.startWorker();
    const later = await put(dataset, 'a,b\n5,6\n', { mode: 'append' });
    await expect.poll(() => rowOf(later)).toMatchObject({ phase: 'ready' });
    expect(await rowOf(blocked)).toMatchObject({ status: 'pending', phase: 'ready' });
  });

  it('is accepted with every option of this release', async () => {
    const dataset = await createDataset(owner);
    const process = await put(dataset, 'a;b\n1,5;-\n', {
      delimiter: ';',
      decimal: ',',
      nullValues: '-',
      onBadRow: 'quarantine',
      maxBadRows: '5%',
      onTypeConflict: 'fail',
    });
    expect(await ended(owner, process)).toMatchObject({ status: 'completed' });
    const [row] = await product.sql.query('SELECT needs FROM processes WHERE id = $1', [process.id]);
    expect(row).toEqual({
      needs: ['onTypeConflict=fail', 'onBadRow=quarantine', 'maxBadRows', 'decimal=,', 'nullValues'],
    });
  });
});
