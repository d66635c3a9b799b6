import { createHash, randomBytes } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AppError } from '../lib/errors.js';
import type { ComponentContext } from './component-group.js';
import { createLogFile } from './log-file.js';
import { createSupervisedChild, endOrphan } from './supervised-child.js';

const title = 'embedded ClickHouse';

// The server listens as long as this script runs, so its last query never ends. Blocks of one row and no limit per
// block keep it asleep and let a signal end it within a second.
const serverScript = `SYSTEM START LISTEN HTTP;
SELECT sleepEachRow(1) FROM system.numbers FORMAT Null
SETTINGS max_block_size = 1, function_sleep_max_microseconds_per_block = 0;
`;

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
    throw new AppError(
      'unavailable',
      'component_missing',
      `${title} is not installed for ${platform}: set CLICKHOUSE_URL or install with optional dependencies (npm ci --include=optional)`,
      { cause: error },
    );
  }
};

/** Node runs the compiled child; in a source checkout, where only the test runner compiles, a copy of the source. */
const childScript = (folder: string): string => {
  const compiled = fileURLToPath(new URL('./clickhouse-child.js', import.meta.url));
  if (existsSync(compiled)) return compiled;
  const copy = join(folder, 'clickhouse-child.mjs');
  copyFileSync(fileURLToPath(new URL('./clickhouse-child.ts', import.meta.url)), copy);
  return copy;
};

const user = 'tabulary';

/**
 * What the product does with ClickHouse, and no more: the sources that reach files, addresses and other servers
 * (`file`, `url`, `s3`, `remote`, `executable`, dictionaries, backups) are not granted, nor are users.
 */
const grants = `GRANT SHOW, SELECT, INSERT, ALTER, CREATE DATABASE, CREATE TABLE, CREATE VIEW, CREATE TEMPORARY TABLE,
  DROP, TRUNCATE, OPTIMIZE, KILL QUERY, SYSTEM ON *.*`;
const engines = ['MergeTree', 'Memory', 'View', 'Null', 'Distributed'];

const escapeXml = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/**
 * The script that keeps the server listening runs as `default`, which cannot have a password here. Its one session
 * is all it may have, so nobody else gets in under that name; should somebody take it while the server starts, it
 * may do nothing but listen.
 */
const usersFile = (password: string, sources: readonly string[]): string => `<clickhouse>
  <profiles><default/><listener><max_sessions_for_user>1</max_sessions_for_user></listener></profiles>
  <quotas><default/></quotas>
  <users>
    <default>
      <password></password>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>listener</profile>
      <quota>default</quota>
      <grants>
        <query>GRANT SYSTEM LISTEN ON *.*</query>
        <query>GRANT SELECT ON system.numbers</query>
      </grants>
    </default>
    <${user}>
      <password_sha256_hex>${createHash('sha256').update(password).digest('hex')}</password_sha256_hex>
      <networks><ip>127.0.0.1</ip></networks>
      <profile>default</profile>
      <quota>default</quota>
      <grants>
        <query>${grants}</query>
${engines.map((engine) => `        <query>GRANT TABLE ENGINE ON ${engine}</query>`).join('\n')}
${sources.map((name) => `        <query>GRANT READ ON ${name}</query><query>GRANT TABLE ENGINE ON *</query>`).join('\n')}
      </grants>
    </${user}>
  </users>
</clickhouse>
`;

const configFile = (folder: string): string =>
  `<clickhouse><users_config>${escapeXml(join(folder, 'users.xml'))}</users_config></clickhouse>\n`;

const serverArguments = (folder: string, logsDir: string, port: number): string[] => [
  `--path=${join(folder, 'data')}`,
  `--config-file=${join(folder, 'config.xml')}`,
  `--queries-file=${join(folder, 'server.sql')}`,
  '--log-level=warning',
  '--',
  `--http_port=${port}`,
  '--listen_host=127.0.0.1',
  `--logger.log=${join(logsDir, 'clickhouse-server.log')}`,
  '--logger.size=16M',
  '--logger.count=2',
  // A laptop is shared with Kafka, PostgreSQL and the product itself.
  '--max_server_memory_usage_to_ram_ratio=0.6',
  '--mark_cache_size=268435456',
  '--primary_index_cache_size=134217728',
  '--index_mark_cache_size=67108864',
];

const answersPing = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/ping`, { signal: AbortSignal.timeout(2_000) });
    return response.ok && (await response.text()).startsWith('Ok.');
  } catch {
    // Refused or cut off: not yet listening.
    return false;
  }
};

export const startClickhouse = async (
  { dataDir, state, ports, log, adopt }: ComponentContext,
  wantedPort: number | undefined,
  sources: readonly string[] = [],
): Promise<string> => {
  const libraries = findLibraries();
  await endOrphan(state, 'SIGTERM', log);
  const port = await ports.choose({
    owner: title,
    variable: 'EMBEDDED_CLICKHOUSE_PORT',
    wanted: wantedPort,
    remembered: state.read().ports.http,
  });
  const password = state.read().password ?? randomBytes(24).toString('base64url');
  state.update({ ports: { http: port }, password });

  const folder = join(dataDir, 'clickhouse');
  mkdirSync(join(folder, 'data'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'server.sql'), serverScript);
  writeFileSync(join(folder, 'config.xml'), configFile(folder));
  writeFileSync(join(folder, 'users.xml'), usersFile(password, sources), { mode: 0o600 });
  const logsDir = join(dataDir, 'logs');
  const url = `http://127.0.0.1:${port}`;
  const child = createSupervisedChild({
    title,
    command: {
      program: process.execPath,
      args: [childScript(folder), libraries.ffi, libraries.chdb, ...serverArguments(folder, logsDir, port)],
    },
    cwd: folder,
    stopSignal: 'SIGTERM',
    stopWithinMs: 6_000,
    isReady: () => answersPing(url),
    state,
    output: createLogFile(join(logsDir, 'clickhouse.log')),
    log,
  });
  adopt(child);
  await child.start();
  return `http://${user}:${password}@127.0.0.1:${port}`;
};
