/**
 * Lets several accounts do everything to the same datasets at once, and checks every answer.
 *
 *   npm run test:concurrency -- --minutes 10 [--seed S] [--clients 12] [--datasets 5] [--apis 2] [--workers 2]
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { createLog } from '../../src/lib/log.js';
import { createScope } from '../../src/lib/scope.js';
import { untilNone } from '../crash/checker.js';
import { findOrphans } from '../crash/orphans.js';
import { type CrashProduct, startCrashProduct } from '../crash/product.js';
import { clickHouseText } from '../support/clickhouse-http.js';
import { type ConcurrencyReport, runConcurrency } from './concurrency-run.js';
import { type Person, people } from './rights.js';
import { restless } from './settings.js';

const { values } = parseArgs({
  args: process.argv.slice(2).filter((argument) => argument !== '--' && !argument.endsWith('run.ts')),
  options: {
    minutes: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    clients: { type: 'string', default: '12' },
    datasets: { type: 'string', default: '5' },
    apis: { type: 'string', default: '2' },
    workers: { type: 'string', default: '2' },
  },
});

const number = (name: keyof typeof values): number => {
  const value = Number(values[name]);
  if (!Number.isFinite(value) || value <= 0) throw new RangeError(`--${name} must be a number above 0`);
  return value;
};

const openAccounts = async ({ sql }: CrashProduct): Promise<Record<Person, string>> => {
  const keys = people.map(async (name) => {
    const { id } = await createAccounts({ sql }).create({ name, plan: 'unlimited' });
    return [name, (await createKeys({ sql }).create(id, { name: 'concurrency' })).key] as const;
  });
  return Object.fromEntries(await Promise.all(keys)) as Record<Person, string>;
};

const show = ({ seed, rounds, requests, counts, faults }: ConcurrencyReport, orphans: readonly string[]) => {
  console.log(`\nseed ${seed}, ${rounds} rounds, ${requests} answers`);
  for (const name of Object.keys(counts).sort()) console.log(`  ${name.padEnd(32)} ${counts[name]}`);
  const all = [...faults, ...orphans];
  console.log(`faults ${all.length}`);
  for (const fault of all.slice(0, 50)) console.log(`  - ${fault}`);
  return all.length;
};

const log = createLog('concurrency', 'fatal', 2);
const scope = createScope(log);
const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-concurrency-'));
let faults = 1;
try {
  const shared = { dataDir, apis: number('apis'), workers: number('workers'), settings: restless };
  const product = await startCrashProduct({ ...shared, log, scope });
  console.log(`seed ${number('seed')}, started in ${dataDir}`);
  const report = await runConcurrency({
    target: { apis: product.apis, keys: await openAccounts(product) },
    seed: number('seed'),
    minutes: number('minutes'),
    clients: number('clients'),
    datasets: number('datasets'),
    roundSeconds: 15,
    say: (line) => console.log(line),
  });
  const stores = {
    sql: product.sql,
    clickhouse: (sql: string) => clickHouseText(product.access.clickhouseUrl, { sql }),
    database: 'tabulary',
  };
  faults = show(report, await untilNone(() => findOrphans(stores), 60_000));
} finally {
  await scope.close();
  if (faults === 0) await rm(dataDir, { recursive: true, force: true });
  else console.log(`logs kept in ${dataDir}`);
}
process.exit(faults === 0 ? 0 : 1);
