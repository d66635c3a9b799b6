/** Evaluates the alert rules over what real processes said, by Prometheus' own `promtool`. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { projectFile } from '../unit/deploy/compose-file.js';
import { readMetrics, type Sample } from './metrics-text.js';

/** Samples of all processes at one moment. */
export type Scrape = readonly Sample[];

/** What was scraped while all was well, while something was broken, and after it was mended. */
export interface Incident {
  readonly alert: string;
  readonly healthy: Scrape;
  readonly broken: Scrape;
  readonly mended: Scrape;
}

/** Longer than any rule waits or looks back. */
const phaseMinutes = 90;

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
}

const rulesFolder = new URL('../../deploy/prometheus/', import.meta.url);
const files = ['recording.rules.yml', 'alerts.rules.yml'];

/** @param addresses Of processes, without a path. Each is an instance, as Prometheus names it. */
export const scrape = async (addresses: readonly string[]): Promise<Scrape> => {
  const all = await Promise.all(addresses.map(readMetrics));
  return all.flatMap(({ samples }, at) =>
    samples
      .filter(({ name }) => name.startsWith('tabulary_'))
      .map((sample) => ({
        ...sample,
        labels: { ...sample.labels, job: 'tabulary', instance: addresses[at] ?? '' },
      })),
  );
};

const seriesOf = ({ name, labels }: Sample): string =>
  `${name}{${Object.entries(labels)
    .map(([label, value]) => `${label}=${JSON.stringify(value)}`)
    .join()}}`;

/** Names of metrics that an alert depends on, through recording rules too. */
const metricsOf = (alert: string): string[] => {
  const rules = files.flatMap((file) =>
    (parse(projectFile(`deploy/prometheus/${file}`)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
      (group) => group.rules,
    ),
  );
  const namesIn = (expr: string): string[] =>
    [...expr.matchAll(/tabulary[\w:]+/g)].flatMap(([name]) => {
      const recorded = rules.find(({ record }) => record === name);
      return recorded === undefined ? [name] : namesIn(recorded.expr);
    });
  const rule = rules.find((each) => each.alert === alert);
  if (rule === undefined) throw new Error(`there is no alert ${alert}`);
  return namesIn(rule.expr);
};

const valuesOf = (scrapes: readonly Scrape[], series: string): string =>
  scrapes
    .flatMap((samples) => {
      const found = samples.find((sample) => seriesOf(sample) === series);
      return Array<string>(phaseMinutes).fill(found === undefined ? '_' : String(found.value));
    })
    .join(' ');

const testOf = ({ alert, healthy, broken, mended }: Incident) => {
  const names = new Set(metricsOf(alert));
  const scrapes = [healthy, broken, mended].map((each) => each.filter(({ name }) => names.has(name)));
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
      values: valuesOf(scrapes, series),
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
 * @param change Of the rules' text, for a limit that no test can reach.
 * @throws Error with what promtool says.
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
    await promisify(execFile)('promtool', ['test', 'rules', path], { cwd: fileURLToPath(rulesFolder) });
  } finally {
    await rm(folder, { recursive: true });
  }
};
