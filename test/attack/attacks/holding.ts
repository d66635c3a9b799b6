/** Connections that hold on to shared resources. */

import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { Attack } from '../attack.js';
import { type AttackClient, inLoops, keepOpen } from '../client.js';
import { formOf, formType } from '../datasets.js';

const unread = (client: AttackClient, count: number, signal: AbortSignal, path: string): Promise<void> =>
  keepOpen(count, signal, () => client.leaveUnread(path));

const unreadDownloads: Attack = {
  name: 'unread-downloads',
  does: '100 anonymous downloads that are never read',
  prepare: (_client, datasets) => datasets.large(),
  run: async (client, datasets, signal) => {
    const { id } = await datasets.large();
    await Promise.all(
      ['?$skip=0', '?$format=json', '?$format=xlsx', '.parquet'].map((rest) =>
        unread(client, 25, signal, `/datasets/${id}/data${rest}`),
      ),
    );
  },
};

const unreadColumns: Attack = {
  name: 'unread-columns',
  does: '280 lists of 10,000 columns that are never read',
  prepare: (_client, datasets) => datasets.wide(),
  run: async (client, datasets, signal) =>
    unread(client, client.pick(280, 100), signal, `/datasets/${await datasets.wide()}/columns`),
};

const slowUploads: Attack = {
  name: 'slow-uploads',
  does: '40 uploads by one account at 1.2 kB/s',
  prepare: (_client, datasets) => datasets.newDataset(),
  run: async (client, datasets, signal) => {
    const id = await datasets.newDataset();
    const head = formOf(Buffer.from('a,b\n')).subarray(0, -30);
    await inLoops(40, signal, async () => {
      const outgoing = client.begin(`/datasets/${id}/data`, {
        method: 'PUT',
        key: client.target.key,
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
  does: 'uploads of 1 GiB of rows in 1 MB of gzip, four concurrently',
  prepare: (_client, datasets) => datasets.newDataset(),
  run: async (client, datasets, signal) => {
    const rows = Buffer.from('0,0\n'.repeat(16 * 1024 * 1024));
    const part = gzipSync(rows.subarray(0, client.pick(rows.length, rows.length / 8)), { level: 9 });
    // A gzip file may consist of several members.
    const file = Buffer.concat([
      gzipSync('a,b\n'),
      ...Array.from({ length: client.pick(16, 2) }, () => part),
    ]);
    const body = formOf(file);
    const headers = { 'content-type': formType };
    await inLoops(4, signal, async () => {
      const id = await datasets.newDataset();
      await client.send(`/datasets/${id}/data`, { method: 'PUT', key: client.target.key, headers, body });
      await sleep(client.pick(1_000, 200));
    });
  },
};

const eventStreams: Attack = {
  name: 'event-streams',
  does: '400 event streams of one account, never read',
  prepare: (_client, datasets) => datasets.newDataset(),
  run: async (client, datasets, signal) => {
    const id = await datasets.newDataset();
    const { key } = client.target;
    // The process stays pending while its file is being sent.
    const outgoing = client.begin(`/datasets/${id}/data`, {
      method: 'PUT',
      key,
      headers: { 'content-type': formType },
    });
    const rows = Buffer.from('1,2\n'.repeat(6 * 1024 * 1024));
    outgoing.write(formOf(Buffer.concat([Buffer.from('a,b\n'), rows])).subarray(0, -30));
    let process: number | undefined;
    for (let turn = 0; turn < 20 && process === undefined && !signal.aborted; turn += 1) {
      await sleep(100);
      const { status, text } = await client.send(`/datasets/${id}/processes`, { key });
      if (status === 200) process = (JSON.parse(text) as { id: number }[])[0]?.id;
    }
    const path = `/datasets/${id}/processes/${process ?? 0}/events`;
    await keepOpen(client.pick(400, 120), signal, () => client.leaveUnread(path, { key }));
  },
};

const shortUploads: Attack = {
  name: 'short-uploads',
  does: 'single-row uploads by one account, 32 concurrently',
  prepare: (_client, datasets) => datasets.newDataset(),
  run: async (client, datasets, signal) => {
    const id = await datasets.newDataset();
    const body = formOf(Buffer.from('a,b\n1,2\n'), [['mode', 'append']]);
    const headers = { 'content-type': formType };
    await inLoops(32, signal, () =>
      client.send(`/datasets/${id}/data`, { method: 'PUT', key: client.target.key, headers, body }),
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
