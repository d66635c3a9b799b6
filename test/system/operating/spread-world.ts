/** Three ClickHouse servers, a product that spreads its datasets over them, and what was read before rows moved. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { createClusterCommands } from '../../../src/admin/cluster.js';
import { createSweepCommands } from '../../../src/admin/sweep.js';
import { openCluster } from '../../../src/compose/cluster.js';
import { openStorageSweep } from '../../../src/compose/sweep.js';
import { openVerification } from '../../../src/compose/verification.js';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { runAdmin } from '../../support/admin.js';
import { clickHouseText } from '../../support/clickhouse-http.js';
import { type Client, call, download, json } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type Options, uploadWith } from '../../support/upload-options.js';

export const onlyClickhouse = { postgres: false, kafka: false, clickhouse: true };

export const lines = (rows: number, from: number): string =>
  `station,value,day\n${Array.from({ length: rows }, (_, at) => `S${from + at},${(from + at) / 8},2024-01-0${(at % 9) + 1}\n`).join('')}`;

interface Store {
  readonly id: number;
  /** Number of its tables. */
  readonly tables: number;
  /** Of those that it is going to have. */
  readonly next: number | null;
  readonly shard: number | null;
}

export const createSpreadWorld = () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-spread-'));
  const nodes = createScope(silentLog);
  let product: TestProduct | undefined;
  let urls: readonly string[] = [];
  /** Of versions, by path; as they were read before anything moved. */
  const contents = new Map<string, string>();

  const running = (): TestProduct => {
    if (product === undefined) throw new Error('the product has not been started');
    return product;
  };

  const send = async (client: Client, dataset: number, content: string, options: Options): Promise<void> => {
    expect(await uploadWith(client, dataset, content, options)).toMatchObject({
      status: 'completed',
      error: null,
    });
    const versions = await json<{ versionId: string }[]>(
      await call(client, 'GET', `/datasets/${dataset}/versions`),
    );
    const versionId = versions[0]?.versionId;
    const query = `?versionId=${versionId}&$skip=0`;
    contents.set(`${dataset}${query}`, await download(client, dataset, query));
  };

  const expectSame = async (client: Client): Promise<void> => {
    for (const [path, content] of contents) {
      const [dataset = '', query = ''] = path.split(/(?=\?)/);
      expect(await download(client, Number(dataset), query), path).toBe(content);
    }
  };

  const cluster = async <T>(line: string): Promise<T & { exitCode: number }> => {
    const ran = await runAdmin(running(), [createClusterCommands(openCluster)], `cluster ${line} --json`);
    return { ...JSON.parse(ran.output), exitCode: ran.exitCode };
  };

  const on = async (shard: number, sql: string): Promise<string> =>
    (await clickHouseText(urls[shard - 1] ?? '', { sql })).trim();

  /** Rows of tables with such names on each server. */
  const rowsOf = async (names: string): Promise<number[]> =>
    Promise.all(
      [1, 2, 3].map(async (shard) =>
        Number(
          await on(
            shard,
            `SELECT sum(rows) FROM system.parts WHERE active AND database = '${running().config.clickhouseDatabase}'
               AND match(table, '${names}')`,
          ),
        ),
      ),
    );

  const storeOf = async (dataset: number): Promise<Store> => {
    const [store] = await running().sql.query<Store>(
      `SELECT s.id, coalesce(s.table_id, s.id) AS tables, s.next_table AS next, s.shard
       FROM stores s JOIN datasets d ON d.store_id = s.id WHERE d.id = $1`,
      [dataset],
    );
    if (store === undefined) throw new Error(`dataset ${dataset} has no store`);
    return store;
  };

  /** What is kept for readers is not waited for. */
  const sweepLeft = async (): Promise<void> => {
    await running().sql.query(`UPDATE stores SET left_at = '2000-01-01' WHERE left_at IS NOT NULL`);
    await running().sql.query(`UPDATE segments SET unnamed_at = '2000-01-01' WHERE unnamed_at IS NOT NULL`);
    await runAdmin(running(), [createSweepCommands(openStorageSweep)], 'sweep');
  };

  const verified = async (): Promise<readonly unknown[]> => {
    const scope = createScope(silentLog);
    const parts = { config: running().config, log: silentLog, sql: running().sql, scope };
    const { faults } = await (await openVerification(parts)).verification.verify({});
    await scope.close();
    return faults;
  };

  return {
    dataDir,
    nodes,
    send,
    expectSame,
    cluster,
    on,
    rowsOf,
    storeOf,
    sweepLeft,
    verified,
    urls: () => urls,
    product: running,
    async start(settings: Parameters<typeof startProduct>[0]): Promise<Client> {
      const options = { dataDir, need: onlyClickhouse, clickhouseNodes: 3, log: silentLog, scope: nodes };
      const { access } = await startEmbedded(options);
      urls = access.clickhouseNodeUrls?.split(',') ?? [];
      product = await startProduct({ ...access, ...settings });
      return product.createAccount('ada');
    },
    async close(): Promise<void> {
      await product?.close();
      await nodes.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
