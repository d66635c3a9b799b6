import type { AdminContext, AdminGroup } from './command.js';

/** Connects. The sweep returns one line per kind of item. */
type OpenSweep = (context: AdminContext) => Promise<() => Promise<object[]>>;

export const createSweepCommands = (open: OpenSweep): AdminGroup => ({
  name: 'sweep',
  summary: 'Storage',
  commands: [
    {
      name: '',
      audited: true,
      summary: 'Apply retention, remove orphaned data and report what was removed; workers may keep running.',
      run: async ({ context }) => (await open(context))(),
    },
  ],
});
