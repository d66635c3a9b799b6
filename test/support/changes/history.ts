/** Random changes of datasets, with the expected content of every version. */
import { createRandom, type Random } from '../../harness/random.js';
import { type Client, call, createDataset, json } from '../datasets.js';
import { uploadWith } from '../upload-options.js';
import { randomFile, type SentFile, type Shape } from './generator.js';
import { applyChange, csvOf, emptyTable, type Table } from './table.js';

export interface History {
  readonly random: Random;
  readonly shape: Shape;
  readonly dataset: number;
  /** Expected versions, oldest first. */
  readonly versions: Map<string, Table>;
  /** ETag of each version's rows at the first read. */
  readonly tags: Map<string, string>;
  /** Log of the steps, one line each. */
  readonly log: string[];
}

/** Small datasets share a table with others; most large ones have a table of their own. */
const shapes: readonly Shape[] = [
  { keys: 6, rows: 9 },
  { keys: 12, rows: 60 },
  { keys: 60, rows: 90 },
];

export const createHistory = async (client: Client, seed: number): Promise<History> => {
  const random = createRandom(seed);
  return {
    random,
    shape: random.pick(shapes),
    dataset: await createDataset(client),
    versions: new Map(),
    tags: new Map(),
    log: [`seed ${seed}`],
  };
};

export const currentOf = ({ versions }: History): [id: string, table: Table] | undefined =>
  [...versions].at(-1);

/** Checks all rows of a version and that its ETag never changes. @throws Error */
export const readWhole = async (client: Client, history: History, versionId: string): Promise<void> => {
  const { dataset, versions, tags } = history;
  const answer = await call(client, 'GET', `/datasets/${dataset}/data?$skip=0&versionId=${versionId}`);
  const text = await answer.text();
  const expected = csvOf(versions.get(versionId) ?? emptyTable);
  if (text !== expected) throw new Error(`version ${versionId} has\n${text}\ninstead of\n${expected}`);
  const tag = answer.headers.get('etag') ?? '';
  const before = tags.get(versionId);
  if (tag === '' || (before !== undefined && before !== tag))
    throw new Error(`version ${versionId} has the ETag ${tag}, not ${before}`);
  tags.set(versionId, tag);
};

const publish = async (client: Client, history: History, id: string, table: Table): Promise<void> => {
  if (history.versions.has(id)) throw new Error(`version ${id} was published twice`);
  history.versions.set(id, table);
  await readWhole(client, history, id);
};

/** Uploads a file and checks the outcome against the same change of the table. @throws Error */
export const sendFile = async (client: Client, history: History, file: SentFile): Promise<void> => {
  const { dataset, log } = history;
  const { change, content, options, bad } = file;
  const base = currentOf(history)?.[1] ?? emptyTable;
  log.push(`${JSON.stringify(options)} ${JSON.stringify(content)}`);
  const applied = applyChange(base, change);
  const done = await uploadWith(client, dataset, content, options);
  const { status, error, rejectedRows, versionId } = done;
  if (applied.kind === 'failure') {
    if (error?.code === applied.code && versionId === null) return;
    throw new Error(`the upload is ${status} (${JSON.stringify(error)}), not failed with ${applied.code}`);
  }
  if (status !== 'completed' || versionId === null)
    throw new Error(`the upload is ${status}: ${JSON.stringify(error)}`);
  if (rejectedRows !== bad) throw new Error(`${rejectedRows} records were quarantined, not ${bad}`);
  const reported = done as unknown as Record<string, unknown>;
  for (const [name, count] of Object.entries(applied.counts))
    if (reported[name] !== count) throw new Error(`${name} is ${reported[name]}, not ${count}`);
  await publish(client, history, versionId, applied.table);
};

const restore = async (client: Client, history: History): Promise<void> => {
  const { random, dataset, versions, log } = history;
  const [old, table] = random.pick([...versions]);
  log.push(`restore ${old}`);
  const answer = await call(client, 'POST', `/datasets/${dataset}/versions/${old}/restore`);
  const { versionId } = await json<{ versionId: string }>(answer, 201);
  await publish(client, history, versionId, table);
};

const removeVersion = async (client: Client, history: History): Promise<void> => {
  const { random, dataset, versions, tags, log } = history;
  const older = [...versions.keys()].slice(0, -1);
  if (older.length === 0) return;
  const id = random.pick(older);
  log.push(`remove ${id}`);
  const answer = await call(client, 'DELETE', `/datasets/${dataset}/versions/${id}`);
  if (answer.status !== 204) throw new Error(`version ${id} was not removed: ${await answer.text()}`);
  versions.delete(id);
  tags.delete(id);
  const gone = await call(client, 'GET', `/datasets/${dataset}/data?$skip=0&versionId=${id}`);
  if (gone.status !== 404) throw new Error(`version ${id} was removed but answers ${gone.status}`);
};

/** Clones the current version into a new dataset with a history of its own. */
const cloneOf = async (client: Client, history: History): Promise<History> => {
  const { random, dataset, shape, log } = history;
  const [, table] = currentOf(history) ?? ['', emptyTable];
  const home = await json<{ id: number }>(await call(client, 'GET', '/repositories/home'));
  const body = { repositoryId: home.id, name: `copy of ${dataset}, ${log.length}` };
  const answer = await call(client, 'POST', `/datasets/${dataset}/clone`, body);
  const { id, currentVersionId } = await json<{ id: number; currentVersionId: string }>(answer, 201);
  log.push(`clone to ${id}`);
  const seed = random.between(0, 2 ** 31);
  const copy: History = {
    random: createRandom(seed),
    shape,
    dataset: id,
    versions: new Map(),
    tags: new Map(),
    log: [...log, `seed of the clone ${seed}`],
  };
  await publish(client, copy, currentVersionId, table);
  return copy;
};

const steps = { replace: 5, append: 22, upsert: 34, sync: 12, delete: 14, restore: 5, remove: 6, clone: 2 };

/** Takes a random step. @returns the clone, if the step created one */
export const changeOnce = async (client: Client, history: History): Promise<History | undefined> => {
  const { random, versions, shape } = history;
  const step = versions.size === 0 ? 'replace' : random.weighted(steps);
  if (step === 'clone') return cloneOf(client, history);
  if (step === 'restore') await restore(client, history);
  else if (step === 'remove') await removeVersion(client, history);
  else {
    const base = currentOf(history)?.[1] ?? emptyTable;
    await sendFile(client, history, randomFile(random, base, step, shape));
  }
  return undefined;
};
