/** Upgrade of an installation of an earlier release, with its data, to this build. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVerifyCommands } from '../../../src/admin/verify.js';
import { openVerification } from '../../../src/compose/verification.js';
import { silentLog } from '../../../src/lib/log.js';
import { runAdmin } from '../../support/admin.js';
import { type Client, call, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { ask, type RecordedAnswer, shortened } from '../../support/release/answers.js';
import { earlierRelease, loadFixture, recordedAnswers } from '../../support/release/fixture.js';
import type { AccountName } from '../../support/release/story.js';
import { uploadWith } from '../../support/upload-options.js';

const { keys, answers } = recordedAnswers();
let product: TestProduct;

beforeAll(async () => {
  product = await startProduct({ segmentGraceMs: '0' }, silentLog, loadFixture);
});

afterAll(() => product?.close());

const clientOf = (name: AccountName): Client => ({ baseUrl: product.baseUrl, key: keys[name] });

const answerNow = ({ account, path }: RecordedAnswer) =>
  ask(product.baseUrl, account === null ? null : clientOf(account), path);

/** Removes `lastUsedAt`, which changes with every request. */
const withoutLastUse = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutLastUse);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== 'lastUsedAt')
      .map(([name, each]) => [name, withoutLastUse(each)]),
  );
};

/** Describes the difference from the recorded answer in status or bytes; undefined if there is none. */
const difference = async (before: RecordedAnswer): Promise<string | undefined> => {
  const now = await answerNow(before);
  const question = `${before.account ?? 'anonymous'} ${before.path}`;
  if (now.status !== before.status) return `${question}: ${now.status}, was ${before.status}`;
  // The wording of errors may change.
  if (before.status >= 400 || shortened(now.text) === before.text) return undefined;
  return `${question}: ${now.text.slice(0, 200)}, was ${before.text.slice(0, 200)}`;
};

/** Concurrent requests. */
const concurrency = 6;

const differences = async (chosen: readonly RecordedAnswer[]): Promise<string[]> => {
  const found: string[] = [];
  for (let at = 0; at < chosen.length; at += concurrency) {
    const compared = await Promise.all(chosen.slice(at, at + concurrency).map(difference));
    found.push(...compared.filter((each) => each !== undefined));
  }
  return found;
};

const rowAnswers = answers.filter(({ kind }) => kind === 'bytes');

const datasetId = async (client: Client, name: string): Promise<number> => {
  const datasets = await json<{ id: number; name: string }[]>(await call(client, 'GET', '/datasets'));
  const found = datasets.find((dataset) => dataset.name === name);
  if (found === undefined) throw new Error(`dataset ${name} does not exist`);
  return found.id;
};

describe(`data of ${earlierRelease} under this build`, () => {
  it('has byte-identical downloads of every version in every format', async () => {
    expect(rowAnswers.length).toBeGreaterThan(200);
    expect(await differences(rowAnswers)).toEqual([]);
  });

  it('has the same metadata, possibly with additional fields', async () => {
    const descriptions = answers.filter(({ kind }) => kind === 'json');
    expect(descriptions.length).toBeGreaterThan(50);
    for (const before of descriptions) {
      const { status, text } = await answerNow(before);
      expect(`${before.path}: ${status}`).toBe(`${before.path}: ${before.status}`);
      if (status === 200)
        expect(JSON.parse(text), before.path).toMatchObject(
          withoutLastUse(JSON.parse(before.text)) as object,
        );
    }
  });

  it('passes verification', async () => {
    const ran = await runAdmin(product, [createVerifyCommands(openVerification)], 'verify --json');
    expect(JSON.parse(ran.output)).toMatchObject({ faults: [] });
    expect(ran.exitCode).toBe(0);
  });

  it.each(['All modes, small', 'Changed often', 'Widened'])('accepts changes of %s', async (name) => {
    const ada = clientOf('ada');
    const id = await datasetId(ada, name);
    const before = await download(ada, id);
    const [header] = before.split('\n', 1);
    const firstColumn = header?.split(',')[0]?.replaceAll('"', '') ?? '';
    const added = await uploadWith(ada, id, `${firstColumn}\n2030-01-01\n`, { mode: 'append' });
    expect(added).toMatchObject({ status: 'completed', error: null });
    const after = await download(ada, id);
    expect(after.startsWith(before)).toBe(true);
    expect(after.split('\n')).toHaveLength(before.split('\n').length + 1);
    const replaced = await upload(ada, id, 'Only\n1\n');
    expect(replaced).toMatchObject({ status: 'completed', error: null });
    expect(await download(ada, id)).toBe('"Only"\n1\n');
  });

  it('has unchanged earlier versions after these changes', async () => {
    expect(await differences(rowAnswers.filter(({ path }) => path.includes('versionId')))).toEqual([]);
  });

  it('has keys with the same permissions', async () => {
    const body = { name: 'made by a reader', privacy: 'Private' };
    expect((await call(clientOf('reader'), 'POST', '/repositories', body)).status).toBe(403);
    expect((await call(clientOf('bob'), 'POST', '/repositories', body)).status).toBe(201);
  });
});
