/** Datasets for attacks, each created on first use. */
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import type { ProcessAnswer } from '../support/datasets.js';
import { type AttackClient, newName, type Reply } from './client.js';

export interface AttackDatasets {
  /** Public repository of the attacker. */
  repository(): Promise<number>;
  newDataset(): Promise<number>;
  /** Public, with many rows and two versions. */
  large(): Promise<{ readonly id: number; readonly versions: readonly [string, string] }>;
  /** Public, with very many columns, very long names, and many restored versions. */
  wide(): Promise<number>;
  /** Public, with column names of every length. */
  lengths(): Promise<{ readonly id: number; readonly names: readonly string[] }>;
  /** Uploads a file and waits for the process. */
  fill(datasetId: number, file: Buffer): Promise<ProcessAnswer>;
}

const boundary = 'attack-boundary-51c7';

export const formOf = (file: Buffer, fields: readonly (readonly [string, string])[] = []): Buffer =>
  Buffer.concat([
    ...fields.map(([name, value]) =>
      Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`),
    ),
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\n\r\n`),
    file,
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);

export const formType = `multipart/form-data; boundary=${boundary}`;

const numbered = (rows: number, from: number): Buffer => {
  const line = (row: number): string =>
    `k${row},${row % 97},${(row * 7919) % 1_000_003}.5,text of row ${row}`;
  const lines = Array.from({ length: rows }, (_, at) => line(from + at));
  return gzipSync(Buffer.from(`key,group,value,note\n${lines.join('\n')}\n`), { level: 1 });
};

const once = <T>(create: () => Promise<T>): (() => Promise<T>) => {
  let created: Promise<T> | undefined;
  return () => {
    created ??= create();
    return created;
  };
};

const requireStatus = (reply: Reply, status: number, what: string): Reply => {
  if (reply.status !== status)
    throw new Error(`${what} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return reply;
};

const idOf = (reply: Reply, what: string): number =>
  (JSON.parse(requireStatus(reply, 201, what).text) as { id: number }).id;

export const createAttackDatasets = (client: AttackClient): AttackDatasets => {
  const { key } = client.target;
  const post = (path: string, body?: object): Promise<Reply> =>
    client.send(path, {
      method: 'POST',
      key,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
  const repository = once(async () =>
    idOf(await post('/repositories', { name: newName(), privacy: 'Public' }), 'a repository'),
  );
  const newDataset = async (): Promise<number> =>
    idOf(await post('/datasets', { name: newName(), repositoryId: await repository() }), 'a dataset');

  const fill: AttackDatasets['fill'] = async (datasetId, file) => {
    const path = `/datasets/${datasetId}`;
    const sent = await client.send(`${path}/data`, {
      method: 'PUT',
      key,
      headers: { 'content-type': formType },
      body: formOf(file),
    });
    let process = JSON.parse(requireStatus(sent, 201, 'an upload').text) as ProcessAnswer;
    while (process.status === 'pending') {
      await sleep(100);
      const { text } = await client.send(`${path}/processes/${process.id}`, { key });
      process = JSON.parse(text) as ProcessAnswer;
    }
    if (process.status === 'failed') throw new Error(`an upload failed: ${JSON.stringify(process.error)}`);
    return process;
  };

  const large = once(async () => {
    const id = await newDataset();
    const rows = client.pick(2_000_000, 60_000);
    const first = await fill(id, numbered(rows, 0));
    const second = await fill(id, numbered(rows, Math.round(rows / 2)));
    return { id, versions: [first.versionId ?? '', second.versionId ?? ''] as const };
  });

  const wide = once(async () => {
    const id = await newDataset();
    const columns = client.pick(10_000, 1_500);
    const names = Array.from({ length: columns }, (_, at) => `${at}`.padEnd(client.pick(1_600, 400), 'n'));
    const file = Buffer.from(`${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`);
    const { versionId } = await fill(id, file);
    const restores = client.pick(150, 10);
    for (let turn = 0; turn < restores; turn += 1)
      await post(`/datasets/${id}/versions/${versionId}/restore`);
    return id;
  });

  const lengths = once(async () => {
    const id = await newDataset();
    const names = Array.from({ length: client.pick(1_988, 300) }, (_, at) => 'x'.repeat(at + 2));
    const file = Buffer.from(`${names.join(',')}\n${names.map((_, at) => at).join(',')}\n`);
    await fill(id, file);
    return { id, names };
  });

  return { repository, newDataset, large, wide, lengths, fill };
};
