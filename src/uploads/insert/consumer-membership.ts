import { randomUUID } from 'node:crypto';
import type { Jobs } from '../../jobs/jobs.js';
import { messageOf } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { Scope } from '../../lib/scope.js';
import type { KafkaConnection } from '../../storage/kafka/connection.js';
import { removeMembers } from '../../storage/kafka/group-members.js';
import { type ConsumerMember, createConsumerMembers } from '../../storage/postgres/consumer-members.js';
import type { Sql } from '../../storage/postgres/sql.js';

interface MembershipOptions {
  readonly sql: Sql;
  readonly kafka: KafkaConnection;
  readonly jobs: Jobs;
  /** Host and port of this worker. */
  readonly address: string;
  readonly log: Log;
}

const beatMs = 1_000;

/**
 * Removes the members of dead workers from their consumer groups (docs/adr/0075-members-of-consumer-groups.md). Otherwise Kafka
 * waits ten seconds for their sessions to expire, and every worker that joins waits with it.
 */
export const startMembership = async (
  { sql, kafka, jobs, address, log }: MembershipOptions,
  scope: Scope,
): Promise<{ joined(member: ConsumerMember): void }> => {
  const members = createConsumerMembers(sql, { id: randomUUID(), address });

  const remove = async (gone: readonly ConsumerMember[]): Promise<void> => {
    if (gone.length === 0) return;
    log.info({ members: gone.length }, 'members of a worker that has died leave their groups');
    await removeMembers(kafka, gone);
  };

  /** A failure is only logged: Kafka then removes the members when their sessions expire. */
  const orLater = (error: unknown): void =>
    log.warn({ err: error, reason: messageOf(error) }, 'members of consumer groups not checked');

  await members.takeFormer().then(remove).catch(orLater);
  // Stopped after the consumers, which leave by themselves.
  await scope.defer('members of consumer groups', () => members.forget().catch(orLater));
  await jobs.loop('members of consumer groups', {
    everyMs: beatMs,
    run: () => members.beat().then(remove).catch(orLater),
    scope,
  });
  return { joined: (member) => void members.note(member).catch(orLater) };
};
