import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unavailable } from '../lib/errors.js';
import { projectPath } from '../lib/project-path.js';
import {
  type ClickhousePorts,
  clickhouseUser,
  clusterName,
  configFile,
  type PeerPorts,
  serverScript,
  usersFile,
} from './clickhouse-files.js';
import type { ComponentContext } from './component-group.js';
import { createLogFile } from './log-file.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

const component = 'embedded ClickHouse';

interface Libraries {
  ffi: string;
  chdb: string;
}

const findLibraries = (): Libraries => {
  const require = createRequire(import.meta.url);
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
  try {
    const chdb = createRequire(require.resolve('chdb/package.json'));
    const folder = join(chdb.resolve(`@chdb/lib-${platform}/package.json`), '..');
    return { ffi: require.resolve('ffi-rs'), chdb: join(folder, 'libchdb.so') };
  } catch (error) {
    throw unavailable(
      'component_missing',
      `${component} is not installed for ${platform}: set CLICKHOUSE_URL or install with optional dependencies (npm ci --include=optional)`,
      { cause: error },
    );
  }
};

/** Built by `npm run build`. */
const childScript = projectPath('dist', 'embedded', 'clickhouse-child.js');

/** A server with its folder and ports. */
interface Node {
  readonly title: string;
  readonly context: ComponentContext;
  /** Folder of its data and settings; log names begin with it too. */
  readonly name: string;
  readonly ports: ClickhousePorts;
}

interface ClickhouseSettings {
  /** Number of servers, each a shard of one cluster; a single server has no cluster. */
  readonly nodes: number;
  /** HTTP port of the first one. */
  readonly port: number | undefined;
  /** Sources and engines that the product's user may use besides its own tables. */
  readonly sources: readonly string[];
}

const choosePorts = async (
  { state, ports }: ComponentContext,
  owner: string,
  wanted: number | undefined,
  inCluster: boolean,
): Promise<ClickhousePorts> => {
  const remembered = state.read().ports;
  const variable = 'EMBEDDED_CLICKHOUSE_PORT';
  const http = await ports.choose({ owner, variable, wanted, remembered: remembered.http });
  const choose = (name: keyof PeerPorts): Promise<number> =>
    ports.choose({ owner, variable, wanted: undefined, remembered: remembered[name] });
  const peers = inCluster ? { relay: await choose('relay'), tcp: await choose('tcp') } : undefined;
  state.update({ ports: { ...remembered, http, ...peers } });
  return { http, peers };
};

/** Prepares the folders and ports of the nodes, and ends processes that an earlier run left. */
const chooseNodes = async (context: ComponentContext, settings: ClickhouseSettings): Promise<Node[]> => {
  const nodes: Node[] = [];
  for (let id = 1; id <= settings.nodes; id += 1) {
    // The first node has the folder of a single server, so that nodes can be added to a data folder later.
    const name = id === 1 ? ('clickhouse' as const) : (`clickhouse-${id}` as const);
    const title = settings.nodes === 1 ? component : `node ${id} of ${component}`;
    const own = id === 1 ? context : context.node(name);
    await endOrphan(own.state, 'SIGTERM', own.log);
    const wanted = id === 1 ? settings.port : undefined;
    const ports = await choosePorts(own, title, wanted, settings.nodes > 1);
    nodes.push({ title, context: own, name, ports });
  }
  return nodes;
};

const serverArguments = (folder: string, log: string, ports: ClickhousePorts, nodes: number): string[] => [
  `--path=${join(folder, 'data')}`,
  `--config-file=${join(folder, 'config.xml')}`,
  `--queries-file=${join(folder, 'server.sql')}`,
  '--log-level=warning',
  '--',
  `--http_port=${ports.http}`,
  ...(ports.peers === undefined ? [] : [`--tcp_port=${ports.peers.tcp}`]),
  '--listen_host=127.0.0.1',
  `--logger.log=${log}`,
  '--logger.size=16M',
  '--logger.count=2',
  // The machine also runs Kafka, PostgreSQL and the product.
  `--max_server_memory_usage_to_ram_ratio=${0.6 / nodes}`,
  '--mark_cache_size=268435456',
  '--primary_index_cache_size=134217728',
  '--index_mark_cache_size=67108864',
];

const answersPing = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(2_000) });
    return response.ok && (await response.text()).startsWith('Ok.');
  } catch {
    // Refused or reset: it does not listen yet.
    return false;
  }
};

const writeFiles = (folder: string, files: Readonly<Record<string, string>>): void => {
  mkdirSync(join(folder, 'data'), { recursive: true, mode: 0o700 });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { mode: 0o600 });
};

const startNode = async (node: Node, nodes: number, libraries: Libraries): Promise<void> => {
  const { title, context, name, ports } = node;
  const folder = join(context.dataDir, name);
  const logsDir = join(context.dataDir, 'logs');
  const serverLog = join(logsDir, `${name}-server.log`);
  const child = createSupervisedChild({
    title,
    command: {
      program: process.execPath,
      args: [
        childScript,
        libraries.ffi,
        libraries.chdb,
        String(ports.peers?.relay ?? 0),
        String(ports.peers?.tcp ?? 0),
        ...serverArguments(folder, serverLog, ports, nodes),
      ],
    },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 6_000,
    isReady: () => answersPing(`http://127.0.0.1:${ports.http}`),
    state: context.state,
    output: createLogFile(join(logsDir, `${name}.log`)),
    log: context.log,
  });
  context.adopt(child);
  await child.start();
};

/** Connection settings of ClickHouse, under the names of the product's settings. */
export interface ClickhouseAccess {
  /** The first node. */
  readonly clickhouseUrl: string;
  /** Name of the cluster; absent with one node. */
  readonly clickhouseCluster?: string;
  /** Addresses of all nodes, running or not. */
  readonly clickhouseNodeUrls?: string;
}

export const startClickhouse = async (
  context: ComponentContext,
  settings: ClickhouseSettings,
): Promise<ClickhouseAccess> => {
  const libraries = findLibraries();
  const { state } = context;
  const nodes = await chooseNodes(context, settings);
  // All nodes have the same password.
  const {
    password = randomBytes(24).toString('base64url'),
    nodesPassword = randomBytes(24).toString('base64url'),
  } = state.read();
  const isCluster = nodes.length > 1;
  state.update({ password, nodes: nodes.length, ...(isCluster ? { nodesPassword } : {}) });
  for (const { name } of nodes) {
    const folder = join(context.dataDir, name);
    // A server recognises its own entry by the port on which it listens.
    const shards = nodes.flatMap((node) => {
      const { peers } = node.ports;
      return peers === undefined ? [] : [node.name === name ? peers.tcp : peers.relay];
    });
    const cluster = isCluster ? { shards, password: nodesPassword } : undefined;
    writeFiles(folder, {
      'server.sql': serverScript(isCluster),
      'config.xml': configFile(folder, cluster),
      'users.xml': usersFile({ password, nodesPassword: cluster?.password, sources: settings.sources }),
    });
  }
  await Promise.all(nodes.map((node) => startNode(node, nodes.length, libraries)));
  const urls = nodes.map(({ ports }) => `http://${clickhouseUser}:${password}@127.0.0.1:${ports.http}`);
  return {
    clickhouseUrl: urls[0] as string,
    ...(isCluster ? { clickhouseCluster: clusterName, clickhouseNodeUrls: urls.join(',') } : {}),
  };
};
