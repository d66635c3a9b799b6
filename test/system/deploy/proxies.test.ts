/** The configurations in deploy/examples in front of API processes that are restarted or lose ClickHouse. */
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { sendSignal } from '../../../src/embedded/process-identity.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { type Deployment, startDeployment } from '../../harness/deployment.js';
import { restart } from '../../harness/restart.js';
import { createTable, type SteadyTable, steadyNumbers, steadyText } from '../../harness/steady-table.js';
import { type CurlAnswer, curl } from '../../support/curl.js';
import { testWith } from '../../support/optional-tools.js';
import {
  type RunningProxy,
  startDefaultNginx,
  startExampleHaproxy,
  startExampleNginx,
  type Upstreams,
} from '../../support/proxies.js';

const it = await testWith('nginx', 'haproxy', 'curl', 'openssl');

const scope = createScope(silentLog);
let product: Deployment;
let table: SteadyTable;
let folder: string;
let file: string;
let plain: RunningProxy & { readonly tlsUrl: string };
let nginx: RunningProxy;
let haproxy: RunningProxy;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tabulary-proxies-'));
  // As in the deployments: a stopping process finishes its requests.
  const settings = { drainTimeoutMs: '30000' };
  product = await startDeployment({
    dataDir: folder,
    apis: 2,
    workers: 1,
    settings,
    log: silentLog,
    scope,
  });
  table = await createTable(product);
  file = join(folder, 'data.csv');
  await writeFile(file, steadyText(steadyNumbers.slice(0, 20_000)));
  const [one = '', two = ''] = product.apis.map((api) => new URL(api).host);
  const upstreams: Upstreams = [one, two];
  [plain, nginx, haproxy] = await Promise.all([
    startDefaultNginx(upstreams),
    startExampleNginx({ upstreams }),
    startExampleHaproxy({ upstreams }),
  ]);
});
afterAll(async () => {
  for (const proxy of [plain, nginx, haproxy]) await proxy?.close();
  await scope.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const ask = (...args: string[]): Promise<CurlAnswer> =>
  curl('-H', `Authorization: ${product.authorization}`, ...args);
const below = (origin: string, url: string): string => origin + url.slice(new URL(url).origin.length);
const isWhole = ({ body }: CurlAnswer): boolean =>
  createHash('sha256').update(body).digest('hex') === table.sha256;
const looksComplete = ({ exit, status }: CurlAnswer): boolean => exit === 0 && status === 200;

const pidOf = (name: string): number => {
  const pid = product.pid(name);
  if (pid === undefined) throw new Error(`${name} is not running`);
  return pid;
};

/** Proxies and protocol versions. */
const ways: readonly [name: string, origin: () => string, args: string[]][] = [
  ['nginx, HTTP/1.1', () => nginx.url, ['--http1.1']],
  ['nginx, HTTP/2', () => nginx.url, ['--http2']],
  ['HAProxy', () => haproxy.url, []],
];

/** Repeats all work concurrently until the scenario has ended. */
const runDuring = async (
  work: readonly (() => Promise<void>)[],
  scenario: () => Promise<void>,
): Promise<void> => {
  let hasEnded = false;
  const workers = work.map(async (once) => {
    while (!hasEnded) await once();
  });
  try {
    await scenario();
  } finally {
    hasEnded = true;
    await Promise.all(workers);
  }
};

describe('behind the example configurations', () => {
  it('no client sees an error while the API processes are restarted in turn', async () => {
    const faults: string[] = [];
    const restarts: string[] = [];
    const done = { rows: 0, files: 0, uploads: 0 };
    const note = (what: string, { exit, status, error, body }: CurlAnswer): void => {
      const start = status < 400 ? '' : ` ${body.subarray(0, 200)}`;
      faults.push(
        `${new Date().toISOString()} ${what}: exit ${exit}, status ${status}, ${body.length} bytes ${error}${start}`,
      );
    };
    const made = await ask(
      ...['-H', 'Content-Type: application/json', `${product.apis[0]}/datasets`, '-d'],
      JSON.stringify({ name: 'sent', repositoryId: product.homeId }),
    );
    const { id } = JSON.parse(String(made.body)) as { id: number };
    const work = ways.flatMap(([name, origin, args]) => [
      async () => {
        const answer = await ask(...args, below(origin(), table.rowsUrl));
        if (looksComplete(answer) && isWhole(answer)) done.rows += 1;
        else note(`rows by ${name}`, answer);
      },
      async () => {
        const answer = await ask(...args, '--location', below(origin(), table.wholeUrl));
        if (looksComplete(answer) && isWhole(answer)) done.files += 1;
        else note(`file by ${name}`, answer);
      },
      async () => {
        const answer = await ask(
          ...[...args, '-X', 'PUT', '--form', `data=@${file}`],
          below(origin(), `${product.apis[0]}/datasets/${id}/data`),
        );
        if (answer.exit === 0 && answer.status === 201) done.uploads += 1;
        else note(`upload by ${name}`, answer);
      },
    ]);
    await runDuring(work, async () => {
      for (const name of ['api-1', 'api-2', 'api-1']) {
        const startedAt = new Date().toISOString();
        await restart(product, name);
        restarts.push(`${name} from ${startedAt} to ${new Date().toISOString()}`);
      }
    });
    const logged = (await nginx.log()).split('\n').filter((line) => /"status":5/.test(line));
    expect(faults, [...faults, ...restarts, ...logged].join('\n')).toEqual([]);
    for (const count of Object.values(done)) expect(count).toBeGreaterThan(ways.length);
    await expect.poll(() => product.pendingUploads()).toBe(0);
    const [failed] = await product.sql.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM processes WHERE status = 'failed'`,
    );
    expect(failed?.n).toBe(0);
  });
});

describe('HAProxy with readiness checks', () => {
  /** Longer than HAProxy takes to mark a server down: two checks of up to 5 s, one second apart. */
  const checkedMs = 13_000;
  const readRecord = () => ask(below(haproxy.url, `${product.apis[0]}/datasets/${table.datasetId}`));
  const faultsUntilChecked = async (): Promise<string[]> => {
    const faults: string[] = [];
    for (const end = Date.now() + checkedMs; Date.now() < end; await sleep(100)) {
      const { status, body } = await readRecord();
      if (status !== 200) faults.push(`${status} ${body.subarray(0, 200)}`);
    }
    return faults;
  };

  it('serves requests that need no ClickHouse while ClickHouse hangs', async () => {
    const clickhouse = pidOf('clickhouse');
    sendSignal(clickhouse, 'SIGSTOP');
    try {
      expect(await faultsUntilChecked()).toEqual([]);
    } finally {
      sendSignal(clickhouse, 'SIGCONT');
      await expect.poll(() => product.isWhole()).toBe(true);
    }
  });

  it('still forwards requests when the checks of all processes fail', async () => {
    for (const name of ['api-1', 'api-2']) sendSignal(pidOf(name), 'SIGUSR1');
    try {
      expect(await faultsUntilChecked()).toEqual([]);
      const states = await Promise.all(product.apis.map((api) => fetch(new URL('/readyz', api))));
      expect(states.map(({ status }) => status)).toEqual([503, 503]);
    } finally {
      await Promise.all(['api-1', 'api-2'].map((name) => restart(product, name)));
    }
  });
});

describe('behind the example configurations, default nginx, and no proxy', () => {
  it('no truncated download looks complete when ClickHouse and API processes are killed', async () => {
    const everyWay: typeof ways = [
      ...ways,
      ['nginx by default', () => plain.url, []],
      ['nginx by default, HTTP/2', () => plain.tlsUrl, ['--http2']],
      ['nginx by default, HTTP/1.0', () => plain.url, ['--http1.0']],
      ['nginx, HTTP/1.0', () => nginx.url, ['--http1.0']],
      ['HAProxy, HTTP/1.0', () => haproxy.url, ['--http1.0']],
      ['no proxy, HTTP/1.0', () => new URL(product.apis[0] ?? '').origin, ['--http1.0']],
    ];
    const truncated: string[] = [];
    const seen = { whole: 0, broken: 0 };
    const work = everyWay.flatMap(([name, origin, args]) =>
      [table.rowsUrl, `${table.rowsUrl}&$format=tsv`].map((url, at) => async () => {
        const answer = await ask(...args, '--limit-rate', '3M', below(origin(), url));
        if (!looksComplete(answer)) seen.broken += 1;
        else if (at === 0 ? isWhole(answer) : answer.body.length > 0 && String(answer.body).endsWith('\r\n'))
          seen.whole += 1;
        else truncated.push(`${name}: ${answer.body.length} bytes`);
      }),
    );
    await runDuring(work, async () => {
      for (const name of ['clickhouse', 'api-1', 'clickhouse']) {
        // Long enough for whole downloads in between.
        await sleep(2_000);
        const before = pidOf(name);
        sendSignal(before, 'SIGKILL');
        while (product.pid(name) === before || !(await product.isWhole())) await sleep(100);
      }
    });
    expect(truncated, truncated.join('\n')).toEqual([]);
    expect(seen.whole).toBeGreaterThan(0);
    expect(seen.broken).toBeGreaterThan(0);
  });
});
