/** Sources that statements read for versions, segments and spans. The SQL was measured, so every change must be deliberate. */
import { describe, expect, it } from 'vitest';
import type { PhysicalType, StoredColumn } from '../../../src/model/column.js';
import { dataTypeOf } from '../../../src/model/column-types/column-types.js';
import { latestOf, patchMask } from '../../../src/rows/patches.js';
import {
  hasSlots,
  isBookColumn,
  ownTableName,
  type PoolPlace,
  placeKey,
  placeOf,
  slotMapOf,
  statedTable,
  tablePlace,
} from '../../../src/rows/place.js';
import { before, behind } from '../../../src/rows/position.js';
import {
  type CountedRows,
  preview,
  segmentSource,
  selectRows,
  serverOf,
  versionSource,
} from '../../../src/rows/source.js';
import { spanSource } from '../../../src/rows/spans.js';

const column = (id: number, physical: PhysicalType): StoredColumn => ({
  id,
  storageId: id,
  name: `C${id}`,
  physical,
  dataType: dataTypeOf(physical),
  isEntity: false,
  description: null,
});

const columns = [column(1, 's'), column(2, 'n38_4')];
const own = tablePlace({ storeId: 5, shard: 1 });
const everywhere = tablePlace({ storeId: 5, shard: null });
const slots = { c1_s: 's0', c2_n38_4: 'i1' };
const pool: PoolPlace = { mapId: 4, pool: 'narrow', slots };
const pooled = placeOf({ storeId: 5, shard: 2, pool });

const plain: CountedRows = { place: own, columns, segmentIds: [9], rowCount: 100 };
const cuts = [{ segmentId: 9, beforeUpload: 4 }];
const patched = { segmentIds: [9, 12], patches: [12], hidden: 6 };
const wide = Array.from({ length: 300 }, (_, at) => column(at + 1, 'f'));

const versions: Readonly<Record<string, CountedRows>> = {
  'one segment': plain,
  'two segments': { ...plain, segmentIds: [9, 12] },
  'a part of a segment': { ...plain, cuts },
  'parts of two segments': {
    ...plain,
    segmentIds: [9, 12],
    cuts: [...cuts, { segmentId: 12, beforeUpload: 7 }],
  },
  'a patch': { ...plain, ...patched },
  'two patches': { ...plain, segmentIds: [9, 12, 13], patches: [12, 13], hidden: 6 },
  'a pool': { ...plain, place: pooled },
  'all shards': { ...plain, place: everywhere },
  'no rows': { ...plain, place: null, segmentIds: [], rowCount: 0 },
};

const text = (parts: Readonly<Record<string, unknown>>): string =>
  `${Object.entries(parts)
    .map(([name, part]) => `-- ${name}\n${JSON.stringify(part, null, 1).replaceAll('\\n', '\n')}`)
    .join('\n\n')}\n`;

describe('the rows of a version', () => {
  it('are read as their golden file says', async () => {
    const sources = Object.entries(versions).map(([name, version]) => [name, versionSource('db', version)]);
    await expect(text(Object.fromEntries(sources))).toMatchFileSnapshot('./source/versions.txt');
  });

  it('of many columns are counted in the index, if segments are whole and on one server', () => {
    const guard = (version: CountedRows): string => versionSource('db', version).where;
    const many = { ...plain, columns: wide };
    expect(guard(many)).toContain('sum(rows_in_granule)');
    expect(guard({ ...many, cuts })).toContain('count()');
    expect(guard({ ...many, place: everywhere })).toContain('count()');
    expect(guard(plain)).toContain('count()');
    expect(versionSource('db', many).wherePart).toBeUndefined();
  });

  it('are one partition if they are all rows of one segment without patches', () => {
    const wherePart = (version: CountedRows) => versionSource('db', version).wherePart;
    expect(wherePart(plain)).toContain('_partition_id');
    expect(wherePart({ ...plain, segmentIds: [12], patches: [12] })).toBeUndefined();
    expect(wherePart({ ...plain, cuts })).toBeUndefined();
    expect(wherePart({ ...plain, place: pooled })).toBeUndefined();
    expect(wherePart({ ...plain, place: everywhere })).toBeUndefined();
  });

  it('have parameter names of their own in a statement that reads several versions', () => {
    const { where, values } = versionSource('db', { ...plain, ...patched }, 'other');
    expect(Object.keys(values).every((name) => name.startsWith('other'))).toBe(true);
    expect(where).toContain('{other:Array(UInt64)}');
  });

  it('cannot be read without a place', () => {
    expect(() => versionSource('db', { ...plain, place: null })).toThrow('has rows but no segment');
  });

  it('that are not read have an empty source', () => {
    expect(preview).toEqual({ from: '(SELECT 1 WHERE 0)', where: 'true', values: {} });
  });
});

