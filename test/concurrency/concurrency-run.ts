/** Concurrent clients that perform every operation on the same datasets, in rounds; each round ends with a full check. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createRandom, type Random } from '../harness/random.js';
import * as changing from './changing.js';
import { type History, sameRows } from './history.js';
import { describe, read, readWhole, rowsOf } from './reading.js';
import type { Person } from './rights.js';
import { revokedUpload, upload } from './uploading.js';
import { openWorld, type Target, type World } from './world.js';

export interface ConcurrencyOptions {
  readonly target: Target;
  readonly seed: number;
  readonly minutes: number;
  /** Approximate number of concurrent requests. */
  readonly clients: number;
  readonly datasets: number;
  readonly roundSeconds: number;
  readonly say: (line: string) => void;
}

export interface ConcurrencyReport {
  readonly seed: number;
  readonly faults: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly requests: number;
  readonly rounds: number;
}

const weights = {
  upload: 26,
  read: 30,
  describe: 8,
  clone: 9,
  restore: 9,
  removeVersion: 4,
  pin: 2,
  retain: 2,
  rename: 6,
  changeGrant: 5,
  replaceDataset: 1.5,
  crowd: 1,
  revokedUpload: 3,
};

const { readColumns, ...changes } = changing;
const actions = { upload, revokedUpload, read, describe, ...changes } as const;

const act = async (world: World, random: Random): Promise<void> => {
  const gone = world.deleted.slice(-3);
  const dataset = random.chance(0.03) && gone.length > 0 ? random.pick(gone) : random.pick(world.datasets);
  const person: Person = random.chance(0.45)
    ? dataset.owner
    : random.weighted({ owner: 40, writer: 40, reader: 25, stranger: 5 });
  const name = random.weighted(weights);
  // Retention needs Admin, which is never granted.
  await actions[name](world, random, name === 'retain' ? dataset.owner : person, dataset);
};

/** Checks the current version and its rows. Only while no request is in flight. */
const checkNewest = async (world: World, dataset: History): Promise<void> => {
  const newest = dataset.newest();
  if (newest === undefined) return;
  const path = `/datasets/${dataset.datasetId}`;
  const owner = dataset.owner;
  const [head, data] = await Promise.all([
    world.request(owner, 'GET', path),
    world.request(owner, 'GET', `${path}/data`),
  ]);
  const rows = data.status === 200 ? rowsOf(world, data, `dataset ${dataset.datasetId}`) : undefined;
  const current =
    head.status === 200 ? head.json<{ currentVersionId: string | null }>().currentVersionId : head.status;
  if (current !== String(newest.id))
    world.fault(`dataset ${dataset.datasetId}: the current version is ${current}, not ${newest.id}`);
  if (rows === undefined)
    world.fault(
      `dataset ${dataset.datasetId}: the download answered ${data.status} ${data.text.slice(0, 300)}`,
    );
  else if (!sameRows(rows)(newest.rows))
    world.fault(
      `dataset ${dataset.datasetId}: version ${newest.id} has ${rows.length} rows, which differ from the expected ones`,
    );
};

/** Checks that exactly the versions not deleted are listed. */
const checkVersions = async (world: World, dataset: History): Promise<void> => {
  const reply = await world.request(
    dataset.owner,
    'GET',
    `/datasets/${dataset.datasetId}/versions?$top=1000`,
  );
  if (reply.status !== 200) return;
  const listed = new Set(reply.json<{ versionId: string }[]>().map(({ versionId }) => Number(versionId)));
  const known = new Set(dataset.versionIds);
  const name = `dataset ${dataset.datasetId}, version`;
  for (const id of listed)
    if (!known.has(id)) world.fault(`${name} ${id}: listed, but unknown to every client`);
  if (listed.size >= 1_000) return;
  for (const id of known)
    if (!listed.has(id) && !dataset.mayLack(id, reply.span)) world.fault(`${name} ${id}: not listed`);
};

const storedBytes = async (world: World): Promise<number> =>
  (await world.request('owner', 'GET', '/account')).json<{
    plan: { quotas: { storedBytes: { used: number } } };
  }>().plan.quotas.storedBytes.used;

