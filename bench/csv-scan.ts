import { createChunkEncoder } from '../src/ingest/csv/encoder.js';
import { profileChunk } from '../src/ingest/csv/profile.js';
import { createRecordSplitter } from '../src/ingest/csv/record-splitter.js';
import { checkText } from '../src/ingest/csv/text-check.js';
import type { Dialect, EncodeColumn, EncodePhysical } from '../src/ingest/csv/types.js';
import { csvHeader, generateRows, generateWideRows } from './csv-data.js';

/**
 * Speed of the CSV hot path, in MB of raw CSV per second of CPU: best and median of some runs over about
 * 16 MB each, by CPU time. The best one is what the code can do; the median tells how quiet the machine was.
 */
const runs = 15;
const dialect: Dialect = { delimiter: 0x2c, quote: 0x22 };
const pieceBytes = 64 << 10;

const report = (name: string, bytes: number, run: () => void): void => {
  const rates = Array.from({ length: runs }, () => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    return bytes / (user + system);
  }).sort((a, b) => b - a);
  const [best = 0] = rates;
  console.log(
    `${name.padEnd(34)} ${best.toFixed(0).padStart(6)} ${rates[runs >> 1]?.toFixed(0).padStart(6)} MB/s`,
  );
};

const columnsOf = (physicals: readonly EncodePhysical[]): EncodeColumn[] =>
  physicals.map((physical, i) => ({ storageName: `c${i}_${physical}`, physical, sourceIndex: i }));

const reportEncode = (
  name: string,
  bytes: Buffer,
  rows: number,
  physicals: readonly EncodePhysical[],
): void => {
  const encoder = createChunkEncoder({
    dialect,
    fieldCount: physicals.length,
    columns: columnsOf(physicals),
  });
  report(name, bytes.length, () => {
    const result = encoder.encode(bytes, { firstRow: 0, rows, firstLine: 2 }, 1);
    if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
  });
};

const split = (bytes: Buffer): void => {
  const splitter = createRecordSplitter({ firstChunkBytes: 4 << 20, chunkBytes: 16 << 20 });
  splitter.push(Buffer.from(csvHeader));
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    for (const chunk of splitter.push(bytes.subarray(at, at + pieceBytes))) splitter.recycle(chunk);
  }
  splitter.end();
};

const rows = 260_000;
const types: readonly EncodePhysical[] = ['d', 's', 's', 'f', 'f', 'f'];
console.log(`${' '.repeat(34)}   best median`);
for (const kind of ['plain', 'quoted', 'long numbers'] as const) {
  const bytes = generateRows(rows, { quoted: kind === 'quoted', longNumbers: kind === 'long numbers' });
  report(`split, ${kind}`, bytes.length, () => split(bytes));
  report(`check text, ${kind}`, bytes.length, () => checkText({ bytes, firstLine: 2 }));
  report(`profile, ${kind}`, bytes.length, () => profileChunk(bytes, dialect, types.length));
  reportEncode(`encode, ${kind}`, bytes, rows, types);
}
const exact: readonly EncodePhysical[] = ['d', 's', 's', 'n38_6', 'n38_6', 'n38_6'];
reportEncode('encode, exact decimals', generateRows(rows), rows, exact);
const wideColumns = 5_000;
const wideRows = 400;
const wideTypes = Array.from({ length: wideColumns }, (): EncodePhysical => 'f');
reportEncode('encode, 5,000 columns', generateWideRows(wideRows, wideColumns), wideRows, wideTypes);