describe('rows of segments', () => {
  it('are read without a guard', () => {
    expect(segmentSource('db', { place: own, columns, segments: [1, 2] }, 's')).toEqual({
      from: 'db.s5',
      where: '_seg IN {s:Array(UInt64)}',
      values: { s: [1, 2] },
    });
  });

  it('are filtered before they are looked up among the patches', async () => {
    const choices = {
      own: { place: own, list: { segmentIds: [9, 12], patches: [12] } },
      pooled: { place: pooled, list: { segmentIds: [9] } },
    };
    const names = columns.map(({ id, physical }) => ({ name: `c${id}_${physical}`, physical }));
    const found = Object.entries(choices).flatMap(([name, { place, list }]) => [
      [name, selectRows('db', place, { list }, names)],
      [`${name}, few`, selectRows('db', place, { list, within: '(SELECT 7)' }, names, 'c1_s = 1')],
    ]);
    await expect(text(Object.fromEntries(found))).toMatchFileSnapshot('./source/segments.txt');
  });
});

describe('patches', () => {
  it('hide the rows that they replace', async () => {
    expect(patchMask('db.s5', { segmentIds: [9] }, 'x')).toBeUndefined();
    expect(patchMask('db.s5', { segmentIds: [9], patches: [] }, 'x')).toBeUndefined();
    const masks = {
      one: patchMask('db.s5', { segmentIds: [9, 12], patches: [12] }, 'x'),
      'one, at some positions': patchMask('db.s5', { segmentIds: [9, 12], patches: [12] }, 'x', '(SELECT 7)'),
      two: patchMask('db.s5', { segmentIds: [9, 12, 13], patches: [12, 13] }, 'x'),
      latest: latestOf('FROM db.s5 WHERE true'),
    };
    await expect(text(masks)).toMatchFileSnapshot('./source/patches.txt');
  });
});

describe('rows of spans', () => {
  const ranges = [
    { segment: 9, from: 1, until: 3, beforeUpload: 8 },
    { segment: 9, from: 5, until: 0, beforeUpload: 8 },
    { segment: 12, from: 2, until: 0, beforeUpload: 6 },
  ];

  it('are read as their golden file says', async () => {
    const rows = { place: own, columns, ranges, rowCount: 100 };
    const sources = {
      'without patches': spanSource('db', rows, 0),
      'in a pool': spanSource('db', { ...rows, place: pooled }, 1),
      'with patches': spanSource(
        'db',
        {
          ...rows,
          patches: [
            { segment: 12, from: 2, until: 4, beforeUpload: 6 },
            { segment: 12, from: 5, until: 0, beforeUpload: 6 },
          ],
        },
        2,
      ),
    };
    await expect(text(sources)).toMatchFileSnapshot('./source/spans.txt');
  });
});

describe('rows from a position onwards', () => {
  it('are found by the values of the row at the position', async () => {
    const rows = versionSource('db', plain);
    const by = (at: number, descending: boolean) => ({ column: columns[at]!, descending });
    const conditions = {
      'in reading order': behind(rows, '17', []),
      ascending: behind(rows, '17', [by(0, false)]),
      'descending, then ascending': behind(rows, '17', [by(1, true), by(0, false)]),
      before: before('17'),
    };
    await expect(text(conditions)).toMatchFileSnapshot('./source/positions.txt');
  });
});

describe('the server', () => {
  it('is the common server of all rows; versions without rows do not count', () => {
    expect(serverOf()).toEqual({});
    expect(serverOf({ place: null })).toEqual({});
    expect(serverOf({ place: null }, { place: pooled }, { place: pooled })).toEqual({ shard: 2 });
    expect(serverOf({ place: everywhere })).toEqual({ shard: null });
    expect(() => serverOf({ place: own }, { place: pooled })).toThrow(
      expect.objectContaining({ kind: 'unavailable' }),
    );
  });
});

describe('a place', () => {
  it('has slots for its columns in a pool, and for any column in an own table', () => {
    const name = (id: number, physical: PhysicalType) => ({ name: `c${id}_${physical}`, physical });
    expect(hasSlots(own, [name(9, 'f')])).toBe(true);
    expect(hasSlots(pooled, [name(1, 's'), name(2, 'n38_4')])).toBe(true);
    expect(hasSlots(pooled, [name(1, 's'), name(9, 'f')])).toBe(false);
  });

  it('has the name of its table', () => {
    expect([own, everywhere, pooled].map((place) => statedTable('db', place))).toEqual([
      'db.s5',
      'db.ds5',
      'db.pool_narrow',
    ]);
    expect([slotMapOf(own), slotMapOf(pooled), placeKey(own), placeKey(pooled)]).toEqual([
      undefined,
      4,
      '5/undefined',
      '5/4',
    ]);
    expect(statedTable('db', tablePlace({ storeId: 5, shard: null, pool: 'wide' }))).toBe('db.dpool_wide');
  });

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('throws for the table number %d', (storeId) => {
    expect(() => ownTableName(storeId)).toThrow(`bad id ${storeId}`);
  });

  it('has bookkeeping columns', () => {
    expect(['_seg', '_row', '_gone', 'c1_s'].map(isBookColumn)).toEqual([true, true, true, false]);
    expect(ownTableName(1)).toBe('s1');
  });
});
