/** An installation of 0.1.0, with its data, after this version's migrations and start. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openVerification } from '../../../src/compose/verification.js';
import { silentLog } from '../../../src/lib/log.js';
import { runAdmin } from '../../support/admin.js';
import { type Client, call, download, json, upload } from '../../support/datasets.js';
import { type EarlierAnswer, earlierAnswers, loadEarlierVersion } from '../../support/earlier-version.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { uploadWith } from '../../support/upload-options.js';

const { keys, answers } = earlierAnswers();
let product: TestProduct;

beforeAll(async () => {
  product = await startProduct({}, silentLog, loadEarlierVersion);
});

afterAll(() => product?.close());

const clientOf = (name: string | null): Client => ({
  baseUrl: product.baseUrl,
  key: name === null ? '' : keys[name as keyof typeof keys],
});

/** As it is asked now: the status, and the text of a link's file in place of the link. */
const answerNow = async ({
  account: name,
  path,
}: EarlierAnswer): Promise<{ status: number; text: string }> => {
  const url = `${product.baseUrl}${path}`;
  const answer =
    name === null ? await fetch(url, { redirect: 'manual' }) : await call(clientOf(name), 'GET', path);
  if (answer.status !== 302) return { status: answer.status, text: await answer.text() };
  const file = await fetch(new URL(answer.headers.get('location') ?? '', product.baseUrl));
  if (!file.ok) throw new Error(`the link of ${path} answered ${file.status}`);
  return { status: 302, text: await file.text() };
};

/** A refusal is one: what is private to others was 404 and is 403. */
const seen = (status: number): number | 'refused' => (status >= 400 ? 'refused' : status);

/** Without the time at which a key was last used, and without names in long lists: only the first twenty are told now. */
const lasting = (value: unknown): unknown => {
  if (Array.isArray(value))
    return value.every((each) => typeof each === 'string') ? value.slice(0, 20) : value.map(lasting);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'lastUsedAt')
      .map(([name, each]) => [name, lasting(each)]),
  );
};

/** What differs, one line each. */
const differences = async (chosen: readonly EarlierAnswer[]): Promise<string[]> => {
  const found: string[] = [];
  for (const before of chosen) {
    const now = await answerNow(before);
    const what = `${before.account ?? 'nobody'} ${before.path}`;
    if (seen(now.status) !== seen(before.status)) found.push(`${what}: ${now.status}, was ${before.status}`);
    // Words of a refusal may become better.
    else if (before.status < 400 && now.text !== before.body)
      found.push(`${what}: ${now.text.slice(0, 200)}, was ${String(before.body).slice(0, 200)}`);
  }
  return found;
};

const rowsOf = answers.filter(({ kind }) => kind === 'bytes');

describe('data of 0.1.0 under this version', () => {
  it('is downloaded byte for byte as before, every version in every form', async () => {
    expect(rowsOf.length).toBeGreaterThan(100);
    expect(await differences(rowsOf)).toEqual([]);
  });

  it.each(answers.filter(({ kind }) => kind === 'json').map((answer) => [answer.path, answer] as const))(
    'is described as before by %s',
    async (_path, before) => {
      const { status, text } = await answerNow(before);
      expect(seen(status)).toBe(seen(before.status));
      // Fields may have been added.
      if (status === 200) expect(JSON.parse(text)).toMatchObject(lasting(before.body) as object);
    },
  );

  it('still is, when small datasets have been moved into shared tables', async () => {
    const left = (): Promise<string> =>
      product.clickhouse(
        `SELECT count() FROM system.tables WHERE database = '${product.config.clickhouseDatabase}' AND match(name, '^s\\\\d+$')`,
      );
    const before = Number(await left());
    expect(before).toBeGreaterThan(0);
    const moved = () =>
      product.sql.query<{ count: number }>(
        'SELECT count(*) AS count FROM stores WHERE emptied_at IS NOT NULL',
      );
    while (Number((await moved())[0]?.count) === 0) await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await differences(rowsOf)).toEqual([]);
  });

  it('agrees with itself', async () => {
    const ran = await runAdmin(product, [createVerifyCommands(openVerification)], 'verify --json');
    expect(JSON.parse(ran.output)).toMatchObject({ faults: [] });
    expect(ran.exitCode).toBe(0);
  });

  it('takes new uploads beside what it has', async () => {
    const ada = clientOf('ada');
    const datasets = await json<{ id: number; name: string }[]>(await call(ada, 'GET', '/datasets'));
    const id = datasets.find(({ name }) => name === 'Sum of upserts')?.id ?? 0;
    const old = await download(ada, id);
    const added = await uploadWith(ada, id, 'Day,Key,Amount\n2024-02-29,new,0.30\n', { mode: 'append' });
    expect(added).toMatchObject({ status: 'completed', error: null });
    expect(await download(ada, id)).toBe(`${old}"2024-02-29","new",0.3\n`);
    expect(await upload(ada, id, 'Day,Key,Amount\n2024-03-01,x,1\n')).toMatchObject({ status: 'completed' });
    expect(await download(ada, id)).toBe('"Day","Key","Amount"\n"2024-03-01","x",1\n');
  });

  it('keeps the rights of its keys', async () => {
    const body = { name: 'made by a reader', privacy: 'Private' };
    expect((await call(clientOf('reader'), 'POST', '/repositories', body)).status).toBe(403);
    expect((await call(clientOf('bob'), 'POST', '/repositories', body)).status).toBe(201);
  });
});