/** Checks that restores add no stored bytes: rows shared by versions count once. */
const checkStored = async (world: World, random: Random): Promise<void> => {
  const dataset = world.datasets.find(({ owner, versionIds }) => owner === 'owner' && versionIds.length > 0);
  if (dataset === undefined) return;
  const before = await storedBytes(world);
  for (let turn = 0; turn < 5; turn += 1) await changing.restore(world, random, 'owner', dataset);
  const after = await storedBytes(world);
  if (after > before)
    world.fault(
      `restores in dataset ${dataset.datasetId} changed stored bytes from ${before} to ${after}; shared rows must count once`,
    );
};

/** Operations of every round, even if a slow machine handles few requests. */
const runRequired = async (world: World, random: Random): Promise<void> => {
  const own = world.datasets.filter(({ owner }) => owner === 'owner');
  for (const dataset of own.slice(0, 1)) {
    const add = (): Promise<void> => upload(world, random, 'owner', dataset, 'append');
    const renameAgain = async (): Promise<void> => {
      for (let turn = 0; turn < 6; turn += 1) await changing.rename(world, random, 'owner', dataset);
    };
    await add();
    // Renames while uploads are pending.
    await Promise.all([add(), add(), renameAgain()]);
    await Promise.all([
      changing.crowd(world, random, 'owner', dataset),
      revokedUpload(world, random, 'guest', dataset),
    ]);
    for (let turn = 0; turn < 3; turn += 1) await add();
  }
  // Leaves time for compaction across version boundaries.
  await sleep(2_000);
};

/** Checks that recent versions have the rows they were published with, wherever these are stored now. */
const checkOlder = async (world: World, dataset: History): Promise<void> => {
  for (const version of dataset.versionIds.slice(-8)) await readWhole(world, dataset.owner, dataset, version);
  for (const fault of dataset.judge()) world.fault(fault);
};

const check = async (world: World, random: Random): Promise<void> => {
  const histories = [...world.datasets, ...world.deleted];
  for (const history of histories) for (const fault of history.judge()) world.fault(fault);
  for (const history of world.datasets) {
    await checkNewest(world, history);
    await checkVersions(world, history);
    // No acknowledged rename may be lost.
    await readColumns(world, history.owner, history);
    await checkOlder(world, history);
  }
  await checkStored(world, random);
  for (const { datasetId, owner } of world.deleted) {
    const { status } = await world.request(owner, 'GET', `/datasets/${datasetId}`);
    if (status !== 404) world.fault(`dataset ${datasetId} was deleted, but answers ${status}`);
  }
  world.deleted.length = 0;
};

export const runConcurrency = async (options: ConcurrencyOptions): Promise<ConcurrencyReport> => {
  const { seed, clients, roundSeconds, say } = options;
  const setUp = createRandom(seed);
  const world = await openWorld(options.target, setUp);
  while (world.datasets.length < options.datasets) {
    const dataset = await world.create(`dataset ${world.nextNumber()}`);
    if (dataset === undefined) throw new Error(`no dataset: ${world.faults.join()}`);
    world.datasets.push(dataset);
  }
  const until = performance.now() + options.minutes * 60_000;
  const client = async (number: number, roundEnds: number, round: number): Promise<void> => {
    const random = createRandom(seed + 7919 * (number + 1) + 104_729 * round);
    while (performance.now() < roundEnds && world.faults.length === 0) {
      await act(world, random);
      if (random.chance(0.2)) await sleep(random.between(1, 60));
    }
  };
  let round = 0;
  while (performance.now() < until && world.faults.length === 0) {
    round += 1;
    const roundEnds = Math.min(until, performance.now() + roundSeconds * 1_000);
    await Promise.all(Array.from({ length: clients }, (_, number) => client(number, roundEnds, round)));
    if (world.faults.length === 0) await runRequired(world, setUp);
    await check(world, setUp);
    const { datasets, counts, faults } = world;
    say(`round ${round}: ${datasets.length} datasets, ${sum(counts)} responses, ${faults.length} faults`);
  }
  const { faults, counts } = world;
  return { seed, faults, counts, requests: sum(counts), rounds: round };
};

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, count) => all + count, 0);
