import type { ClusterOperations, MovedStores, MoveOptions } from '../operations/cluster.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './uploads.js';

/** Connects. */
export type OpenCluster = (context: AdminContext) => Promise<ClusterOperations>;

const defaultWaitSeconds = 60;

const moveOptions = {
  'dry-run': { type: 'boolean' },
  wait: { type: 'string' },
} as const;

const moveHelp = {
  'dry-run': 'Say how many stores would be moved, and move none.',
  wait: `Seconds to wait for stores that are written; ${defaultWaitSeconds} when left out.`,
};

const optionsOf = ({ option, flag }: CommandInput): MoveOptions => {
  const wait = option('wait');
  const seconds = wait === undefined ? defaultWaitSeconds : wholeNumber(wait, '--wait');
  return { dryRun: flag('dry-run'), waitMs: seconds * 1_000 };
};

/** Stops in front of the next batch when the command is told to end. */
const whileRunning = async <T>(
  { scope }: AdminContext,
  work: (stop: AbortSignal) => Promise<T>,
): Promise<T> => {
  const leaving = new AbortController();
  await scope.defer('moves of stores', () => leaving.abort());
  return work(leaving.signal);
};

/** What was left makes the command fail: whoever runs it again moves the rest. */
const reported = ({ context }: CommandInput, moved: MovedStores): MovedStores => {
  if (moved.left.length > 0) context.onFault?.();
  return moved;
};

/** `cluster show|rebalance|drain|fill` */
export const createClusterCommands = (open: OpenCluster): AdminGroup => ({
  name: 'cluster',
  summary: 'Shards of ClickHouse',
  commands: [
    {
      name: 'show',
      summary: 'Show the shards of CLICKHOUSE_CLUSTER with their nodes, stores, bytes and free space.',
      arguments: [],
      run: async ({ context }) => (await open(context)).show(),
    },
    {
      name: 'rebalance',
      audited: true,
      summary:
        'Move stores between shards until they are as full as each other, and rows of spread datasets to a shard that has few; reads and uploads go on.',
      arguments: [],
      options: moveOptions,
      optionHelp: moveHelp,
      async run(input) {
        const operations = await open(input.context);
        return whileRunning(input.context, async (stop) =>
          reported(input, await operations.rebalance(optionsOf(input), stop)),
        );
      },
    },
    {
      name: 'drain',
      audited: true,
      summary:
        'Move all rows off a shard, also its part of spread datasets, and place nothing new there; exit code 1 while some are left.',
      arguments: ['shard'],
      options: moveOptions,
      optionHelp: moveHelp,
      async run(input) {
        const shard = wholeNumber(input.argument('shard'), 'the number of a shard');
        const operations = await open(input.context);
        return whileRunning(input.context, async (stop) =>
          reported(input, await operations.drain(shard, optionsOf(input), stop)),
        );
      },
    },
    {
      name: 'fill',
      audited: true,
      summary: 'Let a shard that was drained, or is being drained, take rows again.',
      arguments: ['shard'],
      async run({ context, argument }) {
        await (await open(context)).fill(wholeNumber(argument('shard'), 'the number of a shard'));
        return undefined;
      },
    },
  ],
});
