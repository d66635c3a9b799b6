import type { RepairUpload, Verification } from '../ingest/repair/verification.js';
import type { AdminContext, AdminGroup } from './command.js';
import { wholeNumber } from './uploads.js';

export interface OpenedVerification {
  readonly verification: Verification;
  readonly repair: RepairUpload;
}

export type OpenVerification = (context: AdminContext) => Promise<OpenedVerification>;

/** `verify` */
export const createVerifyCommands = (open: OpenVerification): AdminGroup => ({
  name: 'verify',
  summary: 'Storage',
  commands: [
    {
      name: '',
      audited: true,
      summary:
        'Compare versions in PostgreSQL with rows, counts and hashes in ClickHouse; exit code 1 on faults.',
      arguments: [],
      options: { dataset: { type: 'string' }, repair: { type: 'boolean' } },
      optionHelp: {
        dataset: 'Only the dataset of this id.',
        repair: 'Mend what can be mended: rows of uploads are written anew from Kafka.',
      },
      async run({ context, option, flag }) {
        const dataset = option('dataset');
        const { verification, repair } = await open(context);
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
