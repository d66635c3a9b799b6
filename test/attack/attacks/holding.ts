/** Connections that hold what others want. */

import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { type Ground, inLines, keepOpen } from '../ground.js';
import { formOf, formType } from '../stock.js';

const unread = (ground: Ground, count: number, signal: AbortSignal, path: string): Promise<void> =>
  keepOpen(count, signal, () => ground.leaveUnread(path));

const unreadDownloads: Attack = {
  name: 'unread-downloads',
  does: '100 anonymous downloads that are never read',
  prepare: (_ground, stock) => stock.large(),
  run: async (ground, stock, signal) => {
    const { id } = await stock.large();
    await Promise.all(
      ['?$skip=0', '?$format=json', '?$format=xlsx', '.parquet'].map((rest) =>
        unread(ground, 25, signal, `/datasets/${id}/data${rest}`),
      ),
    );
  },
};

const unreadColumns: Attack = {
  name: 'unread-columns',
  does: '280 lists of 10,000 columns that are never read',
  prepare: (_ground, stock) => stock.wide(),
  run: async (ground, stock, signal) =>
    unread(ground, ground.pick(280, 100), signal, `/datasets/${await stock.wide()}/columns`),
};

const slowUploads: Attack = {
  name: 'slow-uploads',
  does: '40 uploads of one account at 1.2 kB/s',
  prepare: (_ground, stock) => stock.newDataset(),
  run: async (ground, stock, signal) => {
    const id = await stock.newDataset();
    const head = formOf(Buffer.from('a,b\n')).subarray(0, -30);
    await inLines(40, signal, async () => {
      const outgoing = ground.begin(`/datasets/${id}/data`, {
        method: 'PUT',
        key: ground.place.key,
        headers: { 'content-type': formType },
      });
      outgoing.on('response', (answer) => answer.resume());
      outgoing.write(head);
      while (!signal.aborted && !outgoing.destroyed && !outgoing.writableEnded) {
        outgoing.write('1,2\n'.repeat(75));
        await sleep(250);
      }
      outgoing.destroy();
    });
  },
};

const gzipBombs: Attack = {
  name: 'gzip-bombs',
  does: 'uploads of 1 GiB of rows in 1 MB of gzip, four at a time',
  prepare: (_ground, stock) => stock.newDataset(),
  run: async (ground, stock, signal) => {
    const rows = Buffer.from('0,0\n'.repeat(16 * 1024 * 1024));
    const part = gzipSync(rows.subarray(0, ground.pick(rows.length, rows.length / 8)), { level: 9 });
    // Members of a gzip file follow one another.
    const file = Buffer.concat([
      gzipSync('a,b\n'),
      ...Array.from({ length: ground.pick(16, 2) }, () => part),
    ]);
    const body = formOf(file);
    const headers = { 'content-type': formType };
    await inLines(4, signal, async () => {
      const id = await stock.newDataset();
      await ground.hit(`/datasets/${id}/data`, { method: 'PUT', key: ground.place.key, headers, body });
      await sleep(ground.pick(1_000, 200));
    });
  },
};

const eventStreams: Attack = {
  name: 'event-streams',
  does: '400 event streams of one account, never read',
  prepare: (_ground, stock) => stock.newDataset(),
  run: async (ground, stock, signal) => {
    const id = await stock.newDataset();
    const { key } = ground.place;
    // A process is pending while its file is sent.
    const outgoing = ground.begin(`/datasets/${id}/data`, {
      method: 'PUT',
      key,
      headers: { 'content-type': formType },
    });
    const rows = Buffer.from('1,2\n'.repeat(6 * 1024 * 1024));
    outgoing.write(formOf(Buffer.concat([Buffer.from('a,b\n'), rows])).subarray(0, -30));
    let process: number | undefined;
    for (let turn = 0; turn < 20 && process === undefined && !signal.aborted; turn += 1) {
      await sleep(100);
      const { status, text } = await ground.hit(`/datasets/${id}/processes`, { key });
      if (status === 200) process = (JSON.parse(text) as { id: number }[])[0]?.id;
    }
    const path = `/datasets/${id}/processes/${process ?? 0}/events`;
    await keepOpen(ground.pick(400, 120), signal, () => ground.leaveUnread(path, { key }));
  },
};

const shortUploads: Attack = {
  name: 'short-uploads',
  does: '32 lines of uploads of one row by one account',
  prepare: (_ground, stock) => stock.newDataset(),
  run: async (ground, stock, signal) => {
    const id = await stock.newDataset();
    const body = formOf(Buffer.from('a,b\n1,2\n'), [['mode', 'append']]);
    const headers = { 'content-type': formType };
    await inLines(32, signal, () =>
      ground.hit(`/datasets/${id}/data`, { method: 'PUT', key: ground.place.key, headers, body }),
    );
  },
};

export const holding: readonly Attack[] = [
  unreadDownloads,
  unreadColumns,
  slowUploads,
  gzipBombs,
  eventStreams,
  shortUploads,
];
