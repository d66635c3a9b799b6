import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createMetrics } from '../../../src/lib/metrics/metrics.js';
import { projectFile } from './compose-file.js';

interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: { readonly summary?: string; readonly runbook_url?: string };
}

const rulesOf = (file: string): Rule[] =>
  (parse(projectFile(`deploy/prometheus/${file}`)) as { groups: { rules: Rule[] }[] }).groups.flatMap(
    ({ rules }) => rules,
  );

const alerts = rulesOf('alerts.rules.yml');
const recorded = rulesOf('recording.rules.yml');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly targets: readonly { readonly expr: string }[];
}
interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const dashboards = readdirSync(fileURLToPath(new URL('../../../deploy/grafana', import.meta.url))).map(
  (file) => JSON.parse(projectFile(`deploy/grafana/${file}`)) as Dashboard,
);

const histogramLabels = ['le'];
/** Prometheus renames the label `job` of a metric, which it sets itself. */
const scrapeLabels = ['instance', 'job', 'exported_job'];

/** Known series with their labels. */
const knownSeries = (): Map<string, readonly string[]> => {
  const known = new Map<string, readonly string[]>([
    ['up', scrapeLabels],
    ['nodejs_eventloop_lag_p99_seconds', scrapeLabels],
    ['process_resident_memory_bytes', scrapeLabels],
  ]);
  for (const metric of createMetrics().registry.getMetricsAsArray()) {
    const { labelNames } = metric as unknown as { labelNames: string[] };
    const ends = String(metric.type) === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    for (const end of ends)
      known.set(`${metric.name}${end}`, [
        ...labelNames,
        ...scrapeLabels,
        ...(end === '_bucket' ? histogramLabels : []),
      ]);
  }
  for (const { record } of recorded) known.set(record ?? '', []);
  return known;
};

/** Series of an expression with the labels of their selectors. */
const selectorsOf = (expr: string): { name: string; labels: string[] }[] =>
  [...expr.matchAll(/(?<![\w:$])((?:tabulary|nodejs|process)[\w:]+|up)(?![\w:(])(?:\{([^}]*)\})?/g)].map(
    ([, name = '', labels = '']) => ({
      name,
      labels: [...labels.matchAll(/(\w+)\s*(?:=|!)/g)].map(([, label = '']) => label),
    }),
  );

const groupedBy = (expr: string): string[] =>
  [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );

const mistakesIn = (expr: string): string[] => {
  const known = knownSeries();
  const selectors = selectorsOf(expr);
  const possible = selectors.flatMap(({ name }) => known.get(name) ?? []);
  return [
    ...(selectors.length === 0 ? ['no series'] : []),
    ...selectors.flatMap(({ name, labels }) =>
      known.has(name)
        ? labels
            .filter((label) => !known.get(name)?.includes(label))
            .map((label) => `${name} has no label ${label}`)
        : [`no metric ${name}`],
    ),
    ...groupedBy(expr)
      .filter((label) => !possible.includes(label))
      .map((label) => `nothing has a label ${label}`),
  ];
};

/** Anchors that GitHub generates for headings. */
const anchorsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );

describe('alerts', () => {
  it.each(alerts.map((rule) => [rule.alert ?? '', rule] as const))(
    '%s has a severity, a summary and a section of the run-book',
    (_name, rule) => {
      expect(['critical', 'warning']).toContain(rule.labels?.severity);
      expect(rule.annotations?.summary).toBeTruthy();
      const [path = '', anchor = ''] = rule.annotations?.runbook_url?.split('#') ?? [];
      expect(path).toBe('docs/operating/runbook.md');
      expect(anchorsOf(projectFile(path)).filter((known) => known === anchor)).toHaveLength(1);
    },
  );

  it('correspond to the sections of the run-book', () => {
    const [, ...parts] = anchorsOf(projectFile('docs/operating/runbook.md'));
    expect(alerts.map(({ annotations }) => annotations?.runbook_url?.split('#')[1]).sort()).toEqual(
      parts.sort(),
    );
  });

  it('link to the console after the documented substitution', () => {
    const [, pattern = '', address = ''] =
      /^sed -i 's\|(.*)\|(.*)\|' alerts\.rules\.yml$/m.exec(projectFile('docs/operating/monitor.md')) ?? [];
    const sections = alerts.map(({ annotations }) => annotations?.runbook_url?.split('#')[1]);
    const { groups } = parse(
      projectFile('deploy/prometheus/alerts.rules.yml')
        .split('\n')
        .map((line) => line.replace(pattern, address))
        .join('\n'),
    ) as { groups: { rules: Rule[] }[] };
    expect(groups.flatMap(({ rules }) => rules.map(({ annotations }) => annotations?.runbook_url))).toEqual(
      sections.map((section) => `https://data.example.org/ops/run-book#${section}`),
    );
    const pages = JSON.parse(projectFile('web/addresses.json')) as Record<string, string>;
    expect(address).toBe(`https://data.example.org${pages.consoleRunBook}#`);
  });

  it('each have a test in which they fire and resolve', () => {
    const { tests } = parse(projectFile('deploy/prometheus/alerts.test.yml')) as {
      tests: { name: string; promql_expr_test: { expr: string; exp_samples: unknown[] }[] }[];
    };
    expect(tests.map(({ name }) => name).sort()).toEqual(alerts.map(({ alert }) => alert).sort());
    for (const { name, promql_expr_test: steps } of tests) {
      expect(steps.every(({ expr }) => expr.includes(`alertname="${name}"`))).toBe(true);
      expect([name, steps.map(({ exp_samples: samples }) => samples.length)]).toEqual([name, [0, 1, 0]]);
    }
  });
});

describe('expressions', () => {
  it.each([...alerts, ...recorded].map((rule) => [rule.alert ?? rule.record ?? '', rule.expr]))(
    'of %s name series and labels that exist',
    (_name, expr) => {
      expect(mistakesIn(expr)).toEqual([]);
    },
  );

  it.each(dashboards.map((board) => [board.title, board] as const))(
    'of the dashboard %s name series and labels that exist',
    (_title, { uid, panels }) => {
      expect(uid).toMatch(/^tabulary-[a-z]+$/);
      expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
      expect(
        panels.flatMap(({ title, targets }) =>
          targets.flatMap(({ expr }) => mistakesIn(expr).map((mistake) => `${title}: ${mistake}`)),
        ),
      ).toEqual([]);
    },
  );

  it('with an unknown series or label are reported', () => {
    expect(mistakesIn('sum by (topc) (tabulary_upload_visible_seconds_bucket{topic="short"})')).toEqual([
      'nothing has a label topc',
    ]);
    expect(mistakesIn('tabulary_upload_visible_seconds{topic="short"}')).toEqual([
      'no metric tabulary_upload_visible_seconds',
    ]);
    expect(mistakesIn('max(tabulary_uploads_pending{topic="short"})')).toEqual([
      'tabulary_uploads_pending has no label topic',
    ]);
  });
});

it('there are dashboards for the pipeline, the API, upstreams and storage', () => {
  expect(dashboards.map(({ uid }) => uid).sort()).toEqual([
    'tabulary-api',
    'tabulary-pipeline',
    'tabulary-storage',
    'tabulary-upstreams',
  ]);
});
