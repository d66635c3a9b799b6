import { randomUUID } from 'node:crypto';
import { messageOf } from '../lib/errors.js';
import type { Log } from '../lib/log.js';
import { startPeriodic } from '../lib/periodic.js';
import type { Scope } from '../lib/scope.js';
import type { KafkaConnection } from '../storage/kafka/connection.js';
import { removeMembers } from '../storage/kafka/group-members.js';
import { type ConsumerMember, createConsumerMembers } from '../storage/postgres/consumer-members.js';
import type { Sql } from '../storage/postgres/sql.js';

export interface MembershipOptions {
  readonly sql: Sql;
  readonly kafka: KafkaConnection;
  /** Host and port of this worker. */
  readonly address: string;
  readonly log: Log;
}

const beatMs = 1_000;

/**
 * Takes members of workers that have died out of their groups (docs/adr/0075-members-of-consumer-groups.md): Kafka waits for them
 * until their session has ended, ten seconds, and with it every worker that is to join.
 */
export const startMembership = async (
  { sql, kafka, address, log }: MembershipOptions,
  scope: Scope,
): Promise<{ joined(member: ConsumerMember): void }> => {
  const members = createConsumerMembers(sql, { id: randomUUID(), address });

  const remove = async (gone: readonly ConsumerMember[]): Promise<void> => {
    if (gone.length === 0) return;
    log.info({ members: gone.length }, 'members of a worker that has died leave their groups');
    await removeMembers(kafka, gone);
  };

  /** Without it Kafka takes ten seconds, and everything goes on. */
  const orLater = (error: unknown): void =>
    log.warn({ err: error, reason: messageOf(error) }, 'members of consumer groups not looked after');

  await members.takeFormer().then(remove).catch(orLater);
  const beating = startPeriodic({
    name: 'members of consumer groups',
    intervalMs: beatMs,
    run: () => members.beat().then(remove).catch(orLater),
    log,
  });
  // Behind the consumers, which leave by themselves.
  await scope.defer('members of consumer groups', async () => {
    await beating.stop();
    await members.forget().catch(orLater);
  });
  return { joined: (member) => void members.note(member).catch(orLater) };
};
