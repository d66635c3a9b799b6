/** Evaluates the alert rules on metrics of real processes with Prometheus' own `promtool`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { projectFile } from '../unit/deploy/compose-file.js';
import { readMetrics, type Sample } from './metrics-text.js';
import { programOf } from './tools.js';

/** Samples of all processes at one moment. */
export type Scrape = readonly Sample[];

/** Samples while all was well, while something was broken, and after it was repaired. */
export interface Incident {
  readonly alert: string;
  readonly healthy: Scrape;
  readonly broken: Scrape;
  readonly repaired: Scrape;
  /** Interpolates between scrapes, for rules that take the rate of a counter. @default false */
  readonly rising?: boolean;
}

/** Longer than any `for` or range of a rule. */
const phaseMinutes = 90;

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

const rulesFolder = new URL('../../deploy/prometheus/', import.meta.url);
const files = ['recording.rules.yml', 'alerts.rules.yml'];

const eventLoopLag = 'nodejs_eventloop_lag_p99_seconds';

/** Metrics of a process, with `up` as Prometheus adds it: 0 when the connection is refused. */
const scrapeOne = async (address: string): Promise<Sample[]> => {
  const up = (value: number): Sample => ({ name: 'up', labels: {}, value });
  try {
    const { samples } = await readMetrics(address);
    return [up(1), ...samples.filter(({ name }) => name.startsWith('tabulary_') || name === eventLoopLag)];
  } catch (error) {
    if (error instanceof TypeError && error.message === 'fetch failed') return [up(0)];
    throw error;
  }
};

/** @param addresses base URLs of the processes; each becomes an `instance`. */
export const scrape = async (addresses: readonly string[]): Promise<Scrape> => {
  const all = await Promise.all(addresses.map(scrapeOne));
  return all.flatMap((samples, at) =>
    samples.map((sample) => ({
      ...sample,
      labels: { ...sample.labels, job: 'tabulary', instance: addresses[at] ?? '' },
    })),
  );
};

export const valuesOf = (samples: Scrape, name: string): number[] =>
  samples.filter((sample) => sample.name === name).map(({ value }) => value);

export const sumOf = (samples: Scrape, name: string): number =>
  valuesOf(samples, name).reduce((sum, value) => sum + value, 0);

/** Value of the sample with these labels; undefined when there is none. */
export const sampleOf = (
  samples: Scrape,
  name: string,
  labels: Readonly<Record<string, string>>,
): number | undefined =>
  samples.find(
    (sample) =>
      sample.name === name &&
      Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  )?.value;

/** Scrapes until the condition holds. */
export const scrapeUntil = async (
  addresses: readonly string[],
  wanted: (samples: Scrape) => boolean,
): Promise<Scrape> => {
  for (;;) {
    const samples = await scrape(addresses);
    if (wanted(samples)) return samples;
    await sleep(100);
  }
};

const seriesOf = ({ name, labels }: Sample): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join()}}`;

/** Names of the metrics that an alert depends on, directly or through recording rules. */
const metricsOf = (alert: string): string[] => {
  const rules = files.flatMap((file) =>
    (parse(projectFile(`deploy/prometheus/${file}`)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
      (group) => group.rules,
    ),
  );
  const namesIn = (expr: string): string[] =>
    [...expr.matchAll(/\b(?:tabulary_[\w]+|tabulary:[\w:]+|nodejs_\w+|up)\b/g)].flatMap(([name]) => {
      const recorded = rules.find(({ record }) => record === name);
      return recorded === undefined ? [name] : namesIn(recorded.expr);
    });
  const rule = rules.find((each) => each.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  return namesIn(rule.expr);
};

const phaseOf = (series: string, scrapes: readonly Scrape[], at: number, rising: boolean): string[] => {
  const valueAt = (which: number): number | undefined =>
    scrapes[which]?.find((sample) => seriesOf(sample) === series)?.value;
  const value = valueAt(at);
  if (value === undefined) return Array<string>(phaseMinutes).fill('_');
  const before = rising && at > 0 ? (valueAt(at - 1) ?? 0) : value;
  return Array.from({ length: phaseMinutes }, (_, minute) =>
    String(before + ((value - before) * (minute + 1)) / phaseMinutes),
  );
};

const testOf = ({ alert, healthy, broken, repaired, rising = false }: Incident) => {
  const names = new Set(metricsOf(alert));
  const scrapes = [healthy, broken, repaired].map((each) => each.filter(({ name }) => names.has(name)));
  const fires = (minute: number, does: boolean) => ({
    expr: `clamp_max(count(count_over_time(ALERTS{alertname="${alert}",alertstate="firing"}[${phaseMinutes - 2}m])), 1)`,
    eval_time: `${minute}m`,
    exp_samples: does ? [{ labels: '{}', value: 1 }] : [],
  });
  return {
    name: alert,
    interval: '1m',
    input_series: [...new Set(scrapes.flat().map(seriesOf))].map((series) => ({
      series,
      values: scrapes.flatMap((_, at) => phaseOf(series, scrapes, at, rising)).join(' '),
    })),
    promql_expr_test: [
      fires(phaseMinutes - 1, false),
      fires(2 * phaseMinutes - 1, true),
      {
        expr: `count(ALERTS{alertname="${alert}",alertstate="firing"})`,
        eval_time: `${3 * phaseMinutes - 1}m`,
        exp_samples: [],
      },
    ],
  };
};

/**
 * Repeats each scrape for longer than any rule waits: the alert must be silent, then fire, then be silent again.
 * @param change edits the rules' text, for a threshold that no test can reach.
 * @throws Error with the output of promtool.
 */
export const expectToFire = async (
  incident: Incident,
  change: (rules: string) => string = (rules) => rules,
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'tabulary-alerts-'));
  try {
    for (const file of files)
      await writeFile(join(folder, file), change(projectFile(`deploy/prometheus/${file}`)));
    const path = join(folder, 'incident.yml');
    // JSON is YAML.
    const test = { rule_files: files, evaluation_interval: '1m', tests: [testOf(incident)] };
    await writeFile(path, JSON.stringify(test));
    await promisify(execFile)(await programOf('promtool'), ['test', 'rules', path], {
      cwd: fileURLToPath(rulesFolder),
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};
