/**
 * Runs every operation by several accounts on the same datasets concurrently and checks every response.
 *
 *   npm run test:concurrency -- --minutes 10 [--seed S] [--clients 12] [--datasets 5] [--apis 2] [--workers 2]
 */
import { createAccounts } from '../../src/catalog/accounts.js';
import { createKeys } from '../../src/catalog/keys.js';
import { commandOptions, newSeed } from '../harness/command.js';
import type { Deployment } from '../harness/deployment.js';
import { findOrphans, storesOf } from '../harness/orphans.js';
import { faultLines, listed } from '../harness/report.js';
import { untilNone } from '../harness/until-none.js';
import { withDeployment } from '../harness/with-deployment.js';
import { runConcurrency } from './concurrency-run.js';
import { type Person, people } from './rights.js';
import { restless } from './settings.js';

const { number } = commandOptions({
  minutes: '2',
  seed: newSeed(),
  clients: '12',
  datasets: '5',
  apis: '2',
  workers: '2',
});
const say = (line: string): void => console.log(line);

const openAccounts = async ({ sql }: Deployment): Promise<Record<Person, string>> => {
  const keys = people.map(async (name) => {
    const { id } = await createAccounts({ sql }).create({ name, plan: 'unlimited' });
    return [name, (await createKeys({ sql }).create(id, { name: 'concurrency' })).key] as const;
  });
  return Object.fromEntries(await Promise.all(keys)) as Record<Person, string>;
};

console.log(`seed ${number('seed')}`);
const processes = { apis: number('apis'), workers: number('workers'), settings: restless, say };
const { kept, ...report } = await withDeployment(processes, async (deployment) => {
  const run = await runConcurrency({
    target: { apis: deployment.apis, keys: await openAccounts(deployment) },
    seed: number('seed'),
    minutes: number('minutes'),
    clients: number('clients'),
    datasets: number('datasets'),
    roundSeconds: 15,
    say,
  });
  const orphans = await untilNone(() => findOrphans(storesOf(deployment)), 60_000);
  return { ...run, faults: [...run.faults, ...orphans] };
});
say(`\n${report.rounds} rounds, ${report.requests} responses: ${listed(report.counts)}`);
for (const line of faultLines(report.faults)) say(line);
if (kept !== undefined) say(`logs kept in ${kept}`);
process.exit(report.faults.length === 0 ? 0 : 1);
