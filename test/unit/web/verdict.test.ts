/** The verdict on the first screen of the console. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { State } from '../../../web/src/pages/console/types.js';
import { verdictOf } from '../../../web/src/pages/console/verdict.js';

const component = { name: 'kafka', ok: true, ms: 1, error: null, since: '2026-01-31T00:00:00.000' };
const group = { group: 't.short', state: 'Stable', members: 2, assigned: 4, assignments: [] };
const log = { lag: [], groups: [group], deadLetters: 0 };
const silent = {
  processId: 1,
  datasetId: 1,
  phase: 'ready',
  attempt: 1,
  createdAt: '2026-01-31T00:00:00.000',
  silentSeconds: 700,
  insertedChunks: 1,
  chunks: 1,
  waitsFor: null,
};
const healthy: State = {
  at: '2026-01-31T12:00:00.000',
  components: [component],
  consuming: { pausedSince: null },
  uploads: { pending: [], stuck: [], lastDay: { completed: 0, failed: 1, failures: [] } },
  log,
  refreshes: { datasets: 0, scheduled: 0, due: 0, running: 0, failing: 0, failures: [] },
  providers: [],
};

const wrong: [string, Partial<State>, 'bad' | 'warn', string, string | undefined][] = [
  [
    'a component that is down',
    { components: [{ ...component, ok: false }], log: null },
    'bad',
    'Kafka is not answering.',
    'component-down',
  ],
  [
    'a topic without a worker',
    { log: { ...log, groups: [{ ...group, members: 0 }] } },
    'bad',
    'No worker is reading: Short uploads.',
    'no-worker',
  ],
  [
    'dead letters',
    { log: { ...log, deadLetters: 2 } },
    'bad',
    '2 dead letters need a decision.',
    'dead-letters-wait',
  ],
  [
    'stuck uploads',
    { uploads: { ...healthy.uploads, stuck: [silent] } },
    'warn',
    '1 upload is stuck.',
    'oldest-pending-upload',
  ],
  [
    'paused workers',
    { consuming: { pausedSince: '2026-01-31T11:00:00.000' } },
    'warn',
    'Workers have been paused for 1 h. Uploads are accepted and wait in Kafka.',
    undefined,
  ],
];

const sections = [
  ...readFileSync(new URL('../../../docs/operating/runbook.md', import.meta.url), 'utf8').matchAll(
    /^#+ (.*)$/gm,
  ),
].map(([, title = '']) => title.toLowerCase().replaceAll(' ', '-'));

describe('the verdict', () => {
  it('is good if nothing is wrong', () => {
    expect(verdictOf(healthy)).toEqual({
      look: 'good',
      title: 'All is well',
      reasons: [
        {
          text: 'PostgreSQL, ClickHouse and Kafka are up, 2 consumers are running, and there are no dead letters.',
        },
      ],
    });
  });

  it.each(wrong)('names %s, with a section of the run-book', (_name, change, look, text, runbook) => {
    const verdict = verdictOf({ ...healthy, ...change });
    expect(verdict.look).toBe(look);
    expect(verdict.reasons.map((reason) => [reason.text, reason.runbook])).toEqual([[text, runbook]]);
    if (runbook !== undefined) expect(sections).toContain(runbook);
  });

  it('lists severe reasons first', () => {
    const all: State = Object.assign({}, healthy, ...wrong.map(([, change]) => change));
    expect(verdictOf({ ...all, log: { ...log, deadLetters: 1 } }).reasons.map(({ text }) => text)).toEqual([
      'Kafka is not answering.',
      '1 dead letter needs a decision.',
      wrong[4]?.[3],
      wrong[3]?.[3],
    ]);
  });
});
