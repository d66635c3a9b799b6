/** Position of a reader in a partition. Kafka's offsets have 64 bits. */
export interface ReaderPosition {
  readonly partition: number;
  /** First message that it has not handled; it must exist. */
  readonly needed: bigint;
}

/** By partition, the offset of the first message younger than the given milliseconds, or the end. */
type FirstYounger = (ageMs: number) => Promise<ReadonlyMap<number, bigint>>;

const youngestMs = 1_000;
const oldestMs = 30 * 86_400_000;
/** Each step halves the range on a logarithmic scale; the remaining uncertainty is an eighth of the age. */
const steps = 7;

/**
 * Finds ages of messages by requesting offsets by time: Kafka does not report the age of a message, and reading one may transfer megabytes.
 * @returns By partition, in milliseconds: the message is at least that old, and at most an eighth older; at least 1 s.
 */
export const agesOf = async (
  positions: readonly ReaderPosition[],
  firstYounger: FirstYounger,
): Promise<Map<number, number>> => {
  const ages = new Map<number, number>();
  const narrow = async (some: readonly ReaderPosition[], from: number, to: number, left: number) => {
    if (some.length === 0) return;
    if (left === 0) {
      for (const { partition } of some) ages.set(partition, from);
      return;
    }
    const middle = Math.sqrt(from * to);
    const firsts = await firstYounger(middle);
    const isOlder = ({ partition, needed }: ReaderPosition) => (firsts.get(partition) ?? needed) > needed;
    await narrow(some.filter(isOlder), middle, to, left - 1);
    await narrow(
      some.filter((position) => !isOlder(position)),
      from,
      middle,
      left - 1,
    );
  };
  await narrow(positions, youngestMs, oldestMs, steps);
  return ages;
};
