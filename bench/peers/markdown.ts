/** Renders `docs/peers.md`, the committed result of the bench. */
import { cpus, loadavg, totalmem } from 'node:os';
import { type Figure, roundFigure } from '../support/figure.js';

export interface Row {
  readonly title: string;
  /** Median milliseconds of each database, in the order of the names; undefined if it cannot run the query. */
  readonly ms: readonly (number | undefined)[];
}

export interface PeersResult {
  readonly rows: number;
  readonly megabytes: number;
  readonly turns: number;
  /** Ours first. */
  readonly names: readonly string[];
  readonly measured: readonly Row[];
  /** The queries again on a version with a read copy, for the first three databases. */
  readonly copied: readonly Row[];
  /** CPU seconds of one upload, by process. */
  readonly cpu: Readonly<Record<string, number>>;
  /** CPU seconds of ClickHouse for a plain INSERT of the file. */
  readonly insertCpu: number;
  /** Load average when the bench started, caused by other processes. */
  readonly load: number;
  /** Small reads over 16 connections. */
  readonly reads: readonly Figure[];
}

const grouped = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 15 });
const number = (value: number): string => grouped.format(roundFigure(value));

const time = (ms: number | undefined): string => {
  if (ms === undefined) return '–';
  return ms >= 1_000 ? `${number(ms / 1_000)} s` : `${number(ms)} ms`;
};

const table = (head: readonly string[], body: readonly (readonly string[])[]): string =>
  [head, head.map((_, at) => (at === 0 ? '---' : '---:')), ...body]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');

const readColumns = [
  'requests per second',
  'p50 under load',
  'alone',
  'CPU of api',
  'CPU of postgres',
  'CPU of clickhouse',
  'total CPU',
] as const;

/** Rows by kind of read. A figure is named `kind, column`; its yardstick is the same column of another kind. */
const readRows = (figures: readonly Figure[]): string[][] => {
  const kinds = new Map<string, Map<string, string>>();
  const enter = (kind: string, column: string, value: number, unit: string): void => {
    const row = kinds.get(kind) ?? new Map<string, string>();
    kinds.set(kind, row.set(column.toLowerCase(), `${number(value)} ${unit}`));
  };
  for (const { name, value, unit, yardstick } of figures) {
    const at = name.lastIndexOf(', ');
    const [kind, column] = [name.slice(0, at), name.slice(at + 2)];
    if (yardstick === undefined) enter(kind, column, value, unit);
    else enter(yardstick.name, column.replace(/ vs .*/, ''), yardstick.value, yardstick.unit);
  }
  return [...kinds].map(([kind, row]) => [
    kind,
    ...readColumns.map((column) => row.get(column.toLowerCase()) ?? '–'),
  ]);
};

/** Load average of the last minute. */
export const loadNow = (): number => loadavg()[0] ?? Number.NaN;

const machine = (): string => {
  const [first] = cpus();
  const gigabytes = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${first?.model.trim()}), ${gigabytes} GB of memory, Node ${process.versions.node}`;
};

export const renderPeers = (result: PeersResult): string => {
  const { rows, megabytes, turns, names, measured, copied, cpu, insertCpu, load, reads } = result;
  const used = Object.entries(cpu).filter(([name]) => name !== 'postgres');
  return `# Next to other databases

Written by \`npm run bench -- --only peers\` on ${new Date().toISOString().slice(0, 10)}: ${grouped.format(rows)} rows (a date, two texts, three numbers;
${Math.round(megabytes)} MB of CSV) in tabulary and in three databases, one after the other in each turn; medians of ${turns} turns. All run on the same
machine: ${machine()}. Its load average was ${load.toFixed(1)} when the bench started. If that exceeds the number of
cores, all times are several times those of an idle machine, and only the ratios between columns mean anything.

- **tabulary** is queried over HTTP with a key by a client on the same machine. An upload ends when its version is published;
  queries start when the product is idle.
- **ClickHouse** is the product's own server: the same SELECT over HTTP from a plain table without nulls, and one INSERT of the file.
- **DuckDB** runs in the process of the bench with a database file. CSV and JSON are written to files, not sent.
- **SQLite** also runs there, as WebAssembly without an index, in one turn; the bench parses the CSV for it. It cannot write files (–).

${table(
  ['', ...names],
  measured.map(({ title, ms }) => [title, ...ms.map(time)]),
)}

The same queries once the version has been read several times and has a [read copy](adr/0095-read-copies.md):

${table(
  ['', ...names.slice(0, 3)],
  copied.map(({ title, ms }) => [title, ...ms.map(time)]),
)}

CPU seconds of one upload:

${table(
  ['', ...used.map(([name]) => name), 'total'],
  [
    [
      'tabulary',
      ...used.map(([, seconds]) => number(seconds)),
      number(used.reduce((sum, [, seconds]) => sum + seconds, 0)),
    ],
    [
      'INSERT into a plain table',
      ...used.map(([name]) => (name === 'clickhouse' ? number(insertCpu) : '–')),
      number(insertCpu),
    ],
  ],
)}

Small reads over 16 connections, of tables of 1,000 rows, a different query each time if the row does not say otherwise; CPU per request. *Alone*: p50 over one connection.

${table(['', ...readColumns], readRows(reads))}
`;
};
