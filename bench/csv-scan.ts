import { createChunkEncoder } from '../src/csv/encoder.js';
import { createRecordSplitter } from '../src/csv/record-splitter.js';
import { checkText } from '../src/csv/text-check.js';
import type { Dialect, EncodeColumn, EncodePhysical } from '../src/csv/types.js';
import { profilesOf, untypedLayout } from '../test/support/profiles.js';
import { csvHeader, generateRows, generateWideRows } from './csv-data.js';
import type { Bench } from './support/bench.js';
import type { Figure } from './support/figure.js';
import { median } from './support/statistics.js';

const dialect: Dialect = { delimiter: 0x2c, quote: 0x22 };
const pieceBytes = 64 << 10;

/** Median MB of raw CSV per CPU second over several runs. */
const rateOf = (runs: number, bytes: number, run: () => void): number =>
  median(
    Array.from({ length: runs }, () => {
      const before = process.cpuUsage();
      run();
      const { user, system } = process.cpuUsage(before);
      return bytes / (user + system);
    }),
  );

const columnsOf = (physicals: readonly EncodePhysical[]): EncodeColumn[] =>
  physicals.map((physical, i) => ({ storageName: `c${i}_${physical}`, physical, sourceIndex: i }));

const encodeRun = (bytes: Buffer, rows: number, physicals: readonly EncodePhysical[]): (() => void) => {
  const encoder = createChunkEncoder({
    dialect,
    fieldCount: physicals.length,
    columns: columnsOf(physicals),
  });
  return () => {
    const result = encoder.encode(
      bytes,
      { firstRow: 0, rows, firstLine: 2 },
      { segment: 1, uploadNumber: 1 },
    );
    if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
  };
};

const split = (bytes: Buffer): void => {
  const splitter = createRecordSplitter({ firstChunkBytes: 4 << 20, chunkBytes: 16 << 20 });
  splitter.push(Buffer.from(csvHeader));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const chunk of splitter.push(bytes.subarray(at, at + pieceBytes))) splitter.recycle(chunk);
  }
  splitter.end();
};

const types: readonly EncodePhysical[] = ['d', 's', 's', 'f', 'f', 'f'];
const exact: readonly EncodePhysical[] = ['d', 's', 's', 'n38_6', 'n38_6', 'n38_6'];
const wideColumns = 5_000;

/** Throughput of the steps that touch every byte of an upload, each on one core. */
export const csvScan: Bench = async ({ pick, say }) => {
  const runs = pick(15, 3);
  const rows = pick(260_000, 50_000);
  const wideRows = pick(400, 80);
  const figures: Figure[] = [];
  const add = (name: string, bytes: Buffer, run: () => void): void => {
    figures.push({ name, value: rateOf(runs, bytes.length, run), unit: 'MB/s', better: 'higher' });
  };
  for (const kind of ['plain', 'quoted', 'long numbers'] as const) {
    say(`CSV, ${kind}`);
    const bytes = generateRows(rows, { quoted: kind === 'quoted', longNumbers: kind === 'long numbers' });
    add(`split, ${kind}`, bytes, () => split(bytes));
    add(`check text, ${kind}`, bytes, () => checkText({ bytes, firstLine: 2 }));
    add(`profile, ${kind}`, bytes, () => profilesOf(bytes, untypedLayout(dialect, types.length)));
    add(`encode, ${kind}`, bytes, encodeRun(bytes, rows, types));
  }
  const plain = generateRows(rows);
  add('encode, exact decimals', plain, encodeRun(plain, rows, exact));
  const wide = generateWideRows(wideRows, wideColumns);
  const wideTypes = Array.from({ length: wideColumns }, (): EncodePhysical => 'f');
  add('encode, 5,000 columns', wide, encodeRun(wide, wideRows, wideTypes));
  return figures;
};
