/**
 * Sticky assigner: partitions stay with their members as far as all workers, and all members of a worker, get the same
 * number. Work on a chunk continues during a rebalance and is lost if another member gets its partition. The only assigner of
 * kafkajs is round robin by member id, which moves nearly all partitions for each new member (tulios/kafkajs#922, #1771).
 */
import { AssignerProtocol, type PartitionAssigner } from 'kafkajs';

/** A member, and the partitions of one topic that it claims. */
export interface Holder {
  readonly memberId: string;
  readonly held: readonly number[];
}

/**
 * Gives each member the same number of partitions, or one more than the others.
 * @returns Partitions by member. One that two claim stays with the first by id.
 */
export const assignPartitions = (
  holders: readonly Holder[],
  partitions: readonly number[],
): ReadonlyMap<string, readonly number[]> => {
  const least = Math.floor(partitions.length / holders.length);
  let withOneMore = partitions.length % holders.length;
  const free = new Set(partitions);
  const sorted = holders.toSorted((a, b) => (a.memberId < b.memberId ? -1 : 1));
  const assigned = new Map<string, number[]>(sorted.map(({ memberId }) => [memberId, []]));
  const take = (memberId: string, partition: number): void => {
    if (free.delete(partition)) assigned.get(memberId)?.push(partition);
  };
  for (const { memberId, held } of sorted) {
    const claimed = held.filter((partition) => free.has(partition));
    const kept = claimed.length > least && withOneMore > 0 ? least + 1 : least;
    if (kept > least) withOneMore -= 1;
    for (const partition of claimed.slice(0, kept)) take(memberId, partition);
  }
  for (const most of [least, least + 1])
    for (const [memberId, own] of assigned)
      for (const partition of free) {
        if (own.length >= most) break;
        take(memberId, partition);
      }
  return assigned;
};

/** A member of a group. */
interface WorkerMember extends Holder {
  /** The process that it belongs to. */
  readonly worker: string;
}

/** Each worker gets the same number of partitions, and each member of a worker too, so a new worker takes its share of the work. */
export const assignByWorker = (
  members: readonly WorkerMember[],
  partitions: readonly number[],
): ReadonlyMap<string, readonly number[]> => {
  const workers = [...new Set(members.map(({ worker }) => worker))].map((worker) => {
    const own = members.filter((member) => member.worker === worker);
    return { memberId: worker, own, held: own.flatMap(({ held }) => held) };
  });
  const shares = assignPartitions(workers, partitions);
  return new Map(
    workers.flatMap(({ memberId, own }) => [...assignPartitions(own, shares.get(memberId) ?? [])]),
  );
};

const version = 0;
const name = 'tabulary-sticky';

/** User data that a member sends when it joins. */
type Claim = Pick<WorkerMember, 'worker' | 'held'>;

const claimOf = (memberMetadata: Buffer): Claim => {
  const { userData } = AssignerProtocol.MemberMetadata.decode(memberMetadata) ?? {};
  if (userData === undefined || userData.length === 0) throw new Error(`a member of ${name} claims nothing`);
  return JSON.parse(userData.toString()) as Claim;
};

/**
 * Assigner for groups that read one topic.
 * @param claim This member, and the partitions of its last assignment.
 */
export const createStickyAssigner =
  (claim: () => Claim): PartitionAssigner =>
  ({ cluster }) => ({
    name,
    version,
    async assign({ members, topics }) {
      const [topic = ''] = topics;
      const partitions = cluster.findTopicPartitionMetadata(topic).map(({ partitionId }) => partitionId);
      const claims = members.map(({ memberId, memberMetadata }) => ({
        memberId,
        ...claimOf(memberMetadata),
      }));
      return [...assignByWorker(claims, partitions)].map(([memberId, own]) => ({
        memberId,
        memberAssignment: AssignerProtocol.MemberAssignment.encode({
          version,
          assignment: { [topic]: [...own] },
          userData: Buffer.alloc(0),
        }),
      }));
    },
    protocol: ({ topics }) => ({
      name,
      metadata: AssignerProtocol.MemberMetadata.encode({
        version,
        topics,
        userData: Buffer.from(JSON.stringify(claim())),
      }),
    }),
  });
