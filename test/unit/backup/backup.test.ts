import { access, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBackup } from '../../../src/backup/backup.js';
import { createBackupFolder, damaged } from '../../../src/backup/backup-folder.js';
import { silentLog } from '../../../src/lib/log.js';
import { createGuardedStorage } from '../../../src/storage/objects/local-storage.js';
import type { CatalogSnapshot } from '../../../src/storage/postgres/catalog-copy.js';
import type { Sql } from '../../../src/storage/postgres/sql.js';

let place: string;
let spoolFolder: string;

beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'backup-'));
  spoolFolder = join(place, '.spool');
});

afterEach(() => rm(place, { recursive: true, force: true }));

const folderOf = () => createBackupFolder({ storage: createGuardedStorage(place, damaged), spoolFolder });

/** An installation without rows, and without tables if no source is given. */
const snapshotOf = (installation: string, source?: () => Readable): CatalogSnapshot => ({
  sql: {
    query: async (text: string) => {
      if (text.includes("'installation'")) return [{ at: new Date(), installation }];
      return text.includes('count(*)') ? [{ accounts: 1, datasets: 0, versions: 0 }] : [];
    },
  } as unknown as Sql,
  tables: source === undefined ? [] : [{ name: 'accounts', columns: ['id'] }],
  sequences: [],
  read: () => {
    if (source === undefined) throw new Error('there are no tables');
    return { source: source(), rows: () => 0 };
  },
});

interface Course {
  /** Runs when the hold was asked for, before it is given. */
  readonly beforeHold?: () => Promise<unknown>;
  /** Runs while rows are copied. */
  readonly duringRows?: () => Promise<unknown>;
  readonly requireHeld?: () => Promise<void>;
  readonly installation?: string;
  /** Content of the only table. */
  readonly source?: () => Readable;
}

const backupOf = ({
  beforeHold,
  duringRows,
  requireHeld = async () => undefined,
  installation = 'ours',
  source,
}: Course = {}) =>
  createBackup({
    folder: folderOf(),
    archive: {
      write: async () => {
        await duringRows?.();
        return [];
      },
      read: () => Promise.reject(new Error('a backup reads no rows of others')),
    } as unknown as Parameters<typeof createBackup>[0]['archive'],
    hold: async () => {
      await beforeHold?.();
      return { requireHeld, release: () => Promise.resolve() };
    },
    snapshot: (work) => work(snapshotOf(installation, source)),
    baseline: 'baseline',
    migrations: async () => [],
    exports: async () => ({ at: 'nowhere', files: 0, bytes: 0 }),
    product: '1.0.0',
    log: silentLog,
  });

const lost = (): Promise<never> => Promise.reject(new Error('the hold was lost'));

it('a backup fails with the error of PostgreSQL if that ends while a table is copied', async () => {
  const source = () =>
    Readable.from(
      (async function* () {
        yield Buffer.from('1\n');
        throw new Error('the connection was terminated');
      })(),
    );
  await expect(backupOf({ source }).run()).rejects.toThrow('the connection was terminated');
  expect(await folderOf().list()).toEqual([]);
});

describe('a backup next to others', () => {
  it('keeps a backup that another process completed before this one got its hold', async () => {
    let other = '';
    const own = await backupOf({
      beforeHold: async () => {
        other = (await backupOf().run()).id;
      },
    }).run();
    expect(own.removedFiles).toBe(0);
    expect(await folderOf().list()).toEqual([other, own.id].sort());
  });

  it('keeps a backup that another process completed meanwhile, after the hold was lost', async () => {
    let other = '';
    const own = await backupOf({
      duringRows: async () => {
        other = (await backupOf().run()).id;
      },
    }).run({ keep: 1 });
    expect(await folderOf().list()).toEqual([own.id, other].sort());
  });

  it('is not complete when the hold was lost, and removes nothing', async () => {
    const first = await backupOf().run();
    await expect(backupOf({ requireHeld: lost }).run({ keep: 1 })).rejects.toThrow('the hold was lost');
    expect(await folderOf().list()).toEqual([first.id]);
  });

  it('removes nothing when the hold was lost while it was completed', async () => {
    const first = await backupOf().run();
    let checks = 0;
    const requireHeld = async () => (++checks > 1 ? lost() : undefined);
    await expect(backupOf({ requireHeld }).run({ keep: 1 })).rejects.toThrow('the hold was lost');
    expect(await folderOf().list()).toContain(first.id);
  });

  it('removes earlier backups beyond `keep`, and files of interrupted ones', async () => {
    await backupOf().run();
    await mkdir(join(place, 'segments', 'killed'), { recursive: true });
    await writeFile(join(place, 'segments', 'killed', '1.native.zst'), 'part');
    const own = await backupOf().run({ keep: 1 });
    expect(own.removedFiles).toBe(3);
    expect(await folderOf().list()).toEqual([own.id]);
  });
});

describe('unfinished files', () => {
  beforeEach(async () => {
    await mkdir(spoolFolder, { recursive: true });
    await writeFile(join(spoolFolder, '4711-1'), 'part');
    await writeFile(join(spoolFolder, 'of-somebody-else'), '');
  });

  it('of killed backups are removed by the next one', async () => {
    await backupOf().run();
    expect(await readdir(spoolFolder)).toEqual(['of-somebody-else']);
  });

  it('stay when the folder belongs to another installation', async () => {
    await rm(spoolFolder, { recursive: true });
    await backupOf().run();
    await writeFile(join(spoolFolder, '4711-1'), 'part');
    await expect(backupOf({ installation: 'other' }).run()).rejects.toMatchObject({ code: 'foreign_backup' });
    await access(join(spoolFolder, '4711-1'));
  });
});
