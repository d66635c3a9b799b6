import type { Random } from '../harness/random.js';
import { labels, summary } from './contents.js';
import { createHistory, type History, sameRows } from './history.js';
import { rowsOf } from './reading.js';
import type { Level, Person } from './rights.js';
import { isDone } from './verdicts.js';
import type { World } from './world.js';

type Change = (world: World, random: Random, person: Person, dataset: History) => Promise<void>;

/** Maximum number of datasets in use, including clones. */
const maxDatasets = 9;

/** A clone must have the rows of a version that was current during the request; its owner has all rights on it. */
export const clone: Change = async (world, _random, person, dataset) => {
  const target = person === 'owner' ? world.repositoryId : world.home(person);
  const body = { repositoryId: target, name: `clone ${world.nextNumber()}` };
  const reply = await world.request(person, 'POST', `/datasets/${dataset.datasetId}/clone`, { body });
  if (!isDone(world, reply, { what: 'clone', person, dataset, need: 'Clone' }, 201)) return;
  const made = reply.json<{ id: number; currentVersionId: string | null; rowCount: number }>();
  const { span } = reply;
  const copy = createHistory(made.id, person);
  if (made.currentVersionId === null) {
    dataset.observe({
      span,
      version: undefined,
      what: 'clone without data',
      fits: (rows) => rows === undefined,
    });
  } else {
    const data = await world.request(person, 'GET', `/datasets/${made.id}/data?$skip=0`);
    if (!isDone(world, data, { what: 'read clone', person, dataset: copy, need: 'Read' }, 200)) return;
    const rows = rowsOf(world, data, `clone ${made.id}`);
    if (rows === undefined) return;
    if (rows.length !== made.rowCount)
      world.fault(`clone ${made.id} has ${rows.length} rows, but its rowCount is ${made.rowCount}`);
    const what = `clone by the ${person} has ${summary(rows)}`;
    dataset.observe({ span, version: undefined, what, fits: sameRows(rows) });
    copy.addVersion({ id: Number(made.currentVersionId), made: span, origin: { kind: 'clone', rows } });
  }
  if (world.datasets.length < maxDatasets && (person === 'owner' || person === 'reader'))
    world.datasets.push(copy);
  else await remove(world, _random, person, copy);
};

export const remove: Change = async (world, _random, person, dataset) => {
  const isOwn = world.allows(person, dataset, 'Write', { from: performance.now(), to: performance.now() });
  // Registered before the request, since others access the dataset meanwhile; undone if it is refused.
  const end = isOwn === 'no' ? undefined : dataset.deleting();
  const reply = await world.request(person, 'DELETE', `/datasets/${dataset.datasetId}`);
  const done = isDone(world, reply, { what: 'delete', person, dataset, need: 'Write' }, 204);
  end?.(done);
};

/** Replaces a dataset with a new one and deletes it, regardless of requests in flight. */
export const replaceDataset: Change = async (world, random, person, dataset) => {
  const at = world.datasets.indexOf(dataset);
  if (at < 0 || person !== dataset.owner) return;
  world.datasets.splice(at, 1);
  world.deleted.push(dataset);
  const own = world.datasets.filter(({ owner }) => owner === 'owner').length;
  const fresh = own < 4 ? await world.create(`dataset ${world.nextNumber()}`) : undefined;
  if (fresh !== undefined) world.datasets.push(fresh);
  await remove(world, random, person, dataset);
};

const pickVersion = (random: Random, { versionIds }: History): number | undefined =>
  versionIds.length === 0 ? undefined : random.pick(versionIds.slice(-15));

export const restore: Change = async (world, random, person, dataset) => {
  const version = pickVersion(random, dataset);
  if (version === undefined) return;
  const path = `/datasets/${dataset.datasetId}/versions/${version}/restore`;
  const reply = await world.request(person, 'POST', path);
  if (!isDone(world, reply, { what: 'restore', person, dataset, need: 'Write', versions: [version] }, 201))
    return;
  const made = reply.json<{ versionId: string; rows: number }>();
  const id = Number(made.versionId);
  dataset.addVersion({ id, made: reply.span, origin: { kind: 'restore', of: version } });
  const { span } = reply;
  const what = `restored version ${version} has ${made.rows} rows`;
  dataset.observe({ span, version: id, what, fits: (rows) => rows?.length === made.rows });
};

export const removeVersion: Change = async (world, random, person, dataset) => {
  const version = pickVersion(random, dataset);
  if (version === undefined) return;
  const now = performance.now();
  if (world.allows(person, dataset, 'Write', { from: now, to: now }) === 'no') return;
  const end = dataset.removing(version);
  const reply = await world.request(person, 'DELETE', `/datasets/${dataset.datasetId}/versions/${version}`);
  const action = { what: 'delete version', person, dataset, need: 'Write', versions: [version] } as const;
  if (reply.status === 409) {
    world.count('delete version 409');
    end(false);
    if (!dataset.mayBeCurrent(version, reply.span))
      world.fault(`dataset ${dataset.datasetId}: version ${version} was not deleted: ${reply.text}`);
    return;
  }
  end(isDone(world, reply, action, 204));
};

