/** Expected differences and revisions of tables in memory. */
import { namesOf, type Row, type Table, type TableColumn, valuesOf } from './table.js';

/** Multiset difference: rows of the first list without their equals in the second. */
const subtract = (rows: readonly Row[], others: readonly Row[], kindOf: (row: Row) => string): Row[] => {
  const left = new Map<string, number>();
  for (const row of others) left.set(kindOf(row), (left.get(kindOf(row)) ?? 0) + 1);
  return rows.filter((row) => {
    const count = left.get(kindOf(row)) ?? 0;
    left.set(kindOf(row), count - 1);
    return count <= 0;
  });
};

/** Canonical text of a row of a comparison or of revisions. */
export const shown = (change: string, row: Row): string =>
  `${change} ${JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))}`;

const entitiesOf = (columns: readonly TableColumn[]): string[] =>
  namesOf(columns.filter(({ isEntity }) => isEntity));

const isUnique = (rows: readonly Row[], keys: readonly string[]): boolean =>
  new Set(rows.map((row) => valuesOf(row, keys))).size === rows.length;

export interface Expected {
  /** Empty to compare whole rows. */
  readonly keys: readonly string[];
  readonly counts: { readonly added: number; readonly removed: number; readonly changed: number };
  /** Sorted. */
  readonly rows: readonly string[];
}

/** Expected comparison of two versions. */
export const compared = (from: Table, to: Table): Expected => {
  const names = [...new Set([...namesOf(to.columns), ...namesOf(from.columns)])];
  const whole = (row: Row): string => valuesOf(row, names);
  const removed = subtract(from.rows, to.rows, whole);
  const added = subtract(to.rows, from.rows, whole);
  const before = new Set(entitiesOf(from.columns));
  const keys = entitiesOf(to.columns).filter((name) => before.has(name));
  if (keys.length === 0 || !isUnique(from.rows, keys) || !isUnique(to.rows, keys))
    return {
      keys: [],
      counts: { added: added.length, removed: removed.length, changed: 0 },
      rows: [
        ...removed.map((row) => shown('removed', row)),
        ...added.map((row) => shown('added', row)),
      ].sort(),
    };
  const keyOf = (row: Row): string => valuesOf(row, keys);
  const old = new Map(from.rows.map((row) => [keyOf(row), row]));
  const now = new Set(to.rows.map(keyOf));
  const deleted = from.rows.filter((row) => !now.has(keyOf(row)));
  const changed = added.filter((row) => old.has(keyOf(row)));
  const inserted = added.filter((row) => !old.has(keyOf(row)));
  return {
    keys,
    counts: { added: inserted.length, removed: deleted.length, changed: changed.length },
    rows: [
      ...deleted.map((row) => shown('removed', row)),
      ...inserted.map((row) => shown('added', row)),
      ...changed.flatMap((row) => [shown('before', old.get(keyOf(row)) ?? {}), shown('after', row)]),
    ].sort(),
  };
};

const only = (row: Row, names: readonly string[]): Row =>
  Object.fromEntries(names.flatMap((name) => (row[name] === undefined ? [] : [[name, row[name]]])));

const tally = (rows: readonly Row[], names: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(valuesOf(row, names), (counts.get(valuesOf(row, names)) ?? 0) + 1);
  return counts;
};

/** Expected revisions: each value with the version that added or removed it; sorted. */
export const revisionsOf = (versions: readonly (readonly [id: string, table: Table])[]): string[] => {
  const columns = versions.at(-1)?.[1].columns ?? [];
  const names = namesOf(columns);
  const entities = entitiesOf(columns);
  const isKey = entities.length > 0 && versions.every(([, { rows }]) => isUnique(rows, entities));
  const observation = (row: Row): string => valuesOf(row, isKey ? entities : names);
  const all: string[] = [];
  let before: readonly Row[] = [];
  for (const [versionId, { rows }] of versions) {
    const counts = { before: tally(before, names), now: tally(rows, names) };
    const distinct = new Map([...before, ...rows].map((row) => [valuesOf(row, names), only(row, names)]));
    const net = (row: Row): number =>
      (counts.now.get(valuesOf(row, names)) ?? 0) - (counts.before.get(valuesOf(row, names)) ?? 0);
    const came = [...distinct.values()].filter((row) => net(row) > 0);
    const went = [...distinct.values()].filter((row) => net(row) < 0);
    const [cameOf, wentOf] = [new Set(came.map(observation)), new Set(went.map(observation))];
    for (const row of came)
      all.push(shown(wentOf.has(observation(row)) ? 'changed' : 'added', { ...row, versionId }));
    for (const row of went)
      if (!cameOf.has(observation(row))) all.push(shown('removed', { ...row, versionId }));
    before = rows;
  }
  return all.sort();
};
