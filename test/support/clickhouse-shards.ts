/** Three embedded ClickHouse servers whose cluster gains and loses shards while a product runs. */
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type EmbeddedAccess, startEmbedded } from '../../src/embedded/components.js';
import { silentLog } from '../../src/lib/log.js';
import type { Scope } from '../../src/lib/scope.js';
import { type ClickHouse, createClickHouse } from '../../src/storage/clickhouse/client.js';

export interface ChangingCluster {
  /** Includes CLICKHOUSE_NODE_URLS; the product finds the nodes without it too. */
  readonly access: EmbeddedAccess;
  /** Connections to the servers. */
  readonly nodes: readonly ClickHouse[];
  /** Configures one shard per weight, in the order of the servers, and restarts them: the engine reads shards at startup. */
  configure(...weights: number[]): Promise<void>;
  /** Sends SIGKILL to a server, which is then restarted. @param node index in `nodes`. */
  kill(node: number): void;
}

export const startChangingCluster = async (scope: Scope): Promise<ChangingCluster> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'tabulary-shards-'));
  await scope.defer('folder of the servers', () => rmSync(dataDir, { recursive: true, force: true }));
  const need = { postgres: false, kafka: false, clickhouse: true };
  const embedded = await startEmbedded({ dataDir, need, clickhouseNodes: 3, log: silentLog, scope });
  const urls = (embedded.access.clickhouseNodeUrls ?? '').split(',');
  const nodes = urls.map((url) => createClickHouse({ url, database: 'system' }));
  for (const node of nodes) await scope.defer('connections to a server', node.close);
  const configs = ['clickhouse', 'clickhouse-2', 'clickhouse-3'].map((folder) =>
    join(dataDir, folder, 'config.xml'),
  );
  const originals = configs.map((path) => readFileSync(path, 'utf8'));

  const kill = (node: number): number => {
    const pid = embedded.clickhousePids()[node];
    if (pid === undefined) throw new Error(`server ${node} is not running`);
    process.kill(pid, 'SIGKILL');
    return pid;
  };

  const restart = async (node: number): Promise<void> => {
    const pid = kill(node);
    while ([undefined, pid].includes(embedded.clickhousePids()[node])) await sleep(50);
    while (!(await nodes[node]?.ping())) await sleep(50);
  };

  return {
    access: embedded.access,
    nodes,
    kill,
    async configure(...weights) {
      for (const [at, path] of configs.entries()) {
        let shard = 0;
        const text = originals[at]?.replaceAll(/ {4}<shard>.*?<\/shard>\n/gs, (entry) => {
          const weight = weights[shard];
          shard += 1;
          return weight === undefined ? '' : entry.replace('<shard>', `<shard><weight>${weight}</weight>`);
        });
        writeFileSync(path, text ?? '');
      }
      for (const node of configs.keys()) await restart(node);
    },
  };
};

/** Starts a round-robin TCP load balancer. @returns its URL, with user and password. */
export const balance = async (urls: readonly string[], scope: Scope): Promise<string> => {
  let turn = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const { port } = new URL(urls[turn++ % urls.length] ?? '');
    const upstream = connect(Number(port), '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  await scope.defer('balancer', async () => {
    const closed = once(server, 'close');
    server.close();
    for (const socket of sockets) socket.destroy();
    await closed;
  });
  const url = new URL(urls[0] ?? '');
  url.port = String((server.address() as AddressInfo).port);
  return url.href;
};
