import { once } from 'node:events';
import { createWriteStream, existsSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';

const countries = [
  'Germany',
  'France',
  'United States',
  'Japan',
  'Brazil',
  'South Africa',
  '"Korea, Rep."',
  'Italy',
];
const indicators = ['GDP', 'Unemployment rate', 'Consumer prices', 'Exports of goods', 'Population'];

/** Linear congruential generator (constants of Numerical Recipes), so that every run has the same rows. */
const createRandom = (seed: number): ((below: number) => number) => {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

const two = (value: number): string => String(value).padStart(2, '0');

const row = (index: number, random: (below: number) => number): string => {
  const date = `${1950 + (index % 70)}-${two((index % 12) + 1)}-${two((index % 28) + 1)}`;
  const value = `${random(1_000_000)}.${String(random(10_000)).padStart(4, '0')}`;
  const share = `${random(200)}.${two(random(100))}`;
  return `${date},${countries[index % 8]},${indicators[index % 5]},${value},${share},${random(1_000_000)}\n`;
};

export interface TableFile {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
}

/** ClickHouse column definitions of the file. */
export const tableColumns =
  'date Nullable(Date32), country Nullable(String), indicator Nullable(String), value Nullable(Float64), ' +
  'share Nullable(Float64), count Nullable(Float64)';

/** CSV file of a date, two texts and three numbers, about 60 bytes a row; generated once and kept in the temp folder. */
export const tableFile = async (rows: number): Promise<TableFile> => {
  const path = join(tmpdir(), `tabulary-bench-${rows}.csv`);
  if (!existsSync(path)) {
    const random = createRandom(42);
    const out = createWriteStream(`${path}.part`, { highWaterMark: 4 * 1024 * 1024 });
    out.write('date,country,indicator,value,share,count\n');
    for (let index = 0; index < rows; ) {
      let text = '';
      for (const end = Math.min(index + 20_000, rows); index < end; index += 1) text += row(index, random);
      if (!out.write(text)) await once(out, 'drain');
    }
    out.end();
    await finished(out);
    renameSync(`${path}.part`, path);
  }
  return { path, rows, bytes: statSync(path).size };
};
