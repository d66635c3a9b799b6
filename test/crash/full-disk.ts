/**
 * Fills the disk of a component during uploads, frees it, and restarts the component, which shows what it failed to write.
 * Meanwhile uploads may be refused or wait; accepted ones complete afterwards, and every version is readable. Downloads are
 * complete; only without PostgreSQL may they be refused, with Retry-After. The alert on ClickHouse's disk fires and resolves.
 *
 * The small file system is a tmpfs, which only root may mount, so this scenario does not run in CI.
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
import { type Downloads, startPersistentReader } from './persistent-reader.js';

const mib = 1024 * 1024;

/** Disk size with which a component can start and work for a while. */
const diskMib: Readonly<Record<Component, number>> = { clickhouse: 400, kafka: 400, postgres: 400 };

const loadMs = 12_000;
const fullMs = 25_000;
const recoveryMs = 120_000;
/** Interval of the API's component probes. */
const watchMs = 1_000;

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

/** Fills the file system to the last page. */
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

/** Scrapes metrics of the first API process after its next component probe. */
const scrapeAfterProbe = async ([api = '']: readonly string[]): Promise<Scrape> => {
  await sleep(2 * watchMs);
  return scrape([api.replace(/\/api$/, '')]);
};

const downloadsText = ({ whole, refused, cut }: Downloads): string =>
  `whole ${whole}, refused ${JSON.stringify(refused)}, cut ${cut}`;

/** Status and error code. */
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

/** Downloads need a working PostgreSQL; a full disk of another component must not affect them. */
const checkDownloads = (component: Component, downloads: Downloads): string[] => {
  const { whole, refused, cut } = downloads;
  if (component === 'postgres') return [];
  const lost = Object.keys(refused).length + cut;
  return lost === 0 && whole > 0 ? [] : [`downloads while the disk was full: ${downloadsText(downloads)}`];
};

const fillDisk =
  (component: Component, folder: string): Scenario =>
  async ({ product, load, options: { say } }) => {
    const faults: string[] = [];
    const ballast = join(folder, 'ballast');
    const { entries } = load.ledger;
    const table = await createTable(product);
    // Checked by its readers.
    load.ledger.unchecked.add(table.datasetId);
    const reader = startPersistentReader(table, product.authorization);

    /** Keeps the disk full for a while and calls `each` every time it is filled. */
    const stayFull = async (what: string, each: () => Promise<void>): Promise<void> => {
      const before = entries.length;
      reader.take();
      const until = Date.now() + fullMs;
      // Repeatedly, since the component frees space.
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
      say(`${what}: downloads ${downloadsText(downloads)}`);
      if (refused + waiting === 0) faults.push(`the full disk of ${component} had no effect`);
      faults.push(...checkDownloads(component, downloads));
    };

    /** Switches PostgreSQL to its next WAL file, for which there is no space: it stops until there is. */
    const switchWal = async (): Promise<void> => {
      await product.sql.query('SELECT pg_switch_wal()').catch((error: Error) => {
        if (lastError !== error.message) say(`PostgreSQL: ${error.message}`);
        lastError = error.message;
      });
    };
    let lastError = '';

    const runFull = async (): Promise<Scrape> => {
      try {
        await stayFull('while the disk was full', async () => undefined);
        if (component === 'postgres') await stayFull('while the WAL could not grow', switchWal);
        return component === 'clickhouse' ? await scrapeAfterProbe(product.apis) : [];
      } finally {
        rmSync(ballast, { force: true });
      }
    };

    const recover = async (): Promise<boolean> => {
      const startedAt = Date.now();
      while (!(await product.isWhole())) {
        if (Date.now() - startedAt > recoveryMs) {
          faults.push(`${component} did not recover after its disk was freed`);
          return false;
        }
        await sleep(200);
      }
      say(`ready again after ${Date.now() - startedAt} ms`);
      return true;
    };

    const play = async (): Promise<void> => {
      await sleep(loadMs);
      say(`filling the disk of ${component}, ${Math.round(freeBytes(folder) / mib)} MiB free`);
      const healthy = await scrapeAfterProbe(product.apis);
      const broken = await runFull();
      if (!(await recover())) return;
      reader.take();
      await sleep(loadMs);
      say(`downloads afterwards: ${downloadsText(reader.take())}`);
      say(`${component} restarted in ${await restart(product, component)} ms`);
      if (component !== 'clickhouse') return;
      const incident = {
        alert: 'TabularyDiskFull',
        healthy,
        broken,
        repaired: await scrapeAfterProbe(product.apis),
      };
      await expectToFire(incident).catch((error: Error) => faults.push(error.message));
    };

    try {
      await play();
    } finally {
      faults.push(...(await reader.stop()));
    }
    return { cycles: 1, disruptions: [], faults };
  };

/** Runs the scenario for a component on its own file system, which is unmounted afterwards. */
export const runFullDisk = async (options: CrashOptions, component: Component): Promise<CrashReport> => {
  const folder = mkdtempSync(join(tmpdir(), 'tabulary-small-disk-'));
  const size = `size=${diskMib[component]}m,mode=755`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tmpfs', folder]);
  try {
    const settings = { watchIntervalMs: String(watchMs) };
    return await runCrash(
      { ...options, settings, smallDisk: { component, folder } },
      fillDisk(component, folder),
    );
  } finally {
    execFileSync('umount', [folder]);
    rmSync(folder, { recursive: true });
  }
};
