import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../harness/random.js';
import type { ProcessAnswer } from '../support/datasets.js';
import { type Mode, makeFile, type UploadFile } from './contents.js';
import type { History } from './history.js';
import type { Person } from './rights.js';
import { isDone } from './verdicts.js';
import type { World } from './world.js';

/** Row count above which the next upload replaces the dataset. */
const manyRows = 2_500;

interface Sent {
  readonly person: Person;
  readonly dataset: History;
  readonly file: UploadFile;
  readonly expected: number | undefined;
  readonly from: number;
  /** Time when the last part was sent; it cannot be published before. @default `from` */
  readonly complete?: number;
  cancelled: boolean;
}

const modeOf = (random: Random, rows: number): Mode =>
  rows > manyRows ? 'replace' : random.weighted({ replace: 3, append: 5, upsert: 4 });

/** Returns whether the upload may have failed with this code. */
const mayFail = (world: World, sent: Sent, code: string | undefined, to: number): boolean => {
  if (code === 'cancelled') return sent.cancelled;
  if (code === 'other_version') return sent.expected !== undefined;
  if (code !== 'permission_ended') return false;
  return world.allows(sent.person, sent.dataset, 'Write', { from: sent.from, to }) !== 'yes';
};

/** Polls an accepted upload until it ends and records the outcome in the history. */
const follow = async (world: World, sent: Sent, processId: number): Promise<void> => {
  const { dataset, file, from } = sent;
  const name = `upload ${file.number} (${file.mode}, ${file.rows.length} rows) of dataset ${dataset.datasetId}`;
  const until = from + 90_000;
  for (let pauseMs = 10; performance.now() < until; pauseMs = Math.min(150, pauseMs * 1.5)) {
    await sleep(pauseMs);
    const reply = await world.request(
      dataset.owner,
      'GET',
      `/datasets/${dataset.datasetId}/processes/${processId}`,
    );
    if (reply.busy) continue;
    if (reply.status === 404 && dataset.mayBeGone(reply.span)) return dataset.addLost(file, from);
    if (reply.status !== 200) return world.fault(`${name}: its process answers ${reply.status}`);
    const { status, versionId, error } = reply.json<ProcessAnswer>();
    if (status === 'pending') continue;
    world.count(`upload ${status} ${error?.code ?? ''}`.trim());
    const { to } = reply.span;
    if (status === 'completed') {
      if (world.allows(sent.person, dataset, 'Write', { from: sent.complete ?? from, to }) === 'no')
        world.fault(`${name}: published without permission`);
      const origin = { kind: 'upload', file, expected: sent.expected } as const;
      return dataset.addVersion({ id: Number(versionId), made: { from, to }, origin });
    }
    if (!mayFail(world, sent, error?.code, to))
      world.fault(`${name}: failed, ${error?.code} ${error?.message.slice(0, 200)}`);
    return;
  }
  world.fault(`${name}: still pending after ${Math.round((performance.now() - from) / 1000)} s`);
  dataset.addLost(file, from);
};

interface Current {
  readonly currentVersionId: string | null;
  readonly rowCount: number;
}

const boundary = 'concurrency-2f19';

const formOf = ({ mode, csv, isRejected }: UploadFile): string => {
  const field = (name: string, value: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="data"; filename="data.csv"\r\n\r\n`;
  const last = mode === 'upsert' ? field('onDuplicateKey', 'last') : '';
  const quarantine = isRejected ? field('onBadRow', 'quarantine') : '';
  return `${field('mode', mode)}${last}${quarantine}${head}${csv}\r\n--${boundary}--\r\n`;
};

/** Sets the guest's level on the repository; returns false if that failed. */
const setGuest = async (world: World, level: 'Write' | 'none'): Promise<boolean> => {
  const path = `/repositories/${world.repositoryId}/permissions/guest`;
  const end = world.guest.change(level);
  const reply =
    level === 'none'
      ? await world.request('owner', 'DELETE', path)
      : await world.request('owner', 'PUT', path, { body: { level } });
  end();
  if (reply.status === 200 || reply.status === 204) return true;
  if (!reply.busy) world.fault(`setting the guest to ${level}: ${reply.status} ${reply.text.slice(0, 200)}`);
  return false;
};

let isRunning = false;

/** Revokes the guest's permission during an upload, which then must not be published. */
export const revokedUpload = async (world: World, random: Random, _person: Person, dataset: History) => {
  if (dataset.owner !== 'owner' || isRunning) return;
  isRunning = true;
  try {
    if (!(await setGuest(world, 'Write'))) return;
    const file = makeFile(random, world.nextNumber(), random.pick(['replace', 'append', 'upsert']));
    const form = formOf(file);
    let sendRest: () => void = () => undefined;
    const revoked = new Promise<void>((resolve) => {
      sendRest = resolve;
    });
    const pieces = async function* (): AsyncGenerator<string> {
      yield form.slice(0, -40);
      await revoked;
      yield form.slice(-40);
    };
    const sending = world.request('guest', 'PUT', `/datasets/${dataset.datasetId}/data`, {
      body: pieces(),
      headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    });
    await sleep(random.between(20, 120));
    const ended = await setGuest(world, 'none');
    const complete = performance.now();
    sendRest();
    const reply = await sending;
    const action = { what: 'revoked upload', person: 'guest', dataset, need: 'Write' } as const;
    if (!isDone(world, reply, action, 201)) return;
    const { id } = reply.json<ProcessAnswer>();
    const from = reply.span.from;
    const sent: Sent = { person: 'guest', dataset, file, expected: undefined, from, cancelled: false };
    await follow(world, ended ? { ...sent, complete } : sent, id);
  } finally {
    isRunning = false;
  }
};

/** @param mode undefined for a random one */
export const upload = async (world: World, random: Random, person: Person, dataset: History, mode?: Mode) => {
  const path = `/datasets/${dataset.datasetId}`;
  const read = await world.request(dataset.owner, 'GET', path);
  const known = read.status === 200 ? read.json<Current>() : { currentVersionId: null, rowCount: 0 };
  const conditional = known.currentVersionId !== null && random.chance(0.15);
  const expected = conditional ? Number(known.currentVersionId) : undefined;
  const file = makeFile(random, world.nextNumber(), mode ?? modeOf(random, known.rowCount));
  const form = new FormData();
  form.set('mode', file.mode);
  if (file.mode === 'upsert') form.set('onDuplicateKey', 'last');
  if (file.isRejected) form.set('onBadRow', 'quarantine');
  form.set('data', new Blob([file.csv]), 'data.csv');
  const headers = expected === undefined ? {} : { 'if-match': `"${expected}"` };
  const reply = await world.request(person, 'PUT', `${path}/data`, { body: form, headers });
  if (reply.status === 412 && expected !== undefined) return world.count('upload 412');
  const action = { what: 'upload', person, dataset, need: 'Write' } as const;
  if (!isDone(world, reply, action, 201)) return;
  const { id } = reply.json<ProcessAnswer>();
  const sent: Sent = { person, dataset, file, expected, from: reply.span.from, cancelled: false };
  const following = follow(world, sent, id);
  if (random.chance(0.06)) {
    sent.cancelled = true;
    const ended = await world.request(person, 'DELETE', `${path}/processes/${id}`);
    world.count(`cancel ${ended.status}`);
  }
  await following;
};
