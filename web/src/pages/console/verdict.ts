import { duration, timeOf } from '../../lib/format.js';
import { consoleTexts } from '../../texts/console.js';
import type { State } from './types.js';

const { well: t, lag } = consoleTexts;

interface Reason {
  readonly text: string;
  readonly isGrave: boolean;
  /** Anchor in the run-book. */
  readonly runbook?: string;
}

interface Verdict {
  readonly look: 'good' | 'warn' | 'bad';
  readonly title: string;
  /** Most severe first. */
  readonly reasons: readonly Pick<Reason, 'text' | 'runbook'>[];
}

const reasonsOf = ({ at, components, consuming, uploads, log }: State): Reason[] => [
  ...components
    .filter(({ ok }) => !ok)
    .map(({ name }) => ({ text: t.isDown(t.names[name] ?? name), isGrave: true, runbook: 'component-down' })),
  ...(log?.groups ?? [])
    .filter(({ members }) => members === 0)
    .map(({ group }) => group.slice(group.lastIndexOf('.') + 1))
    .map((topic) => ({ text: t.noWorker(lag.topic[topic] ?? topic), isGrave: true, runbook: 'no-worker' })),
  ...(log !== null && log.deadLetters > 0
    ? [{ text: t.letters(log.deadLetters), isGrave: true, runbook: 'dead-letters-wait' }]
    : []),
  ...(consuming.pausedSince === null
    ? []
    : [
        {
          text: t.paused(duration((timeOf(at).getTime() - timeOf(consuming.pausedSince).getTime()) / 1_000)),
          isGrave: false,
        },
      ]),
  ...(uploads.stuck.length === 0
    ? []
    : [{ text: t.stuck(uploads.stuck.length), isGrave: false, runbook: 'oldest-pending-upload' }]),
];

/** Verdict on the current state. Thresholds over time are left to the Prometheus alerts. */
export const verdictOf = (state: State): Verdict => {
  const reasons = reasonsOf(state);
  if (reasons.some(({ isGrave }) => isGrave)) return { look: 'bad', title: t.bad, reasons };
  if (reasons.length > 0) return { look: 'warn', title: t.warn, reasons };
  const members = (state.log?.groups ?? []).reduce((sum, group) => sum + group.members, 0);
  return { look: 'good', title: t.good, reasons: [{ text: t.goodMore(members) }] };
};
