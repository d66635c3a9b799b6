import { percentile } from '../../bench/support/statistics.js';
import { faultLines, listed, tableLines } from '../harness/report.js';
import type { SoakReport } from './soak-run.js';
import type { KindTally } from './tally.js';

const whole = (value: number): string =>
  Number.isFinite(value) ? Math.round(value).toLocaleString('en') : '';

const sumOf = (kinds: readonly KindTally[], of: (kind: KindTally) => number): number =>
  kinds.reduce((sum, kind) => sum + of(kind), 0);

const rowOf = (name: string, kinds: readonly KindTally[]): string[] => {
  const times = kinds.flatMap((kind) => kind.times);
  return [
    name,
    ...[
      sumOf(kinds, ({ count }) => count),
      sumOf(kinds, ({ refused }) => refused),
      sumOf(kinds, ({ broken }) => broken),
      percentile(times, 0.5),
      percentile(times, 0.95),
      sumOf(kinds, ({ rows }) => rows),
    ].map(whole),
  ];
};

/** Renders the figures of a run as Markdown. */
export const reportText = (report: SoakReport): string => {
  const { kinds, memory, faults } = report;
  const requests = tableLines([
    ['request', 'sent', 'answered 502 or 503', 'cut off', 'p50 ms', 'p95 ms', 'rows compared'],
    ...kinds.map((kind) => rowOf(kind.kind, [kind])),
    rowOf('all', kinds),
  ]);
  const processes = tableLines([
    [
      'process',
      'starts',
      'longest lifetime, s',
      'peak MB',
      'MB in second third',
      'MB in last third',
      'MB per minute',
      'memory',
    ],
    ...memory.map((one) => [
      one.name,
      one.lives,
      one.longestSeconds,
      whole(one.peakMb),
      whole(one.middleMb),
      whole(one.lastMb),
      one.mbPerMinute === undefined ? '' : one.mbPerMinute.toFixed(1),
      one.verdict,
    ]),
  ]);
  return [
    `seed ${report.seed}, ${report.minutes} minutes of load; ${listed(report.disruptions)}`,
    '',
    ...requests,
    '',
    `Uploads by outcome: ${listed(report.outcomes)}. Rows of their versions compared afterwards: ${whole(report.rowsChecked)}.`,
    '',
    ...processes,
    '',
    ...faultLines(faults),
    ...(report.kept === undefined ? [] : [`logs kept in ${report.kept}`]),
  ].join('\n');
};
