import type { AdminContext, AdminGroup } from './command.js';

/** Connects; the sweep gives one line per kind of thing. */
export type OpenSweep = (context: AdminContext) => Promise<() => Promise<object[]>>;

/** `sweep` */
export const createSweepCommands = (open: OpenSweep): AdminGroup => ({
  name: 'sweep',
  summary: 'Storage',
  commands: [
    {
      name: '',
      summary: 'Apply retention, remove what belongs to nothing, and tell what was removed; workers may run.',
      arguments: [],
      run: async ({ context }) => (await open(context))(),
    },
  ],
});
