/** A process with a stale list of shards still counts the rows of an upload on all shards. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { ensureDatabase } from '../../../src/rows/ddl.js';
import { readEngine } from '../../../src/rows/engine.js';
import { placeOf } from '../../../src/rows/place.js';
import { joinServers } from '../../../src/rows/servers.js';
import { createWrite } from '../../../src/rows/write.js';
import {
  type ClickHouse,
  type ClickHouseServers,
  createClickHouse,
  type Shard,
  standAlone,
} from '../../../src/storage/clickhouse/client.js';
import type { Engine } from '../../../src/storage/clickhouse/engine.js';

const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-stale-shards-'));
const scope = createScope(silentLog);
const database = 'stale';
const nodes: ClickHouse[] = [];
let engine: Engine;
let shards: readonly Shard[];

beforeAll(async () => {
  const need = { postgres: false, kafka: false, clickhouse: true };
  const { access } = await startEmbedded({ dataDir, need, clickhouseNodes: 3, log: silentLog, scope });
  for (const url of (access.clickhouseNodeUrls ?? '').split(','))
    nodes.push(createClickHouse({ url, database }));
  engine = await readEngine(nodes[0]!, access.clickhouseCluster);
  for (const node of nodes) await ensureDatabase(node, engine);
  shards = nodes.map((clickhouse, at) => ({ number: at + 1, weight: 1, clickhouse }));
});

afterAll(async () => {
  for (const node of nodes) await node.close();
  await scope.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Servers of a process that last saw the shards `known`. */
const serversOf = (known: readonly Shard[]): ClickHouseServers =>
  joinServers({
    entry: standAlone(nodes[0]!, engine),
    engine,
    shards: known,
    readShards: async () => shards,
    makeTables: async () => undefined,
    log: silentLog,
  });

it('verification finds a duplicate and a missing chunk although the total row count is right', async () => {
  const [older, newer] = [createWrite(serversOf(shards.slice(0, 2))), createWrite(serversOf(shards))];
  // With two shards, chunk 0 of this segment goes to the first; with three, to the second, and chunk 1 to the third.
  const to = { segment: 1_000, place: placeOf({ storeId: 7, shard: null, home: 1, pool: null }) };
  const columns = [{ name: 'c1_f', physical: 'f' as const }];
  const chunk = async (number: number) => {
    const answer = await nodes[0]!.send({
      body: `SELECT toUInt64(${to.segment}) AS _seg, 34359738368 + ${number} * 100 + number AS _row, toNullable(toFloat64(number)) AS c1_f
        FROM numbers(100) FORMAT Native`,
      contentType: 'text/plain',
      search: {},
      queryId: `stale-shards-${number}-${randomUUID()}`,
      signal: AbortSignal.timeout(60_000),
    });
    const block: Buffer[] = [];
    for await (const part of answer.body) block.push(part as Buffer);
    const name = `${to.segment}/${number}`;
    return { columns, rows: 100, number, block, token: name, queryId: `insert ${name}` };
  };
  await older.append(to, await chunk(0));
  await newer.append(to, await chunk(0));
  await newer.append(to, await chunk(1));
  const stored = async (table: string): Promise<number[]> =>
    Promise.all(
      nodes.map(async (node) => {
        const [row] = await node.rows<{ n: string }>(
          `SELECT toString(sum(rows)) AS n FROM system.parts WHERE active AND database = '${database}' AND match(table, '${table}')`,
        );
        return Number(row?.n);
      }),
    );
  expect(await stored('^u1000$')).toEqual([100, 100, 100]);
  expect(await older.seal(to, 200, columns)).toEqual({ kind: 'miscounted', rows: 0 });
  expect(await stored('^s7$')).toEqual([0, 0, 0]);
});
