/** Permissions are checked again when an upload is published, since they may be revoked while it runs. */

import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCatalog } from '../../../src/catalog/catalog.js';
import { createKeys } from '../../../src/catalog/keys.js';
import { logOptions } from '../../../src/lib/log.js';
import { holdDataset } from '../../../src/storage/postgres/datasets.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let bob: Client;
let ownerId: number;
let bobId: number;
let home: number;
const lines: string[] = [];

beforeAll(async () => {
  const log = pino(logOptions('test', 'info'), { write: (line: string) => lines.push(line) });
  product = await startProduct({}, log);
  const accounts = { owner: await product.createAccount('owner'), bob: await product.createAccount('bob') };
  owner = { baseUrl: product.baseUrl, key: accounts.owner.key };
  bob = { baseUrl: product.baseUrl, key: accounts.bob.key };
  [ownerId, bobId] = [accounts.owner.id, accounts.bob.id];
  const body = { name: 'shared', privacy: 'Private' };
  home = (await json<{ id: number }>(await call(owner, 'POST', '/repositories', body), 201)).id;
});

afterAll(() => product?.close());

const createIn = async (repositoryId: number): Promise<number> => {
  const body = { name: `dataset ${Math.random()}`, repositoryId };
  return (await json<{ id: number }>(await call(owner, 'POST', '/datasets', body), 201)).id;
};

/** Uploads while no worker runs, revokes the permission, and returns the outcome. */
const uploadAndRevoke = async (client: Client, dataset: number, end: () => Promise<unknown>) => {
  await product.stopWorker();
  const process = await json<ProcessAnswer>(await putFile(client, dataset, 'a\nnew\n'), 201);
  await end();
  await product.startWorker();
  return ended(owner, process);
};

const revoke = (keyId: number) =>
  product.sql.query('UPDATE api_keys SET revoked_at = now() WHERE id = $1', [keyId]);

const newKey = async (accountId: number, options: { readOnly?: boolean } = {}) =>
  createKeys({ sql: product.sql }).create(accountId, { name: 'for one upload', ...options });

describe('an upload whose right ends before it is published', () => {
  it('fails when the grant is removed; the dataset stays, and later uploads continue', async () => {
    const dataset = await createIn(home);
    await upload(owner, dataset, 'a\nold\n');
    await json(await call(owner, 'PUT', `/repositories/${home}/permissions/bob`, { level: 'Write' }));
    const process = await uploadAndRevoke(bob, dataset, async () => {
      expect((await call(owner, 'DELETE', `/repositories/${home}/permissions/bob`)).status).toBe(204);
    });
    expect(process).toMatchObject({ status: 'failed', versionId: null, error: { code: 'permission_ended' } });
    expect(process.error?.message).toContain('You have no permission');
    expect(await download(owner, dataset)).toBe('"a"\n"old"\n');
    expect((await upload(owner, dataset, 'a\nnext\n')).status).toBe('completed');
    const logged = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    const failures = logged.filter(({ msg, process: id }) => msg === 'upload failed' && id === process.id);
    expect(failures).toEqual([
      expect.objectContaining({ dataset, account: bobId, code: 'permission_ended' }),
    ]);
  });

  it('fails when the grant is lowered below Write', async () => {
    const dataset = await createIn(home);
    const grant = (level: string) => call(owner, 'PUT', `/repositories/${home}/permissions/bob`, { level });
    await grant('Write');
    const process = await uploadAndRevoke(bob, dataset, () => grant('Read'));
    expect(process.error?.code).toBe('permission_ended');
  });

  it('fails when its key is revoked, and when the key has expired', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'a\nold\n');
    const revoked = await newKey(ownerId);
    const process = await uploadAndRevoke({ ...owner, key: revoked.key }, dataset, () => revoke(revoked.id));
    expect(process.error).toMatchObject({
      code: 'permission_ended',
      message: expect.stringContaining('The API key was revoked'),
    });
    const expiring = await newKey(ownerId);
    const expired = await uploadAndRevoke({ ...owner, key: expiring.key }, dataset, () =>
      product.sql.query('UPDATE api_keys SET expires_at = now() WHERE id = $1', [expiring.id]),
    );
    expect(expired.error?.message).toContain('has expired');
    expect(await download(owner, dataset)).toBe('"a"\n"old"\n');
  });

  it('is published when another key of the account is revoked', async () => {
    const dataset = await createDataset(owner);
    const other = await newKey(ownerId);
    const process = await uploadAndRevoke(owner, dataset, () => revoke(other.id));
    expect(process.status).toBe('completed');
  });
});

describe('the events of an upload', () => {
  it('end at once when the right to read ends', async () => {
    const dataset = await createDataset(owner);
    await product.stopWorker();
    const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n1\n'), 201);
    const key = await newKey(ownerId);
    const path = `/datasets/${dataset}/processes/${process.id}/events`;
    // One that goes on, begun earlier.
    const other = (await call(owner, 'GET', path)).body!.getReader();
    await other.read();
    const answer = await call({ ...owner, key: key.key }, 'GET', path);
    expect(answer.status).toBe(200);
    await revoke(key.id);
    let text = '';
    const read = async (): Promise<string> => {
      try {
        for await (const piece of answer.body ?? []) text += Buffer.from(piece).toString();
        return 'complete';
      } catch {
        return 'broken';
      }
    };
    expect(await Promise.race([read(), other.read().then(() => 'silent until the other had a line')])).toBe(
      'broken',
    );
    await other.cancel();
    expect(text).toContain('event: progress');
    expect(text).not.toMatch(/event: (?:completed|failed)/);
    await product.startWorker();
    expect((await ended(owner, process)).status).toBe('completed');
  });
});

describe('a column that is renamed while files are received', () => {
  it('fails no upload', async () => {
    const dataset = await createDataset(owner);
    await upload(owner, dataset, 'k,v\na,1\n');
    const caller = await createCatalog({ sql: product.sql }).authenticate(owner.key);
    /** Renames the column `v`, in one transaction since the next version would have another one. @returns whether there was one. */
    const rename = (name: string): Promise<boolean> =>
      product.sql.tx(async (tx) => {
        await holdDataset(tx, dataset);
        const catalog = createCatalog({ sql: tx });
        const { columns } = await catalog.columns.list(caller, dataset);
        // The next file has a new column of this name.
        const id = columns.find((column) => column.name === 'v')?.id;
        if (id === undefined) return false;
        await catalog.columns.update(caller, dataset, id, { name });
        return true;
      });
    const renameErrors: unknown[] = [];
    let renamed = 0;
    let renaming = true;
    const renames = (async () => {
      for (let turn = 0; renaming; turn += 1) if (await rename(`w${turn}`)) renamed += 1;
    })().catch((error: unknown) => renameErrors.push(error));
    const statuses: number[] = [];
    const processes: ProcessAnswer[] = [];
    // At least sixty files, and more where a busy machine has renamed less often meanwhile.
    for (let turn = 0; turn < 20 || (renamed <= 5 && renameErrors.length === 0); turn += 1) {
      const answers = await Promise.all([1, 2, 3].map((n) => putFile(owner, dataset, `k,v\nb,${n}\n`)));
      for (const answer of answers) {
        statuses.push(answer.status);
        if (answer.status === 201) processes.push((await answer.json()) as ProcessAnswer);
      }
    }
    renaming = false;
    await renames;
    expect(renameErrors).toEqual([]);
    expect(statuses.filter((status) => status !== 201)).toEqual([]);
    for (const process of processes) expect((await ended(owner, process)).status).toBe('completed');
  });
});
