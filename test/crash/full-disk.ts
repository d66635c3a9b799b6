/**
 * The disk of a component becomes full while files are uploaded, and gets room again; then the component is started anew, which
 * shows what it could not write down. Uploads may be refused or wait meanwhile; those that were accepted complete afterwards,
 * and every version can be read. The alert on ClickHouse's disk fires meanwhile, and ends.
 *
 * The small file system is a tmpfs, which only root may mount: this is a scenario of the command, not of CI.
 */
import { execFileSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectToFire, type Scrape, scrape } from '../support/alerts.js';
import { type CrashOptions, type CrashReport, runCrash, type Scenario } from './crash-run.js';
import type { Component } from './product.js';
import { restart } from './restart.js';

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

/** What the API process that is looked at says; long enough after a change that it has looked again. */
const look = async ([api = '']: readonly string[]): Promise<Scrape> => {
  await sleep(2 * watchMs);
  return scrape([api.replace(/\/api$/, '')]);
};

const becomesFull =
  (component: Component, folder: string): Scenario =>
  async ({ product, load, options: { say } }) => {
    const faults: string[] = [];
    const ballast = join(folder, 'ballast');
    const { entries } = load.ledger;
    await sleep(loadMs);
    say(`filling the disk of ${component}, ${Math.round(freeBytes(folder) / mib)} MiB are free`);
    const before = entries.length;
    const healthy = await look(product.apis);
    let broken: Scrape = [];
    const until = Date.now() + fullMs;
    try {
      // Again and again: the component frees what it can.
      while (Date.now() < until) {
        fill(ballast, folder);
        await sleep(200);
      }
      if (component === 'clickhouse') broken = await look(product.apis);
      const refused = entries.slice(before).filter(({ outcome }) => {
        return outcome.kind === 'broken' || outcome.status === 503;
      }).length;
      const waiting = component === 'postgres' ? 0 : await product.pendingUploads();
      say(`uploads while it was full: ${entries.length - before}, refused ${refused}, waiting ${waiting}`);
      if (refused + waiting === 0) faults.push(`the full disk of ${component} was not felt`);
    } finally {
      rmSync(ballast, { force: true });
    }
    const deadline = Date.now() + recoveryMs;
    while (!(await product.isWhole())) {
      if (Date.now() > deadline) {
        faults.push(`${component} did not come back when it had room again`);
        return { cycles: 1, blows: [], faults };
      }
      await sleep(200);
    }
    say('whole again');
    await sleep(loadMs);
    say(`${component} started anew after ${await restart(product, component)} ms`);
    if (component === 'clickhouse') {
      const incident = { alert: 'TabularyDiskFull', healthy, broken, mended: await look(product.apis) };
      await expectToFire(incident).catch((error: Error) => faults.push(error.message));
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
