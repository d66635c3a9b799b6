/**
 * `npm run test:fuzz`: Schemathesis, all checks, against the running service.
 *
 *   FUZZ_EXAMPLES    cases per operation and phase; 400 when left out, which makes more than 10,000 in all
 *   FUZZ_SEED        seed; 1 when left out
 *   FUZZ_COMMAND     how Schemathesis is called; `schemathesis` when left out, else `uvx schemathesis` is tried
 *
 * Starts a deployment of its own, runs, and stops everything.
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../harness/deployment.js';
import { faultLines } from '../harness/report.js';
import { withDeployment } from '../harness/with-deployment.js';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** The first command that answers, or undefined where Schemathesis is not installed. */
const findCommand = (): string[] | undefined => {
  const given = process.env.FUZZ_COMMAND;
  const candidates = given === undefined ? ['schemathesis', 'uvx schemathesis'] : [given];
  return candidates
    .map((text) => text.split(' '))
    .find(([program = '', ...rest]) => spawnSync(program, [...rest, '--version']).status === 0);
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

const fuzz = (command: string[], { apis, key, keyId }: Deployment): Promise<number> =>
  run(
    command,
    [
      '--config-file',
      join(folder, 'schemathesis.toml'),
      'run',
      `${apis[0]?.replace(/\/api$/, '')}/openapi.json`,
      '--auth',
      `${key}:`,
      '--checks',
      'all',
      '--max-examples',
      process.env.FUZZ_EXAMPLES ?? '400',
      '--seed',
      process.env.FUZZ_SEED ?? '1',
      '--continue-on-failure',
      // Requests to providers have tests against replayed ones; a fuzzer must not send any.
      '--exclude-path-regex',
      '^/(feed/|providers/search|providers/[^/]+/(browse|search|series))',
    ],
    { SCHEMATHESIS_HOOKS: join(folder, 'hooks.py'), FUZZ_KEY_ID: String(keyId) },
  );

const command = findCommand();
if (command === undefined) {
  process.stderr.write('Schemathesis is not installed: pip install schemathesis (or set FUZZ_COMMAND)\n');
  process.exit(1);
}
const settings = {
  trustedProxies: '127.0.0.1',
  masterKeys: `fuzz:${randomBytes(32).toString('base64')}`,
};
const say = (line: string): void => console.log(line);
const { faults, kept } = await withDeployment({ apis: 1, workers: 1, settings, say }, async (deployment) => {
  const code = await fuzz(command, deployment);
  return { faults: code === 0 ? [] : [`Schemathesis ended with ${code}`] };
});
for (const line of faultLines(faults)) say(line);
if (kept !== undefined) say(`logs kept in ${kept}`);
process.exit(faults.length === 0 ? 0 : 1);
