/**
 * `npm run test:fuzz`: runs Schemathesis with all checks against a deployment of its own.
 *
 *   FUZZ_EXAMPLES    cases per operation and phase; default 400, more than 10,000 in total
 *   FUZZ_SEED        seed; default 1
 *   FUZZ_COMMAND     command of Schemathesis; default `schemathesis`, then `uvx schemathesis`
 */
import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Deployment } from '../harness/deployment.js';
import { faultLines } from '../harness/report.js';
import { withDeployment } from '../harness/with-deployment.js';

const folder = fileURLToPath(new URL('.', import.meta.url));

/** Returns the first command that works, or undefined if Schemathesis is not installed. */
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
      // A fuzzer must not call providers; tests cover them with replayed responses.
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
  return { faults: code === 0 ? [] : [`Schemathesis exited with ${code}`] };
});
for (const line of faultLines(faults)) say(line);
if (kept !== undefined) say(`logs kept in ${kept}`);
process.exit(faults.length === 0 ? 0 : 1);
