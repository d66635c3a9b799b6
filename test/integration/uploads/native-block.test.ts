import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { createChunkEncoder } from '../../../src/csv/encoder.js';
import type { EncodeColumn, EncodePhysical } from '../../../src/csv/types.js';
import { recordsPerUpload } from '../../../src/model/position.js';
import { withoutCredentials } from '../../support/clickhouse-http.js';

const database = `native_block_${process.pid}`;

const run = async (query: string, body?: Buffer): Promise<string> => {
  const { address, headers } = withoutCredentials(inject('clickhouseUrl'));
  address.searchParams.set('query', query);
  const response = await fetch(address, { method: 'POST', headers, body: body ?? '' });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};

const physicals: EncodePhysical[] = ['d', 't', 'f', 'n38_5', 'n76_10', 's', 'u'];
const types = [
  'Nullable(Date32)',
  'Nullable(String)',
  'Nullable(Float64)',
  'Nullable(Decimal(38, 5))',
  'Nullable(Decimal(76, 10))',
  'Nullable(String)',
  'Nullable(String)',
];
const columns = physicals.map(
  (physical, i): EncodeColumn => ({ storageName: `c${i}_${physical}`, physical, sourceIndex: i }),
);
const table = `${database}.block`;
const structure = columns.map(({ storageName }, i) => `${storageName} ${types[i]}`).join(', ');

const target = { segment: 2n ** 63n, uploadNumber: 2 ** 27 + 1 };
const firstPosition = BigInt(target.uploadNumber) * BigInt(recordsPerUpload) + 2n ** 33n;

const encode = (text: string, rows: number): Buffer => {
  const encoder = createChunkEncoder({ dialect: { delimiter: 0x2c, quote: 0x22 }, fieldCount: 7, columns });
  const result = encoder.encode(Buffer.from(text), { firstRow: 2 ** 33, rows, firstLine: 2 }, target);
  if (result.kind !== 'encoded') throw new Error(JSON.stringify(result));
  return Buffer.concat([...result.block]);
};

const keep = async (text: string, rows: number): Promise<string> => {
  await run(`TRUNCATE TABLE ${table}`);
  await run(`INSERT INTO ${table} FORMAT Native`, encode(text, rows));
  return run(
    `SELECT * FROM ${table} ORDER BY _row FORMAT CSV SETTINGS format_csv_null_representation = '', output_format_decimal_trailing_zeros = 0`,
  );
};

describe('a block in ClickHouse', () => {
  beforeAll(async () => {
    await run(`CREATE DATABASE ${database}`);
    await run(
      `CREATE TABLE ${table} (_seg UInt64, _row UInt64, ${structure}) ENGINE = MergeTree ORDER BY _row`,
    );
  });
  afterAll(async () => {
    await run(`DROP DATABASE ${database}`);
  });

  it('returns every value of every type', async () => {
    const csv = [
      '2020-01-31,1066-10-14,0.1,82544000000000707.52,-9999999999999999999999999999999999999999999999999.0000000001,"a ""b"", c",NA',
      '1900-01-01,9999-12-31,1e-7,-170000000000000000000000000000000.12345,0.5,é🎁,..',
      '2299-12-31,0001-01-01,-1.7976931348623157e308,-0.00001,-1,"line\nbreak",',
      ',,,,,,',
      'NA,-,NaN,.,:,NA,',
      '1970Q1,2020W53,5e-324,4294967296,18446744073709551616,00123,',
    ];
    const stored = await keep(`${csv.join('\n')}\n`, csv.length);
    const row = (i: number) => `9223372036854775808,${firstPosition + BigInt(i)}`;
    expect(stored).toBe(
      [
        `${row(0)},"2020-01-31","1066-10-14",0.1,82544000000000707.52,-9999999999999999999999999999999999999999999999999.0000000001,"a ""b"", c","NA"`,
        `${row(1)},"1900-01-01","9999-12-31",1e-7,-170000000000000000000000000000000.12345,0.5,"é🎁",".."`,
        `${row(2)},"2299-12-31","0001-01-01",-1.7976931348623157e308,-0.00001,-1,"line\nbreak",`,
        `${row(3)},,,,,,,`,
        `${row(4)},,,,,,"NA",`,
        `${row(5)},"1970-01-01","2020-12-28",5e-324,4294967296,18446744073709551616,"00123",`,
        '',
      ].join('\n'),
    );
  });

  it('can have many rows or none', async () => {
    const rows = 60_000;
    const csv = Array.from({ length: rows }, (_, i) => `2020-01-01,,${i},${i}.5,,text ${i},\n`).join('');
    await run(`TRUNCATE TABLE ${table}`);
    await run(`INSERT INTO ${table} FORMAT Native`, encode(csv, rows));
    const sums = await run(
      `SELECT count(), sum(c2_f), sum(c3_n38_5), countIf(c5_s = concat('text ', toString(_row - ${firstPosition}))), max(_row) FROM ${table}`,
    );
    expect(sums.trim().split('\t')).toEqual([
      '60000',
      '1799970000',
      '1800000000',
      '60000',
      String(firstPosition + BigInt(rows) - 1n),
    ]);
    await run(`INSERT INTO ${table} FORMAT Native`, encode('', 0));
    expect(await run(`SELECT count() FROM ${table}`)).toBe('60000\n');
  });
});
