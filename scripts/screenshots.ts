/**
 * Writes the pictures of README and guide into docs/images: `npm run screenshots`. Starts the product on a scratch folder
 * (or on the servers that DATABASE_URL, KAFKA_BROKERS and CLICKHOUSE_URL name, which have to be empty), gives the sample
 * table of the first start a second version, and looks at it in Chromium. A plain visit of each page; it fails on any
 * error of a script.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium, type Page } from 'playwright-core';
import { sampleTable } from '../src/tour/sample-table.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs/images');
const startMs = 300_000;

const executablePath = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
);

interface Started {
  readonly child: ChildProcess;
  readonly address: string;
  readonly key: string;
}

/** Starts the product. Resolves when the first start has shown address and key, and its tour is over. */
const start = (dataDir: string): Promise<Started> => {
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: root,
    env: { ...process.env, PORT: '0', WORKER_PORT: '0', DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return new Promise((resolve, reject) => {
    let said = '';
    const timer = setTimeout(() => reject(new Error(`the product did not start:\n${said}`)), startMs);
    child.once('exit', (code) => reject(new Error(`the product ended with ${code}:\n${said}`)));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const key = /\btab_[\w-]+/.exec(said)?.[0];
      const address = /http:\/\/[\d.]+:\d+/.exec(said)?.[0];
      if (key === undefined || address === undefined || !said.includes('Ctrl-C')) return;
      clearTimeout(timer);
      resolve({ child, address, key });
    });
  });
};

const stop = async ({ child }: Started): Promise<void> => {
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await ended;
};

/** The sample with another last year: what a comparison of versions shows. */
const secondTable = (): string =>
  sampleTable()
    .split('\n')
    .map((line) => (line.startsWith('2025-') ? line.replace(/,(\d+)\.\d,/, ',$1.5,') : line))
    .join('\n');

const sendSecond = async ({ address, key }: Started): Promise<void> => {
  const form = new FormData();
  form.set('data', new Blob([secondTable()], { type: 'text/csv' }), 'electricity.csv');
  const answer = await fetch(`${address}/api/datasets/1/data?async=false&wait=55`, {
    method: 'PUT',
    headers: { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
    body: form,
  });
  if (!answer.ok) throw new Error(`the second version was answered ${answer.status}: ${await answer.text()}`);
};

interface Picture {
  readonly name: string;
  readonly path: string;
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  readonly height?: number;
  /** Steps before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<void>;
}

const filter = encodeURIComponent("Region eq 'North' and Source in ('Wind','Solar')");

const pictures: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'grid', path: '/datasets/1' },
  { name: 'grid-dark', path: '/datasets/1', theme: 'dark' },
  { name: 'grid-phone', path: '/datasets/1', width: 390, height: 760 },
  { name: 'filter', path: `/datasets/1?$filter=${filter}` },
  { name: 'chart', path: `/datasets/1/chart?$filter=${filter}`, height: 1_120 },
  { name: 'chart-dark', path: `/datasets/1/chart?$filter=${filter}`, theme: 'dark', height: 1_120 },
  { name: 'versions', path: '/datasets/1/versions?from=1&to=2', height: 1_000 },
  {
    name: 'upload',
    path: '/upload',
    prepare: async (page) => {
      await page.setInputFiles('input[type=file]', {
        name: 'prices.csv',
        mimeType: 'text/csv',
        buffer: Buffer.from(
          'Month,Country,Price\n2024-01,Norway,1.50\n2024-02,Norway,2.25\n2024-01,Chile,\n',
        ),
      });
    },
  },
  { name: 'providers', path: '/providers' },
  { name: 'console', path: '/ops', height: 940 },
  { name: 'console-dark', path: '/ops/lag?hours=1', theme: 'dark', height: 940 },
];

const take = async (browser: Browser, { address, key }: Started, picture: Picture): Promise<void> => {
  const { name, path, theme = 'light', width = 1_280, height = 800, prepare } = picture;
  const context = await browser.newContext({
    baseURL: address,
    viewport: { width, height },
    colorScheme: theme,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  await page.request.post('/api/session', { headers: { Authorization: authorization } });
  const answer = await page.goto(path);
  if (answer?.status() !== 200) throw new Error(`${path} was answered ${answer?.status()}`);
  await prepare?.(page);
  await page.waitForLoadState('networkidle');
  // Nothing says that a chart is drawn or that columns have their summaries.
  await page.waitForTimeout(2_000);
  await page.screenshot({ path: join(images, `${name}.png`) });
  await context.close();
  if (faults.length > 0) throw new Error(`${path}: ${faults.join('; ')}`);
  console.log(`docs/images/${name}.png`);
};

const run = async (): Promise<void> => {
  if (executablePath === undefined)
    throw new Error('Chromium is missing: apt-get install chromium, or set CHROMIUM to its path');
  mkdirSync(images, { recursive: true });
  const dataDir = await mkdtemp(join(tmpdir(), 'tabulary-screenshots-'));
  const started = await start(dataDir);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    await sendSecond(started);
    for (const picture of pictures) await take(browser, started, picture);
  } finally {
    await browser.close();
    await stop(started);
    await rm(dataDir, { recursive: true, force: true });
  }
};

await run();
