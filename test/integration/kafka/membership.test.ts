import { randomBytes, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { type ChunkConsumer, createChunkConsumer } from '../../../src/storage/kafka/chunk-consumer.js';
import type { KafkaConnection } from '../../../src/storage/kafka/connection.js';
import { removeMembers } from '../../../src/storage/kafka/group-members.js';
import { withAdmin } from '../../../src/storage/kafka/kafkajs/client.js';
import { createConsumerMembers } from '../../../src/storage/postgres/consumer-members.js';
import { createPool } from '../../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../../src/storage/postgres/sql.js';
import { startMembership } from '../../../src/uploads/insert/consumer-membership.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { jobsOf } from '../../support/jobs.js';
import { connectKafka, createTopic } from '../../support/kafka.js';

const topic = `t${randomBytes(6).toString('hex')}.chunks`;
const groupId = `${topic}.group`;
let database: FreshDatabase;
let pool: ReturnType<typeof createPool>;
let sql: Sql;
let kafka: KafkaConnection;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 2, log: silentLog });
  sql = createSql(pool);
  kafka = connectKafka(topic);
  await withAdmin(kafka, (admin) => createTopic(admin, topic));
});

afterAll(async () => {
  await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }));
  await pool.end();
  await database.drop();
});

const workerAt = (address: string, on = sql, id = randomUUID()) => createConsumerMembers(on, { id, address });
const memberIds = async (): Promise<string[]> =>
  (await sql.query<{ id: string }>('SELECT member_id AS id FROM consumer_members ORDER BY 1')).map(
    ({ id }) => id,
  );
const setLastSeen = (seconds: number, memberId: string, on = sql): Promise<unknown> =>
  on.query(`UPDATE consumer_members SET seen_at = now() - $1 * interval '1 second' WHERE member_id = $2`, [
    seconds,
    memberId,
  ]);

describe('members of a worker', () => {
  it('are removed by others after three seconds of silence, or by the next worker at the same address', async () => {
    await workerAt('a:1').note({ groupId, memberId: 'one' });
    const otherId = randomUUID();
    await workerAt('b:1', sql, otherId).note({ groupId, memberId: 'other' });
    /** Heartbeat of the other, in one transaction, so that `now()` stays the same. */
    const beatAfter = (seconds: number) =>
      sql.tx(async (tx) => {
        await setLastSeen(seconds, 'one', tx);
        await setLastSeen(1, 'other', tx);
        return workerAt('b:1', tx, otherId).beat();
      });
    expect(await beatAfter(0)).toEqual([]);
    expect(await beatAfter(2)).toEqual([]);
    expect(await beatAfter(4)).toEqual([{ groupId, memberId: 'one' }]);
    expect(await beatAfter(4)).toEqual([]);
    expect(await workerAt('c:1').takeFormer()).toEqual([]);
    expect(await workerAt('b:1').takeFormer()).toEqual([{ groupId, memberId: 'other' }]);
    expect(await memberIds()).toEqual([]);
  });

  it('are not removed by a worker that was silent itself, and are deleted when their worker stops', async () => {
    const one = workerAt('a:1');
    const other = workerAt('b:1');
    await one.note({ groupId, memberId: 'one' });
    await other.note({ groupId, memberId: 'other' });
    // PostgreSQL was down.
    await setLastSeen(60, 'one');
    await setLastSeen(60, 'other');
    expect(await other.beat()).toEqual([]);
    expect(await one.beat()).toEqual([]);
    expect(await other.beat()).toEqual([]);
    await one.forget();
    expect(await memberIds()).toEqual(['other']);
    await other.forget();
  });
});

describe('a consumer group', () => {
  let consumer: ChunkConsumer | undefined;
  afterAll(() => consumer?.close());

  const membersOf = async (): Promise<string[]> => {
    const { groups } = await withAdmin(kafka, (admin) => admin.describeGroups([groupId]));
    return (groups[0]?.members ?? []).map(({ memberId }) => memberId);
  };

  it('loses a dead member when a worker starts at its address; a live one rejoins', async () => {
    const joined: string[] = [];
    const former = workerAt('a:1');
    consumer = await createChunkConsumer({
      kafka,
      groupId,
      topicName: topic,
      atOnce: 1,
      handle: () => expect.unreachable('nothing was sent'),
      onJoin: (memberId) => {
        joined.push(memberId);
      },
      deadLetters: { keep: async () => undefined, close: async () => undefined },
      log: silentLog,
    });
    await expect.poll(() => joined).toHaveLength(1);
    const [first = ''] = joined;
    await former.note({ groupId, memberId: first });
    const scope = createScope(silentLog);
    const membership = await startMembership(
      { sql, kafka, jobs: await jobsOf(sql, scope), address: 'a:1', log: silentLog },
      scope,
    );
    await expect.poll(membersOf).not.toContain(first);
    await expect.poll(() => joined).toHaveLength(2);
    const [, second = ''] = joined;
    expect(second).not.toBe(first);
    membership.joined({ groupId, memberId: second });
    await expect.poll(memberIds).toEqual([second]);
    // It is still a member after the next heartbeat.
    await new Promise((resolve) => setTimeout(resolve, 1_200));
    expect(await membersOf()).toEqual([second]);
    await scope.close();
    expect(await memberIds()).toEqual([]);
  });

  it('ignores the removal of an unknown member', async () => {
    await expect(removeMembers(kafka, [{ groupId, memberId: `nobody-${randomUUID()}` }])).resolves.toBe(
      undefined,
    );
  });
});
