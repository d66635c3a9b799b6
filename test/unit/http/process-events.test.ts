import { expect, it } from 'vitest';
import { progressEvents } from '../../../src/http/routes/processes.js';
import type { ProcessView } from '../../../src/model/process.js';

interface Step {
  readonly percent: number | null;
  readonly attempt?: number;
  readonly status?: 'pending' | 'completed' | 'failed';
}

const viewOf = ({ percent, attempt = 1, status = 'pending' }: Step, at: number): ProcessView =>
  ({ id: 7, status, progress: { percent, attempt, sent: at } }) as ProcessView;

/** Percent of each event of a process that takes these steps. */
const percentsOf = async (steps: readonly Step[]): Promise<(number | null)[]> => {
  const [first, ...others] = steps.map(viewOf);
  const watch = { next: async () => others.shift() };
  const percents: (number | null)[] = [];
  for await (const event of progressEvents(watch, first!, () => others.length === 0)) {
    const [, data = ''] = /^event: .*\ndata: (.*)\n\n$/.exec(event) ?? [];
    percents.push((JSON.parse(data) as ProcessView).progress.percent);
  }
  return percents;
};

it('the percent of an upload does not decrease while more chunks are sent than stored', async () => {
  expect(await percentsOf([{ percent: 0 }, { percent: 40 }, { percent: 30 }, { percent: 45 }])).toEqual([
    0, 40, 40, 45,
  ]);
});

it('the percent starts again with an attempt', async () => {
  expect(
    await percentsOf([
      { percent: 60 },
      { percent: 50, attempt: 2 },
      { percent: 40, attempt: 2 },
      { percent: 100, attempt: 2, status: 'completed' },
    ]),
  ).toEqual([60, 50, 50, 100]);
});

it('the percent of a body of unknown length stays null until it is received', async () => {
  expect(await percentsOf([{ percent: 0 }, { percent: null }, { percent: 50 }, { percent: 55 }])).toEqual([
    0,
    null,
    50,
    55,
  ]);
});
