/** What the console calls an alert is what Prometheus calls one. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { isoUtc } from '../../../src/lib/time.js';
import {
  type AlertFacts,
  alertRules,
  alertsOfPrometheus,
  judgeAlerts,
  ourReasons,
} from '../../../src/operations/alerts.js';
import type { KeptSample } from '../../../src/storage/postgres/ops-samples.js';

const rulesFile = readFileSync(
  new URL('../../../deploy/prometheus/alerts.rules.yml', import.meta.url),
  'utf8',
);
const runbook = readFileSync(new URL('../../../docs/operating/runbook.md', import.meta.url), 'utf8');

const field = (text: string, name: string): string | undefined =>
  new RegExp(`^ +${name}: (.*)$`, 'm').exec(text)?.[1];

const minutesOf = (text = '0m'): number => (text.endsWith('h') ? 60 : 1) * Number.parseInt(text, 10);

/** One line, or a block of several. */
const exprOf = (text: string): string =>
  /^ +expr: (?:\|\n)?(.*?)\n +(?:for|labels):/ms.exec(text)?.[1]?.trim() ?? '';

const rules = rulesFile
  .split('- alert: ')
  .slice(1)
  .map((text) => ({
    name: text.slice(0, text.indexOf('\n')),
    severity: field(text, 'severity'),
    forMinutes: minutesOf(field(text, 'for')),
    limit: Number(/(?:>|<|==|<=) ([\d.e]+)$/.exec(exprOf(text))?.[1]),
    runbook: field(text, 'runbook_url')?.split('#')[1],
    expr: exprOf(text),
  }));

describe('alerts of the console', () => {
  it('are all of Prometheus’s, each judged by the service or left to Prometheus', () => {
    const known = [...alertRules.map(({ name }) => name), ...alertsOfPrometheus];
    expect(rules.length).toBeGreaterThan(15);
    expect([...known].sort()).toEqual(rules.map(({ name }) => name).sort());
  });

  it.each(alertRules.map((rule) => [rule.name, rule] as const))('%s is the same in both', (name, rule) => {
    const { severity, forMinutes, limit, runbook: section } = rule;
    const { expr, ...wanted } = rules.find((one) => one.name === name) ?? { expr: '' };
    expect({ name, severity, forMinutes, limit, runbook: section }).toEqual(wanted);
    if (name === 'TabularyUploadsFail') expect(expr).toContain(`reason=~"${ourReasons.join('|')}"`);
    const headings = [...runbook.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title.toLowerCase().replaceAll(' ', '-'),
    );
    expect(headings).toContain(section);
  });
});

const well: AlertFacts = {
  health: {
    components: [{ name: 'kafka', ok: true, ms: 1, error: null, since: '2026-01-01T00:00:00.000' }],
    uploads: { pending: [], deadLetters: 0 },
    sizes: { kinds: [], mostParts: 700, disks: [{ disk: 'default', freeBytes: 15, bytes: 100 }] },
    log: {
      lag: [{ group: 't.short', topic: 'c', partition: 0, lag: 1, bytes: 1, seconds: 300 }],
      groups: [{ group: 't.short', state: 'Stable', members: 1, assigned: 1, assignments: [] }],
    },
  },
  providers: [{ provider: 'bls', quotas: [{ key: 'none', span: 'day', limit: 2, used: 1, left: 1 }] }],
  backlogRatio: new Map([['short', 0.33]]),
  exportDisk: { freeBytes: 15, bytes: 100 },
  failureReasons: ['bad_csv', 'cancelled'],
};

const names = (facts: AlertFacts): string[] => judgeAlerts(facts, [], new Date()).map(({ name }) => name);

const pendingFor = (phase: string): AlertFacts => ({
  ...well,
  health: {
    ...well.health,
    uploads: {
      pending: [{ phase, count: 1, oldestCreatedAt: '', oldestSeconds: 1_801 }],
      deadLetters: 0,
    },
  },
});

describe('a condition', () => {
  it('does not hold at its limit', () => expect(names(well)).toEqual([]));

  const health = (changes: Partial<AlertFacts['health']>): AlertFacts => ({
    ...well,
    health: { ...well.health, ...changes },
  });
  const [place] = well.health.log?.lag ?? [];
  it.each<[string, AlertFacts]>([
    [
      'TabularyComponentDown',
      health({ components: [{ name: 'kafka', ok: false, ms: 1, error: 'x', since: '' }], log: null }),
    ],
    [
      'TabularyNoWorker',
      health({
        log: {
          lag: [],
          groups: [{ group: 't.bulk', state: 'Empty', members: 0, assigned: 0, assignments: [] }],
        },
      }),
    ],
    ['TabularyDeadLetters', health({ uploads: { pending: [], deadLetters: 1 } })],
    [
      'TabularyConsumerLag',
      health({ log: { lag: place === undefined ? [] : [{ ...place, seconds: 301 }], groups: [] } }),
    ],
    ['TabularyOldestPendingUpload', pendingFor('ready')],
    ['TabularyUploadsFail', { ...well, failureReasons: ['miscounted'] }],
    ['TabularyBacklogGrows', { ...well, backlogRatio: new Map([['bulk', 0.34]]) }],
    [
      'TabularyDiskFull',
      health({ sizes: { kinds: [], mostParts: 1, disks: [{ disk: 'd', freeBytes: 14, bytes: 100 }] } }),
    ],
    ['TabularyExportDiskFull', { ...well, exportDisk: { freeBytes: 14, bytes: 100 } }],
    ['TabularyManyParts', health({ sizes: { kinds: [], mostParts: 701, disks: [] } })],
    [
      'TabularyQuotaUsedUp',
      {
        ...well,
        providers: [{ provider: 'bls', quotas: [{ key: 'none', span: 'day', limit: 2, used: 2, left: 0 }] }],
      },
    ],
  ])('%s holds beyond it', (name, facts) => expect(names(facts)).toEqual([name]));

  it('does not count uploads whose file is still coming', () =>
    expect(names(pendingFor('receive'))).toEqual([]));
});

describe('how long it has held', () => {
  const now = new Date('2026-01-31T12:00:30.000Z');
  const facts: AlertFacts = { ...well, backlogRatio: new Map([['bulk', 0.5]]) };
  const sample = (minutesAgo: number, alerts: readonly string[]): KeptSample => ({
    at: isoUtc(new Date(Date.parse('2026-01-31T12:00:00.000Z') - minutesAgo * 60_000)),
    lanes: [],
    pending: 0,
    oldestPendingSeconds: 0,
    deadLetters: 0,
    storeBytes: null,
    mostParts: null,
    down: [],
    alerts,
    completed: 0,
    failed: 0,
    rows: 0,
    bytes: 0,
  });
  const held = ['TabularyBacklogGrows'];
  const judged = (samples: readonly KeptSample[]) => {
    const [alert] = judgeAlerts(facts, samples, now);
    return [alert?.state, alert?.since.toISOString().slice(11, 16)];
  };

  it('is pending when it has just begun', () => expect(judged([])).toEqual(['pending', '12:00']));
  it('fires when the samples tell of it for long enough', () =>
    expect(judged([6, 5, 4, 3, 2, 1, 0].map((ago) => sample(ago, held)))).toEqual(['firing', '11:54']));
  it('begins anew after a minute without it', () =>
    expect(judged([sample(6, held), sample(3, []), sample(2, held), sample(1, held)])).toEqual([
      'pending',
      '11:58',
    ]));
  it('does not reach over a gap', () =>
    expect(judged([sample(30, held), sample(1, held)])).toEqual(['pending', '11:59']));
});
