import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type Client,
  call,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  putFile,
  upload,
} from '../../support/datasets.js';
import { type MetricsText, readMetrics } from '../../support/metrics-text.js';
import { patienceMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

let product: TestProduct;
let owner: Client;
let api: string;
beforeAll(async () => {
  product = await startProduct({ watchIntervalMs: '100' });
  owner = await product.createAccount('owner');
  api = product.baseUrl.replace(/\/api$/, '');
});
afterAll(() => product?.close());

const until = async (
  read: () => Promise<MetricsText>,
  wanted: (now: MetricsText) => boolean,
): Promise<MetricsText> => {
  for (const end = Date.now() + patienceMs; ; ) {
    const now = await read();
    if (wanted(now)) return now;
    if (Date.now() > end)
      throw new Error(
        `timed out; last metrics:\n${now.samples
          .filter(({ name }) => /consumer|store|uploads_|component/.test(name))
          .map((sample) => JSON.stringify(sample))
          .join('\n')}`,
      );
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const sum = (metrics: MetricsText, name: string): number =>
  metrics.samples.filter((sample) => sample.name === name).reduce((total, { value }) => total + value, 0);

/** Files that may name metrics. */
const texts = (): { path: string; text: string }[] =>
  ['docs', 'deploy', 'README.md']
    .flatMap((path) =>
      path.endsWith('.md')
        ? [path]
        : readdirSync(join(root, path), { recursive: true, encoding: 'utf8' }).map((name) =>
            join(path, name),
          ),
    )
    .filter((path) => /\.(md|ya?ml|json|tpl|rules)$/.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));

it('each process exports its version and commit, the same as in /readyz', async () => {
  for (const origin of [api, product.workerUrl]) {
    const { version, commit } = (await (await fetch(`${origin}/readyz`)).json()) as Record<string, string>;
    expect(commit).toMatch(/./);
    expect(
      (await readMetrics(origin)).value('tabulary_build_info', { version: version!, commit: commit! }),
    ).toBe(1);
  }
});

it('every metric named in documentation and deployment files is exported by an API process or a worker', async () => {
  const seen = [await readMetrics(api), await readMetrics(product.workerUrl)];
  const known = new Set(seen.flatMap(({ names, series }) => [...names, ...series]));
  const named = texts().flatMap(({ path, text }) =>
    [...text.matchAll(/(?<![\w:.-])(?:tabulary|nodejs|process)_[a-z0-9_]*[a-z0-9](?![\w:(])/g)].map(
      ([name]) => ({
        path,
        name,
      }),
    ),
  );
  const ours = named.filter(
    ({ name }) => name.startsWith('tabulary_') || /_(seconds|bytes|total|p99_seconds)$/.test(name),
  );
  expect(ours.length).toBeGreaterThan(50);
  expect(ours.filter(({ name }) => !known.has(name))).toEqual([]);
});

it('uploads are counted by outcome, and timed by topic', async () => {
  expect(await upload(owner, await createDataset(owner), 'a\n1\n')).toMatchObject({ status: 'completed' });
  expect(await upload(owner, await createDataset(owner), 'a;b\n1\n')).toMatchObject({ status: 'failed' });
  const figures = async () => {
    const both = await Promise.all([readMetrics(api), readMetrics(product.workerUrl)]);
    const total = (name: string, labels: Record<string, string>): number =>
      both.reduce((all, metrics) => all + (metrics.value(name, labels) ?? 0), 0);
    return {
      completed: total('tabulary_uploads_ended_total', { outcome: 'completed', reason: 'none' }),
      failed: both
        .flatMap(({ samples }) => samples)
        .filter(({ name, labels }) => name === 'tabulary_uploads_ended_total' && labels.outcome === 'failed')
        .length,
      visible: total('tabulary_upload_visible_seconds_count', { topic: 'short' }),
      tookTime: total('tabulary_upload_visible_seconds_sum', { topic: 'short' }) > 0,
    };
  };
  // The state may be visible slightly before it is counted.
  await expect.poll(figures).toEqual({ completed: 1, failed: 1, visible: 1, tookTime: true });
});

it('metrics report the state of components: groups, lag, pending uploads, tables, disks', async () => {
  const prefix = product.config.kafkaPrefix;
  const now = await until(
    () => readMetrics(api),
    (metrics) =>
      (metrics.value('tabulary_store_rows', { kind: 'pool' }) ?? 0) > 0 &&
      sum(metrics, 'tabulary_consumer_lag_messages') + sum(metrics, 'tabulary_uploads_pending') === 0 &&
      metrics.value('tabulary_consumer_group_assigned_partitions', { group: `${prefix}.short` }) === 2,
  );
  for (const component of ['database', 'clickhouse', 'kafka'])
    expect(now.value('tabulary_component_up', { component })).toBe(1);
  expect(now.value('tabulary_consumer_group_members', { group: `${prefix}.short` })).toBe(2);
  expect(
    now.value('tabulary_consumer_lag_messages', { topic: `${prefix}.chunks.bulk`, partition: '1' }),
  ).toBe(0);
  expect(now.value('tabulary_uploads_pending', { phase: 'insert' })).toBe(0);
  expect(now.value('tabulary_store_tables', { kind: 'pool' })).toBeGreaterThan(0);
  expect(now.value('tabulary_store_parts_per_partition')).toBeGreaterThan(0);
  expect(sum(now, 'tabulary_store_disk_free_bytes')).toBeGreaterThan(0);
  expect(sum(now, 'tabulary_store_disk_bytes')).toBeGreaterThanOrEqual(
    sum(now, 'tabulary_store_disk_free_bytes'),
  );
  expect(now.value('tabulary_dead_letters_waiting')).toBe(0);
});

it('metrics show that no worker runs, what is pending, and that it was processed later', async () => {
  await product.stopWorker();
  const dataset = await createDataset(owner);
  const process = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n2\n'), 201);
  const waiting = await until(
    () => readMetrics(api),
    (metrics) =>
      sum(metrics, 'tabulary_consumer_group_members') === 0 &&
      sum(metrics, 'tabulary_consumer_lag_seconds') > 1 &&
      (metrics.value('tabulary_uploads_oldest_pending_seconds', { phase: 'insert' }) ?? 0) > 1,
  );
  expect(sum(waiting, 'tabulary_consumer_lag_messages')).toBe(1);
  expect(waiting.value('tabulary_uploads_pending', { phase: 'insert' })).toBe(1);
  await product.startWorker();
  expect((await ended(owner, process)).status).toBe('completed');
  await until(
    () => readMetrics(api),
    (metrics) =>
      sum(metrics, 'tabulary_consumer_lag_messages') === 0 &&
      sum(metrics, 'tabulary_consumer_lag_seconds') === 0 &&
      sum(metrics, 'tabulary_uploads_pending') === 0 &&
      sum(metrics, 'tabulary_consumer_group_members') === 4,
  );
});

it('uploads cancelled by their user are counted separately from failed ones', async () => {
  await product.stopWorker();
  const dataset = await createDataset(owner);
  const { id } = await json<ProcessAnswer>(await putFile(owner, dataset, 'a\n3\n'), 201);
  expect((await call(owner, 'DELETE', `/datasets/${dataset}/processes/${id}`)).status).toBeLessThan(300);
  await until(
    () => readMetrics(api),
    (metrics) =>
      metrics.value('tabulary_uploads_ended_total', { outcome: 'cancelled', reason: 'cancelled' }) === 1,
  );
  await product.startWorker();
});
