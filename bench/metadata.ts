import { spawn } from 'node:child_process';
import { childEnvironment } from '../src/config.js';
import type { Bench } from './support/bench.js';
import { createDataset } from './support/client.js';
import type { Figure } from './support/figure.js';
import { addressOf, getRoutes, listsEverything, readsRows } from './support/get-routes.js';
import { fillMetadata, type MetadataShape } from './support/metadata.js';
import { peakMemoryMb } from './support/process-stats.js';
import type { RunningProduct } from './support/product.js';
import { type Fetched, fetchAll, inTurn } from './support/requests.js';
import { timeShortUpload } from './support/short-upload.js';
import { median, percentile } from './support/statistics.js';

const full: MetadataShape = {
  accounts: 500,
  teams: 100,
  datasets: 100_000,
  ownDatasets: 1_000,
  versionsPerDataset: 10,
  segmentsPerVersion: 3,
};

interface Run {
  readonly seconds: number;
  readonly peakMb: number;
}

/** Runs `npm run admin -- sweep` in its own process, to measure its memory. */
const sweep = (product: RunningProduct): Promise<Run> =>
  new Promise((resolve, reject) => {
    const env = childEnvironment({ ...product.access, logLevel: 'warn' });
    const child = spawn(process.execPath, ['dist/admin.js', 'sweep'], {
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const startedAt = performance.now();
    let peakMb = 0;
    const sampling = setInterval(() => {
      if (child.pid !== undefined && child.exitCode === null) peakMb = peakMemoryMb(child.pid) || peakMb;
    }, 50);
    child.once('error', reject);
    child.once('exit', (code) => {
      clearInterval(sampling);
      if (code === 0) resolve({ seconds: (performance.now() - startedAt) / 1000, peakMb });
      else reject(new Error(`the sweep exited with ${code}`));
    });
  });

const timesOf = (answers: readonly Fetched[]): number[] => {
  const wrong = answers.find(({ status }) => status !== 200);
  if (wrong !== undefined) throw new Error(`the product answered ${wrong.status}`);
  return answers.map(({ totalMs }) => totalMs);
};

const timing = (name: string, answers: readonly Fetched[], goal?: number): Figure[] => {
  const p50 = median(timesOf(answers));
  return [
    {
      name: `${name}, p50`,
      value: p50,
      unit: 'ms',
      ...(goal === undefined ? { better: 'lower' as const } : { goal: { atMost: goal } }),
    },
    { name: `${name}, p95`, value: percentile(timesOf(answers), 0.95), unit: 'ms', better: 'lower' },
  ];
};

/** Sets a retention on every fifth dataset, after which half of its versions are due for deletion. */
const limitRetention = async (
  product: RunningProduct,
  own: readonly number[],
  keep: number,
): Promise<number> => {
  const few = own.filter((_, at) => at % 5 === 0);
  for (const id of few) {
    const answer = await fetch(`${product.baseUrl}/datasets/${id}/retention`, {
      method: 'PUT',
      headers: { authorization: product.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ versions: keep, days: null }),
    });
    if (!answer.ok) throw new Error(`retention was not set: ${answer.status} ${await answer.text()}`);
  }
  return few.length;
};

/** Times one request to each GET route of the catalog. */
const timeRoutes = async (
  product: RunningProduct,
  { versionsPerDataset }: MetadataShape,
  own: readonly number[],
  turns: number,
): Promise<Figure[]> => {
  const get = (path: string) =>
    fetchAll(`${product.baseUrl}${path}`, { headers: { authorization: product.authorization } });
  const keys = await fetch(`${product.baseUrl}/account/keys`, {
    headers: { authorization: product.authorization },
  });
  const [key] = (await keys.json()) as { id: number }[];
  const first = own[0] ?? 0;
  const figures: Figure[] = [];
  for (const path of await getRoutes(product)) {
    const answers = await inTurn(turns, (turn) => {
      const dataset = own[(turn * 37) % own.length] ?? 0;
      // Version ids follow dataset ids; see support/metadata.ts.
      const version = first + (dataset - first) * versionsPerDataset + versionsPerDataset - 1;
      const ids = { dataset, version, repository: product.homeId, key: key?.id ?? 0 };
      return get(addressOf(path, ids));
    });
    const failed = answers.find(({ status }) => status >= 400 && status !== 403 && status !== 404);
    if (failed !== undefined) throw new Error(`GET ${path} answered ${failed.status}`);
    figures.push({
      name: `GET ${path}${readsRows(path) ? ', reading rows' : ''}, p50 (${answers[0]?.status})`,
      value: median(answers.map(({ totalMs }) => totalMs)),
      unit: 'ms',
      ...(listsEverything(path) || readsRows(path) ? { better: 'lower' as const } : { goal: { atMost: 50 } }),
    });
  }
  return figures;
};

/** Cost of reads, uploads and sweeps with 100,000 datasets, 1,000,000 versions and 3,000,000 segments. */
export const metadata: Bench = async ({ pick, say, report, product: open }) => {
  const shape = pick(full, { ...full, accounts: 20, teams: 5, datasets: 1_000, ownDatasets: 100 });
  // No sweep runs except those of this bench.
  const product = await open({
    storageSweepIntervalMs: '86400000',
    // The generated datasets look uncompacted; do not compact them now.
    compactionIntervalMs: '86400000',
    segmentGraceMs: '0',
    // A million new versions would keep these jobs busy for days.
    summariesAheadCells: '0',
    exportsAheadBytes: '0',
  });
  const dataset = await createDataset(product, `metadata ${Date.now()}`);
  await inTurn(pick(20, 2), () => timeShortUpload(product, dataset));
  const early = await inTurn(pick(50, 5), () => timeShortUpload(product, dataset));
  const { own, others } = await fillMetadata(product, shape, say);

  const turns = pick(100, 10);
  const get = (path: string) =>
    fetchAll(`${product.baseUrl}${path}`, { headers: { authorization: product.authorization } });
  const each = (suffix: string) =>
    inTurn(turns, (turn) => get(`/datasets/${own[(turn * 37) % own.length]}${suffix}`));
  report([
    { name: 'datasets', value: shape.datasets, unit: 'datasets' },
    ...timing(`list own ${shape.ownDatasets} datasets`, await inTurn(turns, () => get('/datasets')), 50),
    ...timing('read a dataset', await each('')),
    ...timing('list its versions', await each('/versions')),
    ...timing('read its rows', await each('/data?$format=json&$top=100')),
    ...timing('search', await inTurn(turns, (turn) => get(`/search?q=prices%20region%20${turn}`))),
  ]);
  report(await timeRoutes(product, shape, own, turns));
  if ((await get(`/datasets/${others[0]}`)).status !== 403)
    throw new Error('a dataset of another account was returned');

  const late = await inTurn(pick(50, 5), (turn) =>
    timeShortUpload(product, own[(turn * 37) % own.length] ?? 0),
  );
  report([
    { name: 'upload, p50 before', value: median(early), unit: 'ms', better: 'lower' },
    { name: 'upload, p50 in the full catalog', value: median(late), unit: 'ms', better: 'lower' },
    {
      name: 'upload, p50 in the full catalog over p50 before',
      value: median(late) / median(early),
      unit: '×',
      goal: { atMost: 1.3 },
      yardstick: { name: 'p50 before', value: median(early), unit: 'ms' },
    },
  ]);

  const first = await sweep(product);
  say(`swept in ${first.seconds.toFixed(1)} s`);
  const limited = await limitRetention(product, own, shape.versionsPerDataset / 2);
  const second = await sweep(product);
  return [
    { name: 'sweep of everything', value: first.seconds, unit: 's', goal: { atMost: 60 } },
    { name: 'sweep of everything, peak memory', value: first.peakMb, unit: 'MB', goal: { atMost: 200 } },
    {
      name: `sweep with retention of ${limited} datasets`,
      value: second.seconds,
      unit: 's',
      better: 'lower',
    },
    {
      name: 'sweep with retention, peak memory',
      value: second.peakMb,
      unit: 'MB',
      goal: { atMost: 200 },
    },
  ];
};
