/** Numbers of many digits in any order and mode: a column accepts up to 76 digits in total and refuses more. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRandom, type Random } from '../../harness/random.js';
import {
  type Client,
  call,
  createDataset,
  download,
  ended,
  json,
  type ProcessAnswer,
  readDataset,
} from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { putWith, uploadWith } from '../../support/upload-options.js';

const seeds = Array.from({ length: Number(process.env.DIGIT_SEEDS ?? 6) }, (_, at) => at + 1);

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  owner = await product.createAccount('owner');
});

afterAll(() => product?.close());

interface Row {
  readonly key: string;
  readonly value: string;
}

const csv = (rows: readonly Row[]): string =>
  `K,V\n${rows.map(({ key, value }) => `${key},${value}\n`).join('')}`;

const shown = (rows: readonly Row[]): string =>
  `"K","V"\n${rows.map(({ key, value }) => `"${key}",${value}\n`).join('')}`;

const digitsOf = (value: string): { integer: number; fraction: number } => {
  const [integer = '', fraction = ''] = value.replace('-', '').split('.');
  return { integer: integer === '0' ? 0 : integer.length, fraction: fraction.length };
};

const fits = (rows: readonly Row[]): boolean => {
  const all = rows.map(({ value }) => digitsOf(value));
  return Math.max(0, ...all.map((one) => one.integer)) + Math.max(0, ...all.map((one) => one.fraction)) <= 76;
};

type Mode = 'append' | 'upsert' | 'sync';

const joined = (base: readonly Row[], file: readonly Row[], mode: Mode): Row[] => {
  if (mode === 'append') return [...base, ...file];
  const own = new Map(file.map((row) => [row.key, row]));
  const known = new Set(base.map(({ key }) => key));
  const kept = base.flatMap((row) => own.get(row.key) ?? (mode === 'sync' ? [] : [row]));
  return [...kept, ...file.filter(({ key }) => !known.has(key))];
};

const digit = (random: Random, from: number): string => String(random.between(from, 9));
const digits = (random: Random, count: number): string =>
  Array.from({ length: count }, () => digit(random, 1)).join('');

/** Random number in its shortest form. */
const numberOf = (random: Random): string => {
  const integer = random.pick([0, 1, 3, 15, 17, 30, 50, 70]);
  const fraction = random.pick([0, 0, 1, 2, 3, 12, 20, 30, 60]);
  const sign = random.chance(0.3) ? '-' : '';
  const whole = integer === 0 ? '0' : digits(random, integer);
  if (integer + fraction > 76) return `${sign}${digits(random, 3)}`;
  return `${sign}${whole}${fraction === 0 ? '' : `.${digits(random, fraction)}`}`.replace(/^-0$/, '0');
};

describe('an exact column', () => {
  it('accepts ordinary numbers after a long one', async () => {
    const dataset = await createDataset(owner);
    const values = ['12345678901234567.5', '0.25', '0.125', '98765432109876543210', '1.5'];
    for (const [at, value] of values.entries())
      expect(
        (await uploadWith(owner, dataset, csv([{ key: `k${at}`, value }]), { mode: 'append' })).error,
      ).toBeNull();
    expect(await download(owner, dataset)).toBe(shown(values.map((value, at) => ({ key: `k${at}`, value }))));
  });

  it('holds 76 digits in total, and refuses the 77th with its line number', async () => {
    const dataset = await createDataset(owner);
    const long = '9'.repeat(38);
    await uploadWith(owner, dataset, csv([{ key: 'a', value: `${long}.5` }]), {});
    const fraction = `0.${'1'.repeat(38)}`;
    expect(
      (await uploadWith(owner, dataset, csv([{ key: 'b', value: fraction }]), { mode: 'append' })).error,
    ).toBeNull();
    const more = csv([
      { key: 'c', value: '1.5' },
      { key: 'd', value: `${fraction}1` },
    ]);
    const { error } = await uploadWith(owner, dataset, more, { mode: 'append' });
    expect(error).toMatchObject({ code: 'value', line: 3, column: 'V' });
    expect(error?.message).toMatch(/76 digits/);
    expect(await download(owner, dataset)).toBe(
      shown([
        { key: 'a', value: `${long}.5` },
        { key: 'b', value: fraction },
      ]),
    );
  });

  it('counts digits of uploads that are still pending', async () => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, csv([{ key: 'a', value: '12345678901234567.5' }]), {});
    await product.stopWorker();
    const values = [`${'7'.repeat(36)}.5`, `0.${'1'.repeat(30)}`, `${'3'.repeat(40)}.5`];
    const sent: ProcessAnswer[] = [];
    for (const [at, value] of values.entries())
      sent.push(
        await json<ProcessAnswer>(
          await putWith(owner, dataset, csv([{ key: `b${at}`, value }]), { mode: 'append' }),
          201,
        ),
      );
    await product.startWorker();
    for (const process of sent) expect((await ended(owner, process)).error).toBeNull();
    expect(await download(owner, dataset)).toBe(
      shown([
        { key: 'a', value: '12345678901234567.5' },
        ...values.map((value, at) => ({ key: `b${at}`, value })),
      ]),
    );
  });

  it('can be merged with another one', async () => {
    const dataset = await createDataset(owner);
    await uploadWith(owner, dataset, `A,B\n${'9'.repeat(50)},\n,0.${'1'.repeat(26)}\n`, {});
    const [, source] = (await readDataset(owner, dataset)).columns;
    const path = `/datasets/${dataset}/columns/${source?.id}`;
    await json(await call(owner, 'PATCH', path, { name: 'A', merge: true }));
    expect(await download(owner, dataset)).toBe(`"A"\n${'9'.repeat(50)}\n0.${'1'.repeat(26)}\n`);
  });

  it.each(seeds)('matches a model in memory, seed %i', async (seed) => {
    const random = createRandom(seed);
    const dataset = await createDataset(owner);
    let rows: Row[] = [];
    let next = 0;
    for (let step = 0; step < 14; step += 1) {
      const mode: Mode = random.pick(['append', 'append', 'upsert', 'sync']);
      const count = random.between(1, 3);
      const file: Row[] = [];
      for (let at = 0; at < count; at += 1) {
        const known = rows[random.between(0, Math.max(0, rows.length - 1))]?.key;
        const key = mode === 'append' || known === undefined || random.chance(0.4) ? `k${next++}` : known;
        if (!file.some((row) => row.key === key)) file.push({ key, value: numberOf(random) });
      }
      if (!fits(file)) continue;
      const wanted = joined(rows, file, mode);
      const { error } = await uploadWith(owner, dataset, csv(file), { mode });
      if (fits(wanted)) rows = wanted;
      const outcome = error === null ? 'accepted' : error.code;
      expect([outcome, mode, file, rows]).toEqual([
        fits(wanted) ? 'accepted' : expect.stringMatching(/^(value|too_many_digits)$/),
        mode,
        file,
        rows,
      ]);
      expect(await download(owner, dataset)).toBe(rows.length === 0 ? expect.anything() : shown(rows));
    }
  });
});
