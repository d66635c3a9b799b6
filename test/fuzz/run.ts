/**
 * `npm run test:fuzz`: Schemathesis, all checks, against the running service.
 *
 *   FUZZ_EXAMPLES    cases per operation and phase; 400 when left out, which makes more than 10,000 in all
 *   FUZZ_SEED        seed; 1 when left out
 *   FUZZ_COMMAND     how Schemathesis is called; `schemathesis` when left out, else `uvx schemathesis` is tried
 *
 * Starts what is missing (as `npm start` does), runs, and stops everything.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { createApiProcess } from '../../src/compose/api-process.js';
import { openDatabase } from '../../src/compose/core.js';
import { createWorkerProcess } from '../../src/compose/worker-process.js';
import { childEnvironment, loadConfig } from '../../src/config.js';
import { startEmbedded } from '../../src/embedded/components.js';
import { createLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { migrate } from '../../src/storage/postgres/migrate.js';

const log = createLog('fuzz', 'error', 2);
const scope = createScope(log);
const folder = fileURLToPath(new URL('.', import.meta.url));

/** The first command that answers, or undefined where Schemathesis is not installed. */
const findCommand = (): string[] | undefined => {
  const given = process.env.FUZZ_COMMAND;
  const candidates = given === undefined ? ['schemathesis', 'uvx schemathesis'] : [given];
  return candidates
    .map((text) => text.split(' '))
    .find(([program = '', ...rest]) => spawnSync(program, [...rest, '--version']).status === 0);
};

const startService = async (): Promise<{ root: string; key: string; keyId: number }> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-fuzz-'));
  await scope.defer('data folder', () => rm(dataDir, { recursive: true, force: true }));
  const environment = {
    ...process.env,
    DATA_DIR: dataDir,
    PORT: '0',
    WORKER_PORT: '0',
    TRUSTED_PROXIES: '127.0.0.1',
    MASTER_KEYS: `fuzz:${randomBytes(32).toString('base64')}`,
  };
  const given = loadConfig(environment);
  const { access } = await startEmbedded({
    dataDir,
    need: {
      postgres: given.databaseUrl === undefined,
      kafka: given.kafkaBrokers === undefined,
      clickhouse: given.clickhouseUrl === undefined,
    },
    durability: 'off',
    log,
    scope,
  });
  const config = loadConfig(childEnvironment(access, environment));
  await migrate({ databaseUrl: config.databaseUrl ?? '', log });
  const sql = await openDatabase(config, log, scope);
  const account = await createAccounts({ sql }).create({ name: 'fuzz', plan: 'unlimited' });
  const { id, key } = await createKeys({ sql }).create(account.id, { name: 'fuzz' });
  const [api] = await Promise.all([
    createApiProcess(config, log, scope),
    createWorkerProcess(config, log, scope),
  ]);
  return { root: `http://127.0.0.1:${api.port}`, key, keyId: id };
};

const run = (
  [program = '', ...rest]: string[],
  args: string[],
  env: Record<string, string>,
): Promise<number> =>
  new Promise((resolve, reject) => {
    const child = spawn(program, [...rest, ...args], { stdio: 'inherit', env: { ...process.env, ...env } });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });

const main = async (): Promise<number> => {
  const command = findCommand();
  if (command === undefined) {
    process.stderr.write('Schemathesis is not installed: pip install schemathesis (or set FUZZ_COMMAND)\n');
    return 1;
  }
  const { root, key, keyId } = await startService();
  return run(
    command,
    [
      '--config-file',
      join(folder, 'schemathesis.toml'),
      'run',
      `${root}/openapi.json`,
      '--auth',
      `${key}:`,
      '--checks',
      'all',
      '--max-examples',
      process.env.FUZZ_EXAMPLES ?? '400',
      '--seed',
      process.env.FUZZ_SEED ?? '1',
      '--continue-on-failure',
      // What asks a provider is tried against replayed ones elsewhere; a fuzzer has no business with them.
      '--exclude-path-regex',
      '^/(feed/|providers/search|providers/[^/]+/(browse|search|series))',
    ],
    { SCHEMATHESIS_HOOKS: join(folder, 'hooks.py'), FUZZ_KEY_ID: String(keyId) },
  );
};

try {
  process.exitCode = await main();
} finally {
  await scope.close();
}
