import { type Outcome, runAttacks } from '../test/attack/attack-run.js';
import { goals, ratiosOf } from '../test/attack/report.js';
import { startUpstreams } from '../test/attack/upstreams.js';
import type { Bench } from './support/bench.js';
import type { Figure } from './support/figure.js';

const figuresOf = (outcome: Outcome): Figure[] => {
  const { p95, upload } = ratiosOf(outcome);
  const { attack, idle, suffered } = outcome;
  return [
    {
      name: `light requests during ${attack}, p95`,
      value: p95,
      unit: '×',
      goal: { atMost: goals.p95 },
      yardstick: { name: 'idle', value: idle.p95Ms, unit: 'ms' },
    },
    {
      name: `22 MB upload during ${attack}`,
      value: suffered.uploadSeconds === undefined ? Number.NaN : upload,
      unit: '×',
      goal: { atMost: goals.upload },
      yardstick: { name: 'idle', value: idle.uploadSeconds ?? Number.NaN, unit: 's' },
    },
  ];
};

/** Slowdown of an account while another attacks, as multiples of its idle values. */
export const neighbours: Bench = async ({ quick, pick, say, product: open, defer }) => {
  const upstreams = await startUpstreams();
  await defer('providers', upstreams.close);
  const report = await runAttacks(await open(upstreams.settings), {
    short: quick,
    seconds: pick(20, 2),
    uploadBytes: pick(22e6, 2e6),
    say,
  });
  return report.outcomes.flatMap(figuresOf);
};
