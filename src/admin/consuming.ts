import { consumingPausedSince, pauseConsuming, resumeConsuming } from '../uploads/lifecycle/consuming.js';
import type { AdminGroup } from './command.js';

/** `consuming pause|resume|show` */
export const consumingCommands: AdminGroup = {
  name: 'consuming',
  summary: 'Workers',
  commands: [
    {
      name: 'pause',
      audited: true,
      summary: 'Have all workers wait before their next chunk; uploads are accepted and wait in Kafka.',
      run: async ({ context }) => ({ pausedSince: await pauseConsuming(context.sql, new Date()) }),
    },
    {
      name: 'resume',
      audited: true,
      summary: 'Have all workers go on.',
      async run({ context }) {
        await resumeConsuming(context.sql);
        return { pausedSince: null };
      },
    },
    {
      name: 'show',
      summary: 'Show since when workers wait.',
      run: async ({ context }) => ({ pausedSince: await consumingPausedSince(context.sql) }),
    },
  ],
};
