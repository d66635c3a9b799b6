/** The committed result of the bench, `docs/peers.md`. */
import { cpus, loadavg, totalmem } from 'node:os';
import { type Figure, roundFigure } from '../support/figure.js';

export interface Row {
  readonly title: string;
  /** Median milliseconds of each database, in the order of the names; undefined: it cannot. */
  readonly ms: readonly (number | undefined)[];
}

export interface PeersResult {
  readonly rows: number;
  readonly megabytes: number;
  readonly turns: number;
  /** Ours first. */
  readonly names: readonly string[];
  readonly measured: readonly Row[];
  /** The questions again, of a version that has a copy for reading; of the first three databases. */
  readonly copied: readonly Row[];
  /** CPU seconds of one upload, by process. */
  readonly cpu: Readonly<Record<string, number>>;
  /** CPU seconds of ClickHouse for its own INSERT of the file. */
  readonly insertCpu: number;
  /** Load average of the machine when the bench began: work of others. */
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
machine: ${machine()}. Its load average was ${load.toFixed(1)} when the bench began: above the number of
cores, times are several times those of an idle machine, and only the columns compare.

- **tabulary** is asked over HTTP with a key, by a client on the same machine. An upload counts until its version is published;
  questions begin when the product is at rest.
- **ClickHouse** is the server of the product: the same SELECT over HTTP from a plain table without nulls, and one INSERT of the file.
- **DuckDB** runs in the process of the bench, with a file as its database. CSV and JSON are written to files, not sent.
- **SQLite** runs there as well, as WebAssembly and without an index, in one turn; the bench parses the CSV for it. It writes no files (–).

${table(
  ['', ...names],
  measured.map(({ title, ms }) => [title, ...ms.map(time)]),
)}

The same questions once the version has been read several times and has [its copy for reading](adr/0095-copies-for-reading.md):

${table(
  ['', ...names.slice(0, 3)],
  copied.map(({ title, ms }) => [title, ...ms.map(time)]),
)}

CPU seconds of one upload:

${table(
  ['', ...used.map(([name]) => name), 'in all'],
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

Reads of a table of 1,000 rows over 16 connections, each question another one; CPU milliseconds for one answer:

${table(
  ['', ''],
  reads.map(({ name, value, unit }) => [name, `${number(value)} ${unit}`]),
)}
`;
};
