import { duration, timeOf } from '../../lib/format.js';
import { consoleTexts } from '../../texts/console.js';
import type { State } from './types.js';

const t = consoleTexts.well;

export interface Verdict {
  readonly look: 'good' | 'warn' | 'bad';
  readonly title: string;
  /** Sentences, the gravest first. */
  readonly reasons: readonly string[];
}

/** How the service is, in words. */
export const verdictOf = ({ at, components, alerts, consuming, uploads, log }: State): Verdict => {
  const firing = alerts.filter(({ state }) => state === 'firing');
  const down = components.filter(({ ok }) => !ok);
  const reasons = [
    ...down
      // An alert says the same, once it fires.
      .filter(() => !firing.some(({ name }) => name === 'TabularyComponentDown'))
      .map(({ name }) => t.isDown(t.names[name] ?? name)),
    ...firing.map(({ summary }) => `${summary}.`),
    ...(consuming.pausedSince === null
      ? []
      : [t.paused(duration((timeOf(at).getTime() - timeOf(consuming.pausedSince).getTime()) / 1_000))]),
    ...(uploads.stuck.length === 0 ? [] : [t.stuck(uploads.stuck.length)]),
  ];
  if (down.length > 0 || firing.some(({ severity }) => severity === 'critical'))
    return { look: 'bad', title: t.bad, reasons };
  if (reasons.length > 0) return { look: 'warn', title: t.warn, reasons };
  const members = (log?.groups ?? []).reduce((sum, group) => sum + group.members, 0);
  return { look: 'good', title: t.good, reasons: [t.goodMore(members)] };
};
