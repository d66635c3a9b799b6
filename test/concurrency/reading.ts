import type { Random } from '../harness/random.js';
import { parseRows, type Row, summary } from './contents.js';
import { type History, type Span, sameRows } from './history.js';
import type { Person } from './rights.js';
import { isDone } from './verdicts.js';
import type { Reply, World } from './world.js';

export const rowsOf = (world: World, reply: Reply, what: string): Row[] | undefined => {
  try {
    return parseRows(reply.text);
  } catch (error) {
    world.fault(`${what}: ${error instanceof Error ? error.message : error}`);
    return undefined;
  }
};

const isEmpty = (reply: Reply): boolean => reply.status === 404 && reply.text.includes('no_data');

/** Downloads the current or an older version, whole or filtered, as a stream or by its link. */
export const read = async (world: World, random: Random, person: Person, dataset: History) => {
  const version =
    random.chance(0.4) && dataset.versionIds.length > 0
      ? random.pick(dataset.versionIds.slice(-12))
      : undefined;
  const filtered = random.chance(0.3) ? random.between(1, Math.max(1, world.nextNumber() - 1)) : undefined;
  const query = new URLSearchParams({
    ...(version === undefined ? {} : { versionId: String(version) }),
    ...(filtered === undefined ? {} : { $filter: `upload ge ${filtered}` }),
    ...(random.chance(0.6) ? { $skip: '0' } : {}),
  });
  const reply = await world.request(person, 'GET', `/datasets/${dataset.datasetId}/data?${query}`);
  const what = `read ${filtered === undefined ? '' : 'filtered '}by the ${person}`;
  if (isEmpty(reply)) {
    dataset.observe({
      span: reply.span,
      version,
      what: `${what}: no data`,
      fits: (rows) => rows === undefined,
    });
    return;
  }
  if (reply.status === 404 && reply.text.includes('link_outdated')) {
    world.count('read 404 link_outdated');
    return dataset.observeOutdated(reply.span);
  }
  // Columns without values are texts, which cannot be compared with a number.
  if (filtered !== undefined && reply.status === 400 && reply.text.includes('filter_type')) {
    dataset.observe({
      span: reply.span,
      version,
      what: `${what}: no numeric column`,
      fits: (rows) => rows?.length === 0,
    });
    return;
  }
  const action = {
    what: 'read',
    person,
    dataset,
    need: 'Read',
    ...(version === undefined ? {} : { versions: [version] }),
  } as const;
  if (!isDone(world, reply, action, 200)) return;
  const rows = rowsOf(world, reply, `${what}, dataset ${dataset.datasetId}`);
  if (rows === undefined) return;
  const keep = filtered === undefined ? undefined : (row: Row) => row.upload >= filtered;
  dataset.observe({
    span: reply.span,
    version,
    what: `${what}: ${summary(rows)}`,
    fits: sameRows(rows, keep),
  });
};

/** Consecutive 503 responses tolerated while no other request is in flight. */
const maxBusy = 3;

/** Reads all rows of a version. Only while no other request is in flight. */
export const readWhole = async (
  world: World,
  person: Person,
  dataset: History,
  version: number,
): Promise<void> => {
  const path = `/datasets/${dataset.datasetId}/data?$skip=0&versionId=${version}`;
  let reply = await world.request(person, 'GET', path);
  for (let turn = 1; reply.busy && turn < maxBusy; turn += 1)
    reply = await world.request(person, 'GET', path);
  if (reply.busy)
    world.fault(`version ${version} of dataset ${dataset.datasetId} answers 503: ${reply.text}`);
  if (!isDone(world, reply, { what: 'read', person, dataset, need: 'Read', versions: [version] }, 200))
    return;
  const rows = rowsOf(world, reply, `version ${version} of dataset ${dataset.datasetId}`);
  if (rows === undefined) return;
  const what = `read again: ${summary(rows)}`;
  dataset.observe({ span: reply.span, version, what, fits: sameRows(rows) });
};

const observeCount = (
  dataset: History,
  span: Span,
  version: number | undefined,
  count: number,
  what: string,
) =>
  dataset.observe({
    span,
    version,
    what: `${what}: ${count} rows`,
    fits: (rows) => (rows?.length ?? 0) === count,
  });

/** Reads the catalog entry of a dataset, its versions, and the diff of two. */
export const describe = async (world: World, random: Random, person: Person, dataset: History) => {
  const path = `/datasets/${dataset.datasetId}`;
  const action = { what: 'describe', person, dataset, need: 'Read' } as const;
  const reply = await world.request(person, 'GET', path);
  if (!isDone(world, reply, action, 200)) return;
  const { currentVersionId, rowCount } = reply.json<{ currentVersionId: string | null; rowCount: number }>();
  observeCount(dataset, reply.span, undefined, rowCount, 'row count of the dataset');
  if (currentVersionId !== null)
    observeCount(dataset, reply.span, Number(currentVersionId), rowCount, 'row count of its current version');

  const list = await world.request(person, 'GET', `${path}/versions?$top=20`);
  if (!isDone(world, list, { ...action, what: 'list versions' }, 200)) return;
  const versions = list.json<{ versionId: string; rows: number; current: boolean }[]>();
  for (const { versionId, rows } of versions)
    observeCount(dataset, list.span, Number(versionId), rows, 'row count in the list of versions');
  if (versions.length > 0 && !versions[0]?.current)
    world.fault(`dataset ${dataset.datasetId}: the newest version is not the current one`);
  if (versions.length < 2) return;

  const pair = [random.pick(versions), random.pick(versions)].map(({ versionId }) => Number(versionId));
  const [from = 0, to = 0] = pair;
  const diff = await world.request(person, 'GET', `${path}/versions/${from}/diff/${to}`);
  const named = { ...action, what: 'diff', versions: pair };
  if (diff.status === 409 || !isDone(world, diff, named, 200)) return;
  const { added, removed, changed } = diff.json<Record<'added' | 'removed' | 'changed', number>>();
  if (from === to && added + removed + changed > 0)
    world.fault(`dataset ${dataset.datasetId}: version ${from} differs from itself`);
};