export const pin: Change = async (world, random, person, dataset) => {
  const version = pickVersion(random, dataset);
  if (version === undefined) return;
  const path = `/datasets/${dataset.datasetId}/versions/${version}`;
  const reply = await world.request(person, 'PUT', path, { body: { pinned: true, label: 'kept' } });
  if (isDone(world, reply, { what: 'pin', person, dataset, need: 'Write', versions: [version] }, 200))
    dataset.pin(version, reply.span);
};

export const retain: Change = async (world, random, person, dataset) => {
  const versions = random.pick([null, 2, 4, 8]);
  if (versions !== null) dataset.retain(versions);
  const reply = await world.request(person, 'PUT', `/datasets/${dataset.datasetId}/retention`, {
    body: { versions },
  });
  isDone(world, reply, { what: 'retention', person, dataset, need: 'Owner' }, 200);
};

/**
 * Changes that queue for the lock of one dataset: each must read the state left by the one before it once it has the
 * lock.
 */
export const crowd: Change = async (world, random, _person, dataset) => {
  const inTurn = async (change: Change, turns: number): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await change(world, random, dataset.owner, dataset);
  };
  if (dataset.versionIds.length > 0)
    await Promise.all([inTurn(restore, 6), inTurn(restore, 6), inTurn(clone, 4), inTurn(clone, 4)]);
};

interface NamedColumn {
  readonly id: number;
  readonly name: string;
}

/** Returns the current columns, or undefined if the request was refused. */
export const readColumns = async (
  world: World,
  person: Person,
  dataset: History,
): Promise<readonly NamedColumn[] | undefined> => {
  const reply = await world.request(person, 'GET', `/datasets/${dataset.datasetId}/columns`);
  if (!isDone(world, reply, { what: 'columns', person, dataset, need: 'Read' }, 200)) return undefined;
  const columns = reply.json<NamedColumn[]>();
  for (const { id, name } of columns) dataset.observeName(id, name, reply.span);
  return columns;
};

/** Renames a column. A name that another column has or had is rejected; the next read must show the change. */
export const rename: Change = async (world, random, person, dataset) => {
  const path = `/datasets/${dataset.datasetId}/columns`;
  const columns = await readColumns(world, person, dataset);
  if (columns === undefined) return;
  const shown = JSON.stringify(columns).slice(0, 300);
  const labelled = columns.filter(({ name }) => labels.includes(name));
  if (new Set(columns.map(({ name }) => name)).size < columns.length)
    world.fault(`dataset ${dataset.datasetId}: two columns with the same name in ${shown}`);
  if (columns.length > 0 && labelled.length === 0)
    world.fault(`dataset ${dataset.datasetId}: no label column in ${shown}`);
  if (labelled.length === 0) return;
  const { id } = random.pick(labelled);
  const name = random.pick(labels);
  const changed = await world.request(person, 'PATCH', `${path}/${id}`, { body: { name } });
  if (changed.status === 409) return world.count('rename 409');
  // An upload has published a version without the column.
  if (changed.status === 404 && changed.text.includes('column_not_found')) return world.count('rename 404');
  const { from } = changed.span;
  if (changed.busy) return dataset.renamed(id, name, { from, to: Number.POSITIVE_INFINITY });
  if (!isDone(world, changed, { what: 'rename', person, dataset, need: 'Write' }, 200)) return;
  dataset.renamed(id, name, changed.span);
  const returned = changed.json<NamedColumn>().name;
  if (returned !== name)
    world.fault(
      `dataset ${dataset.datasetId}: column ${id} was renamed to ${name}, but the response says ${returned}`,
    );
  await readColumns(world, person, dataset);
};

/** The owner changes the writer's permission on the repository, or the reader's on one dataset. */
export const changeGrant: Change = async (world, random, _person, dataset) => {
  const onRepository = random.chance(0.4);
  if (!onRepository && dataset.owner !== 'owner') return;
  const grant = onRepository ? world.writer : world.reader(dataset);
  if (grant.isChanging) return;
  const choices: readonly Level[] = onRepository
    ? ['none', 'Read', 'Write', 'Write']
    : ['none', 'Read', 'Clone'];
  const level = random.pick(choices);
  const before = grant.level;
  if (level === 'none' && before === 'none') return;
  const place = onRepository ? `/repositories/${world.repositoryId}` : `/datasets/${dataset.datasetId}`;
  const path = `${place}/permissions/${onRepository ? 'writer' : 'reader'}`;
  const end = grant.change(level);
  const reply =
    level === 'none'
      ? await world.request('owner', 'DELETE', path)
      : await world.request('owner', 'PUT', path, { body: { level } });
  end();
  world.count(`grant ${reply.status}`);
  if (reply.status === (level === 'none' ? 204 : 200)) return;
  if (!onRepository && dataset.mayBeGone(reply.span)) return;
  world.fault(`change from ${before} to ${level} at ${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
};
