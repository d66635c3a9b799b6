/** The console during faults: paused workers, failed uploads, PostgreSQL or the network down. */
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { clientOf } from '../../../src/storage/kafka/kafkajs/client.js';
import { resumeConsuming } from '../../../src/uploads/lifecycle/consuming.js';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { startFurther } from '../../support/further-process.js';
import { createGate } from '../../support/gate.js';
import { connectKafka } from '../../support/kafka.js';
import { nasty, newestAudit, uploadPrices } from './console-world.js';

let stage: Stage;
let operator: { id: number; key: string };
let ada: { id: number; key: string };
beforeAll(async () => {
  stage = await startStage({ watchIntervalMs: '500' });
  operator = await stage.product.createAccount('watcher');
  await stage.product.sql.query('UPDATE accounts SET is_operator = true WHERE id = $1', [operator.id]);
  ada = await stage.product.createAccount('ada');
});
afterEach(async ({ task }) => {
  // A failed test must not leave workers paused.
  if (task.result?.state === 'fail') await resumeConsuming(stage.product.sql);
  await stage.leave();
});
afterAll(() => stage?.close());

it('replays the dead letter of a pending upload, and pauses and resumes workers', async () => {
  const { sql, config } = stage.product;
  const page = await stage.visit('/ops', { key: operator.key });
  const sender = await stage.visit('/', { key: ada.key });
  // Workers pause, so that the chunk stays unread. It is then recorded as a dead letter of another version.
  await page.getByRole('button', { name: 'Pause workers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pause workers' }).click();
  await page.getByText('Workers are pausing; it takes a few seconds.').waitFor();
  await stage.product.stopWorker();
  const { process, dataset } = await uploadPrices(sender, 'Country,Price\nNorway,1\nFrance,2\n');
  const topicName = `${config.kafkaPrefix}.chunks.short`;
  const client = clientOf(connectKafka('console-test')).admin();
  await client.connect();
  const offsets = await client.fetchTopicOffsets(topicName);
  const committed = await client.fetchOffsets({
    groupId: `${config.kafkaPrefix}.short`,
    topics: [topicName],
  });
  const behind = offsets.find(({ partition, high }) => {
    const done = committed[0]?.partitions.find((one) => one.partition === partition)?.offset ?? '-1';
    return BigInt(high) > BigInt(done === '-1' ? 0 : done);
  });
  const place = { topic: topicName, partition: behind?.partition ?? -1, offset: Number(behind?.high) - 1 };
  const [letter] = await sql.query<{ id: number }>(
    `INSERT INTO dead_letters (origin_topic, origin_partition, origin_offset, topic, partition, kafka_offset, reason, bytes)
     VALUES ($1, $2, $3, $1, $2, $3, 'undecodable: by hand', 1) RETURNING id`,
    [place.topic, place.partition, place.offset],
  );
  await client.setOffsets({
    groupId: `${config.kafkaPrefix}.short`,
    topic: topicName,
    partitions: offsets.map(({ partition, high }) => ({ partition, offset: high })),
  });
  await client.disconnect();

  await page.getByRole('link', { name: 'Dead letters', exact: true }).click();
  await page.getByRole('button', { name: `Replay ${letter?.id}` }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
  await page.getByText(`Dead letter ${letter?.id} was sent back: chunk 0 of upload ${process}.`).waitFor();

  // A worker that starts now is paused too, until the console resumes workers.
  await stage.product.startWorker();
  await page.getByRole('link', { name: 'Health' }).click();
  await page.getByRole('heading', { name: 'Working, but needs attention' }).waitFor();
  await page
    .getByText(/Workers have been paused for/)
    .first()
    .waitFor();
  const status = async (): Promise<string> => {
    const [row] = await sql.query<{ status: string }>('SELECT status FROM processes WHERE id = $1', [
      process,
    ]);
    return row?.status ?? '';
  };
  expect(await status()).toBe('pending');
  await page.getByRole('button', { name: 'Resume workers' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Resume workers' }).click();
  await page.getByText('Workers are running again.').waitFor();
  await expect.poll(status).toBe('completed');
  expect((await (await sender.request.get(`/api/datasets/${dataset}`)).json()) as object).toMatchObject({
    rowCount: 2,
  });
  await expect.poll(async () => (await newestAudit(stage.product))[0]?.action).toBe('consuming.resume');
  await page.goto('/ops/audit?action=consuming');
  await page.getByRole('row', { name: /watcher consuming\.pause/ }).waitFor();
});

it('shows a failed upload with its error and its request id, and replays it', async () => {
  const sender = await stage.visit('/', { key: ada.key });
  const { process } = await uploadPrices(sender, 'Country,Price\nNorway,1\n');
  const { sql } = stage.product;
  const ended = async (): Promise<string> => {
    const [row] = await sql.query<{ status: string }>('SELECT status FROM processes WHERE id = $1', [
      process,
    ]);
    return row?.status ?? '';
  };
  await expect.poll(ended).toBe('completed');
  // Makes it look like an upload that the store has refused.
  await sql.query(
    'UPDATE datasets SET current_version_id = NULL WHERE id = (SELECT dataset_id FROM processes WHERE id = $1)',
    [process],
  );
  await sql.query('DELETE FROM versions WHERE process_id = $1', [process]);
  await sql.query(`UPDATE processes SET status = 'failed', version_id = NULL, error = $2 WHERE id = $1`, [
    process,
    JSON.stringify({ code: 'store_refused', message: `It was refused: ${nasty}` }),
  ]);
  const page = await stage.visit('/ops/uploads?show=failed', { key: operator.key });
  const row = page.getByRole('row').filter({ hasText: 'store_refused' });
  await row.getByText(`Prices ${nasty}`).waitFor();
  await row.getByRole('link', { name: `Upload ${process}` }).click();
  await page.getByText(`It was refused: ${nasty}`).waitFor();
  const [{ requestId } = { requestId: '' }] = await sql.query<{ requestId: string }>(
    'SELECT request_id AS "requestId" FROM processes WHERE id = $1',
    [process],
  );
  await page.getByText(requestId).waitFor();
  await page.getByRole('cell', { name: `${stage.product.config.kafkaPrefix}.chunks.short` }).waitFor();
  expect(await violationsOf(page)).toEqual([]);

  await page.getByRole('button', { name: 'Read again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Read again' }).click();
  await page.getByText(`Upload ${process} is being read again.`).waitFor();
  await expect.poll(async () => (await newestAudit(stage.product))[0]?.action).toBe('upload.replay');
  await expect.poll(ended).toBe('completed');
});

it('shows that PostgreSQL is down, with its runbook, and recovers with it', async () => {
  const database = await createGate(stage.product.config.databaseUrl ?? '');
  const further = await startFurther(stage.product, 'api', { changes: { databaseUrl: database.url } });
  try {
    const page = await stage.visit('/sign-in', { key: operator.key });
    database.shut();
    await page.goto(`${further.root}/ops`);
    await page.getByRole('heading', { name: 'Something is wrong' }).waitFor();
    await page.getByText('PostgreSQL is not answering.').waitFor();
    const cards = page.getByRole('list', { name: 'Dependencies' }).getByRole('listitem');
    await cards.filter({ hasText: 'ClickHouse' }).getByText('up', { exact: true }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.getByRole('link', { name: 'What to do' }).click();
    await page.getByRole('heading', { name: 'Component down' }).waitFor();
    await page.getByRole('link', { name: 'Storage' }).click();
    await page.getByText('PostgreSQL is not answering.').waitFor();

    database.open();
    await page.getByRole('heading', { name: 'Largest datasets' }).waitFor();
    // The session is known now, so the next screen reports its own failure.
    database.shut();
    await page.getByRole('link', { name: 'Audit' }).click();
    await page.getByText('PostgreSQL is not answering.').waitFor();
    database.open();
    await page.getByRole('columnheader', { name: 'Details' }).waitFor();
  } finally {
    await further.stop();
    await database.close();
  }
});

it('keeps its data and shows a notice while the service does not respond, and recovers', async () => {
  const page = await stage.visit('/ops/stores', { key: operator.key });
  await page.getByRole('heading', { name: 'Largest datasets' }).waitFor();
  await page.context().setOffline(true);
  await page.getByText('The service has not answered since').waitFor();
  await page.getByRole('heading', { name: 'Largest datasets' }).waitFor();
  await page.context().setOffline(false);
  await page.getByText('The service has not answered since').waitFor({ state: 'detached' });
});
