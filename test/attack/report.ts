import { listed, tableLines } from '../harness/report.js';
import type { AttackReport, Outcome } from './attack-run.js';

/** Upper bounds for the effect on others: `p95` and `upload` as multiples of idle values, pauses in milliseconds. */
export const goals = { p95: 3, upload: 3, pauseMs: 50 } as const;

export interface Ratios {
  readonly p95: number;
  readonly upload: number;
}

export const ratiosOf = ({ idle, suffered }: Outcome): Ratios => ({
  p95: suffered.p95Ms / idle.p95Ms,
  upload: (suffered.uploadSeconds ?? Number.POSITIVE_INFINITY) / (idle.uploadSeconds ?? Number.NaN),
});

const missedBy = (outcome: Outcome): string[] => {
  const { p95, upload } = ratiosOf(outcome);
  const { pauseMs, turnMs } = outcome.strain;
  const pause = (name: 'api' | 'worker'): number => turnMs[name] ?? pauseMs[name];
  return [
    ...(p95 <= goals.p95 ? [] : ['p95']),
    ...(upload <= goals.upload ? [] : ['upload']),
    ...(Math.max(pause('api'), pause('worker')) <= goals.pauseMs ? [] : ['pause']),
  ];
};

const verdictOf = (outcome: Outcome): string => {
  if (outcome.failures.length > 0) return `FAILED: ${outcome.failures.join('; ')}`;
  const missed = missedBy(outcome);
  return missed.length === 0 ? 'held' : `missed: ${missed.join(', ')}`;
};

const ms = (value: number): string => {
  if (Number.isNaN(value)) return '–';
  return Number.isFinite(value) ? value.toFixed(0) : '∞';
};
const seconds = (value: number | undefined): string => (value === undefined ? 'failed' : value.toFixed(1));

/** Renders the effect of every attack as a Markdown table. */
export const reportText = (report: AttackReport): string => {
  const { idle, idleStrain, outcomes } = report;
  const rows = outcomes.map((outcome) => {
    const { attack, does, suffered, strain, statuses } = outcome;
    const { p95, upload } = ratiosOf(outcome);
    const { api = Number.NaN, worker = Number.NaN, clickhouse = Number.NaN } = strain.peakMb;
    return [
      attack,
      does,
      listed(statuses, ' × ') || 'none read',
      `${ms(suffered.p50Ms)} / ${ms(suffered.p95Ms)} (${p95.toFixed(1)} ×)`,
      `${seconds(suffered.uploadSeconds)} (${upload.toFixed(1)} ×)`,
      `${api} / ${worker} / ${clickhouse}`,
      `${ms(strain.pauseMs.api)} / ${ms(strain.pauseMs.worker)}`,
      `${ms(strain.turnMs.api ?? Number.NaN)} / ${ms(strain.turnMs.worker ?? Number.NaN)}`,
      verdictOf(outcome),
    ];
  });
  const head = [
    'attack',
    'what the attacker did',
    'responses',
    'light requests of victim, p50 / p95 ms',
    'upload of victim, s',
    'peak MB: API / worker / ClickHouse',
    'longest pause ms: API / worker',
    'CPU time of longest turn ms: API / worker',
    'verdict',
  ];
  return [
    `idle: light requests p50 ${ms(idle.p50Ms)} ms, p95 ${ms(idle.p95Ms)} ms; upload ${seconds(idle.uploadSeconds)} s; longest pause ${ms(idleStrain.pauseMs.api)} ms of the API, ${ms(idleStrain.pauseMs.worker)} ms of the worker`,
    '',
    ...tableLines([head, ...rows]),
  ].join('\n');
};
