import type { OpsState } from './ops-schema.js';

/** Text of a file, a provider or an error stands between tags only after this. */
const escaped = (value: unknown): string =>
  String(value ?? '—').replace(
    /[&<>"']/g,
    (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' })[sign] ?? sign,
  );

type Cell = string | number | null;

const table = (headers: readonly string[], rows: readonly (readonly Cell[])[], none: string): string => {
  if (rows.length === 0) return `<p>${escaped(none)}</p>`;
  const line = (cells: readonly Cell[], tag: 'th' | 'td'): string =>
    `<tr>${cells.map((cell) => `<${tag}>${escaped(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(headers, 'th')}</thead><tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
};

const section = (title: string, ...parts: readonly string[]): string =>
  `<section><h2>${escaped(title)}</h2>${parts.join('\n')}</section>`;

const duration = (seconds: number): string => {
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3_600)} h`;
};

const components = ({ components: all }: OpsState): string =>
  section(
    'Components',
    table(
      ['component', 'answers', 'ms', 'error'],
      all.map(({ name, ok, ms, error }) => [name, ok ? 'yes' : 'NO', ms, error ?? '']),
      '',
    ),
  );

const uploads = ({ uploads: { pending, stuck, replaying, lastDay } }: OpsState): string =>
  section(
    'Uploads',
    table(
      ['phase', 'pending', 'oldest', 'since'],
      pending.map((row) => [row.phase, row.count, duration(row.oldestSeconds), row.oldestCreatedAt]),
      'Nothing is pending.',
    ),
    `<p>Read again at the moment: ${replaying}. In the last 24 hours: ${lastDay.completed} completed, ` +
      `${lastDay.failed} failed, ${lastDay.replayed} read again.</p>`,
    '<h3>Stuck</h3>',
    table(
      ['process', 'dataset', 'phase', 'attempt', 'age', 'silent for', 'chunks', 'waits for'],
      stuck.map((row) => [
        row.processId,
        row.datasetId,
        row.phase,
        row.attempt,
        duration(row.ageSeconds),
        duration(row.silentSeconds),
        `${row.insertedChunks} of ${row.chunks ?? '?'}`,
        row.waitsFor,
      ]),
      'None.',
    ),
    '<h3>Failed in the last 24 hours</h3>',
    table(
      ['reason', 'uploads'],
      lastDay.failures.map(({ code, count }) => [code, count]),
      'None.',
    ),
  );

const kafka = ({ log }: OpsState): string =>
  section(
    'Kafka',
    log === null ? '<p>Kafka does not answer.</p>' : `<p>Dead letters: ${log.deadLetters}.</p>`,
    table(
      ['group', 'topic', 'partition', 'lag', 'age'],
      (log?.lag ?? []).map((row) => [row.group, row.topic, row.partition, row.lag, duration(row.seconds)]),
      'No lag is known.',
    ),
    table(
      ['group', 'members', 'partitions'],
      (log?.groups ?? []).map(({ group, members, assigned }) => [group, members, assigned]),
      'No group is known.',
    ),
  );

const refreshes = ({ refreshes: state }: OpsState): string =>
  section(
    'Datasets made of series',
    `<p>${state.datasets} in all, ${state.scheduled} with a schedule, ${state.due} due, ${state.running} running, ` +
      `${state.failing} failing.</p>`,
    table(
      ['dataset', 'provider', 'error', 'failures', 'since', 'last run', 'next run'],
      state.failures.map((row) => [
        row.datasetId,
        row.provider,
        row.error,
        row.failures,
        row.since,
        row.lastRunAt,
        row.nextRunAt,
      ]),
      'None fails.',
    ),
  );

const providers = ({ providers: all }: OpsState): string =>
  section(
    'Providers',
    table(
      [
        'provider',
        'circuit',
        'open until',
        'failures',
        'held until',
        'quota left',
        'index',
        'filled',
        'index failures',
      ],
      all.map(({ provider, circuit, openUntil, failures, heldUntil, quotas, index }) => [
        provider,
        circuit,
        openUntil,
        failures,
        heldUntil,
        quotas.map((one) => `${one.left} of ${one.limit} a ${one.span} (${one.key})`).join(', '),
        index === null ? null : index.items,
        index === null ? null : index.filledAt,
        index === null ? null : index.failures,
      ]),
      'None.',
    ),
  );

/** The state as a page without scripts that loads itself again every 15 seconds. */
export const opsPage = (state: OpsState): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="15">
<title>tabulary operations</title>
<style>
body { font: 14px/1.4 system-ui, sans-serif; margin: 1rem 2rem; }
table { border-collapse: collapse; }
th, td { border-bottom: 1px solid #ccc; padding: .2rem .8rem .2rem 0; text-align: left; vertical-align: top; }
</style>
</head>
<body>
<h1>Operations</h1>
<p>${escaped(state.at)} UTC</p>
${[components, uploads, kafka, refreshes, providers].map((part) => part(state)).join('\n')}
</body>
</html>
`;
