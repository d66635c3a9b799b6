import { invalid } from '../lib/errors.js';
import type { RepairSegment, Verification } from '../versions/verify/verification.js';
import type { AdminContext, AdminGroup } from './command.js';
import { wholeNumber } from './whole-number.js';

interface OpenedVerification {
  readonly verification: Verification;
  readonly repair: RepairSegment;
}

/** @param backups Backups that have rows which Kafka does not have. */
type OpenVerification = (context: AdminContext, backups?: string) => Promise<OpenedVerification>;

export const createVerifyCommands = (open: OpenVerification): AdminGroup => ({
  name: 'verify',
  summary: 'Storage',
  commands: [
    {
      name: '',
      audited: true,
      summary:
        'Compare versions in PostgreSQL with rows, counts and hashes in ClickHouse; exit code 1 on faults.',
      options: {
        dataset: { type: 'string', help: 'Only the dataset of this id.' },
        repair: {
          type: 'boolean',
          help: 'Repair what can be repaired: rows of uploads are written again from Kafka.',
        },
        from: {
          type: 'string',
          help: 'With --repair: backups (a folder, or s3://bucket/prefix) that have the rows which Kafka does not give.',
        },
      },
      async run({ context, option, flag }) {
        const dataset = option('dataset');
        const from = option('from');
        if (from !== undefined && !flag('repair')) throw invalid('usage', '--from is for --repair');
        const { verification, repair } = await open(context, from);
        const report = await verification.verify({
          ...(dataset === undefined ? {} : { dataset: wholeNumber(dataset, 'the id of a dataset') }),
          ...(flag('repair') ? { repair } : {}),
        });
        if (report.left > 0) context.onFault?.();
        return report;
      },
    },
  ],
});
