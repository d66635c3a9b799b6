import { createChunkEncoder } from '../src/ingest/csv/encoder.js';
import type { EncodeColumn } from '../src/ingest/csv/types.js';
import { generateRows } from './csv-data.js';

/**
 * Speed of the CSV hot path on one core, in MB of raw CSV per second: `node --import tsx bench/csv-scan.ts` or
 * after compilation. Each figure is the median of some runs over a chunk of 16 MiB.
 */
const runs = 9;

const megabytesPerSecond = (bytes: number, run: () => void): number => {
  const rates: number[] = [];
  for (let i = 0; i < runs; i++) {
    const start = process.hrtime.bigint();
    run();
    rates.push(bytes / 1e6 / (Number(process.hrtime.bigint() - start) / 1e9));
  }
  rates.sort((a, b) => a - b);
  return rates[runs >> 1]!;
};

const rows = 260_000;
const types = ['d', 's', 's', 'f', 'f', 'f'] as const;
const columns: EncodeColumn[] = types.map((physical, i) => ({
  storageName: `c${i}_${physical}`,
  physical,
  sourceIndex: i,
}));
const dialect = { delimiter: 0x2c, quote: 0x22 };

for (const quoted of [false, true]) {
  const bytes = generateRows(rows, { quoted });
  const encoder = createChunkEncoder({ dialect, fieldCount: 6, columns });
  const rate = megabytesPerSecond(bytes.length, () => {
    const result = encoder.encode(bytes, { firstRow: 0, rows, firstLine: 2 }, 1);
    if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
  });
  console.log(`encode ${quoted ? 'quoted' : 'plain'}: ${rate.toFixed(0)} MB/s`);
}
