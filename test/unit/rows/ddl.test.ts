import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { createDdl, type Statement } from '../../../src/rows/ddl.js';
import { tableSettings } from '../../../src/rows/engine.js';
import type { ColumnDefinition } from '../../../src/rows/slots.js';
import { createEngine, type Engine } from '../../../src/storage/clickhouse/engine.js';

const columns = (count: number, from = 1): ColumnDefinition[] =>
  Array.from({ length: count }, (_, at) => ({ name: `c${from + at}_f`, type: 'Nullable(Float64)' }));

/** Shortens long lists to the columns around their limits. */
const shown = ({ sql, settings }: Statement): string =>
  `${sql.replace(/(c2_f .*?)(, (?:ADD COLUMN IF NOT EXISTS )?c20\d_f )/, '…$2')}\n  -- ${JSON.stringify(settings)}`;

const everyStatement = (engine: Engine): string => {
  const ddl = createDdl('rows', engine);
  return [
    ...ddl.createDatabase(),
    ...ddl.createNote('installation', { name: 'id', type: 'String' }),
    ...ddl.createPool('narrow'),
    ...ddl.createOwn('s1', columns(2)),
    ...ddl.createOwn('s2', columns(201)),
    ...ddl.addColumns('s1', columns(1, 3), 2),
    ...ddl.addColumns('s1', columns(1, 201), 200),
    ...ddl.addColumns('pool_narrow', [{ name: 's9', type: 'Nullable(String)' }]),
    ...ddl.createStaging('u7', 's1', 2),
    ...ddl.createStaging('u8', 's2', 201),
    ...ddl.createReadCopy(
      'r7_0f',
      [{ name: 'c1_s', type: 'LowCardinality(Nullable(String))' }, ...columns(1, 3)],
      columns(1, 3),
    ),
    ...ddl.rename('u7', 'a7_0f'),
    ...ddl.replaceSegment('s1', 7, 'a7_0f'),
    ...ddl.dropSegments('s1', [7, 8]),
    ...ddl.applyDeletes('pool_narrow', [0, 15]),
    ...ddl.dropTable('a7_0f', 'SYNC'),
    ...ddl.dropTable('s1'),
    ...(engine.cluster === undefined
      ? []
      : [
          ...ddl.createOverNodes('rows.nodes', engine.cluster),
          ...ddl.createOver('s1', columns(2), 'own'),
          ...ddl.createOver('pool_narrow', [{ name: 's9', type: 'Nullable(String)' }], 'pool'),
          ...ddl.addColumns('ds1', columns(1, 3)),
        ]),
  ]
    .map(shown)
    .join('\n')
    .concat('\n');
};

describe('statements that create and change tables', () => {
  it.each([
    ['merge-tree', createEngine('MergeTree')],
    ['replicated-merge-tree', createEngine('ReplicatedMergeTree', { cluster: 'main' })],
    ['shared-merge-tree', createEngine('SharedMergeTree')],
  ])('are written for the engine: %s', async (name, engine) => {
    await expect(everyStatement(engine)).toMatchFileSnapshot(`ddl/${name}.sql`);
  });

  it('for a cluster without replicas are those of one server and those of its Distributed tables', () => {
    const single = everyStatement(createEngine('MergeTree'));
    const cluster = everyStatement(createEngine('MergeTree', { cluster: 'main' }));
    expect(cluster.startsWith(single)).toBe(true);
    expect(cluster.slice(single.length).match(/Distributed\('main', /g)).toHaveLength(3);
  });

  it('are empty for no columns, segments or partitions', () => {
    const ddl = createDdl('rows', createEngine('MergeTree'));
    expect([
      ...ddl.addColumns('s1', [], 2),
      ...ddl.dropSegments('s1', []),
      ...ddl.applyDeletes('pool_narrow', []),
    ]).toEqual([]);
  });

  it('leave out settings that the ClickHouse release lacks', () => {
    expect(tableSettings(createEngine('MergeTree', { lacks: ['auto_statistics_types'] }), 'pool')).toBe(
      'non_replicated_deduplication_window = 100000, old_parts_lifetime = 120',
    );
  });

  it('are all in one file', () => {
    const source = fileURLToPath(new URL('../../../src', import.meta.url));
    const ddl =
      /\b(?:CREATE (?:OR REPLACE )?TABLE|ALTER TABLE|DROP TABLE|RENAME TABLE|EXCHANGE TABLES|CREATE DATABASE)\b[^'`]*\$\{/;
    const others = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        file.endsWith('.ts') &&
        !file.startsWith('storage/postgres/') &&
        !file.startsWith('embedded/') &&
        ddl.test(readFileSync(`${source}/${file}`, 'utf8')),
    );
    expect(others).toEqual(['rows/ddl.ts']);
  });
});
