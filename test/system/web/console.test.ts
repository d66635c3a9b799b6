import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { connectKafka } from '../../support/kafka.js';
import { nasty, newestAudit } from './console-world.js';

let stage: Stage;
let operator: { id: number; key: string };
let ada: { id: number; key: string };
beforeAll(async () => {
  stage = await startStage({ watchIntervalMs: '500' });
  operator = await stage.product.createAccount('watcher');
  await stage.product.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [operator.id]);
  ada = await stage.product.createAccount('ada');
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

/** Sends an undecodable message. @returns the id of its dead letter. */
const sendInvalid = async (): Promise<number> => {
  const newest = async (): Promise<number> => {
    const [row] = await stage.product.sql.query<{ id: number }>(
      `SELECT id FROM dead_letters WHERE state = 'waiting' ORDER BY id DESC LIMIT 1`,
    );
    return row?.id ?? 0;
  };
  const before = await newest();
  const producer = clientOf(connectKafka('console-test')).producer();
  await producer.connect();
  await producer.send({
    topic: `${stage.product.config.kafkaPrefix}.chunks.short`,
    messages: [{ partition: 0, key: 'some key', value: `${nasty} is no chunk`, headers: { from: nasty } }],
  });
  await producer.disconnect();
  await expect.poll(newest).toBeGreaterThan(before);
  return newest();
};

const screens = [
  '/ops',
  '/ops/lag',
  '/ops/uploads',
  '/ops/uploads?show=stuck',
  '/ops/dead-letters',
  '/ops/jobs',
  '/ops/stores',
  '/ops/upstreams',
  '/ops/audit',
  '/ops/run-book',
] as const;

/** Waits until the screen shows no spinner. */
const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor();
  await expect.poll(() => page.locator('.wait').count()).toBe(0);
};

it('shows that all is well and which components are up, and links to the runbooks', async () => {
  const page = await stage.visit('/', { key: operator.key });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Console' }).click();
  await page.getByRole('heading', { name: 'All is well' }).waitFor();
  await page.getByText('PostgreSQL, ClickHouse and Kafka are up, 4 consumers are running').waitFor();
  await page.getByRole('link', { name: 'Run-book' }).click();
  await page.getByRole('heading', { name: 'Component down' }).waitFor();
});

it('links to the section of the run-book that says what to do', async () => {
  const page = await stage.visit('/', { key: operator.key });
  await page.route('**/api/ops', async (route) => {
    const response = await route.fetch();
    const state = (await response.json()) as { components: { ok: boolean }[] };
    const components = state.components.map((one, at) => (at === 0 ? { ...one, ok: false } : one));
    await route.fulfill({ response, json: { ...state, components } });
  });
  await page.goto('/ops');
  await page.getByRole('link', { name: 'What to do' }).first().click();
  await page.getByRole('heading', { name: 'Component down' }).waitFor();
  expect(new URL(page.url()).hash).toBe('#component-down');
  await expect
    .poll(async () => (await page.getByRole('heading', { name: 'Component down' }).boundingBox())?.y)
    .toBeLessThan(400);
});

it('shows the current tab on a phone', async () => {
  const page = await stage.visit('/ops/audit', { key: operator.key, width: 375 });
  const tab = page.locator('.tabs [aria-current]').filter({ hasText: 'Audit' });
  await tab.waitFor();
  const box = await tab.boundingBox();
  expect(box?.x).toBeGreaterThanOrEqual(0);
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(375);
});

it.each(screens)('has no axe violations at %s, wide in light and narrow in dark', async (path) => {
  const wide = await stage.visit(path, { key: operator.key, width: 1_920 });
  await settled(wide);
  expect(await violationsOf(wide)).toEqual([]);
  const narrow = await stage.visit(path, { key: operator.key, width: 375, theme: 'dark' });
  await settled(narrow);
  expect(await violationsOf(narrow)).toEqual([]);
  const overflow = await narrow.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
});

it('is for operators only, on the screen and in the API', async () => {
  const page = await stage.visit('/ops/dead-letters', { key: ada.key });
  await page.getByRole('heading', { name: 'For operators only' }).waitFor();
  await expect
    .poll(() => page.getByRole('navigation', { name: 'Main' }).getByText('Console').count())
    .toBe(0);
  expect(await violationsOf(page)).toEqual([]);
  for (const path of ['', '/samples', '/uploads', '/dead-letters', '/stores', '/audit'])
    expect((await page.request.get(`/api/ops${path}`)).status()).toBe(403);
  const stranger = await stage.visit('/ops');
  await stranger.getByRole('heading', { name: 'Sign in to see this' }).waitFor();
});

it('shows the jobs and runs one, which the audit trail records', async () => {
  const page = await stage.visit('/ops/jobs', { key: operator.key });
  const name = 'Run now: storage-sweep, installation';
  await page.getByRole('button', { name }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByText('storage-sweep is due.').waitFor();
  await expect
    .poll(() => newestAudit(stage.product))
    .toEqual([{ action: 'job.run', accountName: 'watcher' }]);
});

it('shows a dead letter with escaped text and drops it, which the audit trail records', async () => {
  const id = await sendInvalid();
  const page = await stage.visit('/ops/dead-letters', { key: operator.key });
  await page.getByRole('button', { name: `View ${id}` }).click();
  const dialog = page.getByRole('dialog', { name: `Dead letter ${id}` });
  await dialog.getByText(`${nasty} is no chunk`).waitFor();
  expect(await violationsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();

  // A replay is refused, since this version cannot decode the message either.
  await page.getByRole('button', { name: `Replay ${id}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText('This version still cannot read the message').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: `Drop ${id}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Drop' }).click();
  await page.getByText(`Dead letter ${id} was dropped.`).waitFor();
  await page.getByText('No dead letters.').waitFor();
  await expect
    .poll(() => newestAudit(stage.product))
    .toEqual([{ action: 'dead_letter.settle', accountName: 'watcher' }]);

  await page.getByRole('link', { name: 'Audit' }).click();
  await page.getByRole('row', { name: `dead_letter.settle dead_letter ${id} state: dropped` }).waitFor();
});

it('shows the history of the last hours', async () => {
  const page = await stage.visit('/ops/lag?hours=1', { key: operator.key });
  await page.getByRole('img', { name: /^Chunks waiting: now \d+, at most/ }).waitFor();
  await page.getByRole('link', { name: '24 hours' }).click();
  await page.waitForURL(/hours=24/);
  const [kept] = await stage.product.sql.query<{ count: string }>('SELECT count(*) FROM ops_samples');
  expect(Number(kept?.count)).toBeGreaterThan(0);
});
