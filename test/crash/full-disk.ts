/**
 * The disk of a component becomes full while files are uploaded, and gets room again; then the component is started again, which
 * shows what it could not write down. Uploads may be refused or wait meanwhile; those that were accepted complete afterwards,
 * and every version can be read. Downloads are whole, or refused with a time to come again; only those without PostgreSQL are.
 * The alert on ClickHouse's disk fires meanwhile, and ends.
 *
 * The small file system is a tmpfs, which only root may mount: this is a scenario of the command, not of CI.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Component } from '../harness/deployment.js';
import { count } from '../harness/report.js';
import { restart } from '../harness/restart.js';
import type { Outcome } from '../harness/sending.js';
import { createTable } from '../harness/steady-table.js';
import { expectToFire, type Scrape, scrape } from '../support/alerts.js';
import { type CrashOptions, type CrashReport, runCrash, type Scenario } from './crash-run.js';
import { type Downloads, readOnAndOn } from './persistent-reader.js';

const mib = 1024 * 1024;

/** Room that each component needs to start and to work for a while. */
const diskMib: Readonly<Record<Component, number>> = { clickhouse: 400, kafka: 400, postgres: 400 };

const loadMs = 12_000;
const fullMs = 25_000;
const recoveryMs = 120_000;
/** Between two looks of the API at the components. */
const watchMs = 1_000;

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Takes what is left of the file system, to the last page. */
const fill = (path: string, folder: string): void => {
  const file = openSync(path, 'a');
  const piece = Buffer.alloc(mib);
  try {
    for (let size = mib; size >= 4096; ) {
      try {
        writeSync(file, piece, 0, Math.min(size, freeBytes(folder) || size));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
        size /= 2;
      }
    }
  } finally {
    closeSync(file);
  }
};

/** Answer of the checked API process, late enough after a change that its next probe has run. */
const look = async ([api = '']: readonly string[]): Promise<Scrape> => {
  await sleep(2 * watchMs);
  return scrape([api.replace(/\/api$/, '')]);
};

const inWords = ({ whole, refused, cut }: Downloads): string =>
  `whole ${whole}, refused ${JSON.stringify(refused)}, cut ${cut}`;

/** The status, and the code of an error. */
const codeOf = (outcome: Outcome): string => {
  if (outcome.kind === 'broken') return 'broken';
  const { code = '' } = JSON.parse(outcome.body) as { code?: string };
  return `${outcome.status} ${code}`.trim();
};

const countOf = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) count(counts, name);
  return counts;
};

/** Without room for what PostgreSQL writes nothing can be looked up; the others are not asked, or only read. */
const checkDownloads = (component: Component, downloads: Downloads): string[] => {
  const { whole, refused, cut } = downloads;
  if (component === 'postgres') return [];
  const lost = Object.keys(refused).length + cut;
  return lost === 0 && whole > 0 ? [] : [`downloads while it was full: ${inWords(downloads)}`];
};

const becomesFull =
  (component: Component, folder: string): Scenario =>
  async ({ product, load, options: { say } }) => {
    const faults: string[] = [];
    const ballast = join(folder, 'ballast');
    const { entries } = load.ledger;
    const table = await createTable(product);
    // Its readers check it.
    load.ledger.unchecked.add(table.datasetId);
    const reader = readOnAndOn(table, product.authorization);

    /** Keeps the disk full for a while, and does something at each turn. */
    const stayFull = async (what: string, each: () => Promise<void>): Promise<void> => {
      const before = entries.length;
      reader.take();
      const until = Date.now() + fullMs;
      // Again and again: the component frees what it can.
      while (Date.now() < until) {
        fill(ballast, folder);
        await each();
        await sleep(200);
      }
      const downloads = reader.take();
      const seen = entries.slice(before).flatMap(({ outcome, hungUp }) => (hungUp ? [] : [outcome]));
      const refused = seen.filter((outcome) => outcome.kind === 'broken' || outcome.status === 503).length;
      const waiting = component === 'postgres' ? 0 : await product.pendingUploads();
      say(`${what}: uploads ended ${JSON.stringify(countOf(seen.map(codeOf)))}, waiting ${waiting}`);
      say(`${what}: downloads ${inWords(downloads)}`);
      if (refused + waiting === 0) faults.push(`the full disk of ${component} was not felt`);
      faults.push(...checkDownloads(component, downloads));
    };

    /** PostgreSQL begins its next file of log, for which there is no room either: it stops until there is. */
    const writeLog = async (): Promise<void> => {
      await product.sql.query('SELECT pg_switch_wal()').catch((error: Error) => {
        if (lastWords !== error.message) say(`PostgreSQL: ${error.message}`);
        lastWords = error.message;
      });
    };
    let lastWords = '';

    const beFull = async (): Promise<Scrape> => {
      try {
        await stayFull('while it was full', async () => undefined);
        if (component === 'postgres') await stayFull('while its log could not grow', writeLog);
        return component === 'clickhouse' ? await look(product.apis) : [];
      } finally {
        rmSync(ballast, { force: true });
      }
    };

    const becomeWhole = async (): Promise<boolean> => {
      const startedAt = Date.now();
      while (!(await product.isWhole())) {
        if (Date.now() - startedAt > recoveryMs) {
          faults.push(`${component} did not come back when it had room again`);
          return false;
        }
        await sleep(200);
      }
      say(`whole again after ${Date.now() - startedAt} ms`);
      return true;
    };

    const play = async (): Promise<void> => {
      await sleep(loadMs);
      say(`filling the disk of ${component}, ${Math.round(freeBytes(folder) / mib)} MiB are free`);
      const healthy = await look(product.apis);
      const broken = await beFull();
      if (!(await becomeWhole())) return;
      reader.take();
      await sleep(loadMs);
      say(`downloads afterwards: ${inWords(reader.take())}`);
      say(`${component} started again after ${await restart(product, component)} ms`);
      if (component !== 'clickhouse') return;
      const incident = { alert: 'TabularyDiskFull', healthy, broken, repaired: await look(product.apis) };
      await expectToFire(incident).catch((error: Error) => faults.push(error.message));
    };

    try {
      await play();
    } finally {
      faults.push(...(await reader.stop()));
    }
    return { cycles: 1, blows: [], faults };
  };

/** One run per component, each with a file system of its own that is unmounted afterwards. */
export const runFullDisk = async (options: CrashOptions, component: Component): Promise<CrashReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'tabulary-small-disk-'));
  const size = `size=${diskMib[component]}m,mode=755`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]);
  try {
    const settings = { watchIntervalMs: String(watchMs) };
    return await runCrash(
      { ...options, settings, smallDisk: { component, folder } },
      becomesFull(component, folder),
    );
  } finally {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  }
};
