/** Table engine of the servers, and table settings for it. */
import type { Connection } from '../storage/clickhouse/client.js';
import { createEngine, type Engine, type EngineKind } from '../storage/clickhouse/engine.js';

/**
 * Tables with more columns store each part in one file, since thousands of files per part exhaust file descriptors. For the same reason
 * they have no skipping indexes.
 */
export const widePartColumns = 200;

type Settings = Readonly<Record<string, string>>;

/**
 * Merges wait for more parts than usual: parts of an upload of up to about 300 MB are not merged during the upload, and those of a longer
 * one are merged fewer times (docs/adr/0014-merges.md). In a wide table each part slows reads down, so it merges early.
 */
const widthSettings = (columns: number): Settings =>
  columns > widePartColumns
    ? { min_bytes_for_wide_part: '1000000000000', merge_selector_base: '5' }
    : { min_bytes_for_wide_part: '10485760', merge_selector_base: '30' };

/** Every merge would compute column statistics, which queries of a single table do not use. */
const noStatistics: Settings = { auto_statistics_types: "''" };

/** @param log Number of deduplication tokens that the table remembers. */
const widthAndLog = (columns: number, log: number, { logSetting }: Engine): Settings => ({
  [logSetting]: String(log),
  ...widthSettings(columns),
  ...noStatistics,
});

/**
 * Settings by kind of table. A pool remembers the tokens of all uploads: 100,000 cover some minutes of the heaviest load and take 25 MB.
 * It keeps merged parts for two minutes instead of eight: each takes memory, and there is one per upload.
 */
const byKind = {
  own: (engine: Engine, columns: number) => widthAndLog(columns, 0, engine),
  staging: (engine: Engine, columns: number) => widthAndLog(columns, 10_000, engine),
  pool: ({ logSetting }: Engine): Settings => ({
    [logSetting]: '100000',
    old_parts_lifetime: '120',
    ...noStatistics,
  }),
  /** Settings to change when an own table becomes wide. */
  width: (_: Engine, columns: number) => widthSettings(columns),
};

/** Settings of a table as SQL, without those that this release of ClickHouse lacks. */
export const tableSettings = (engine: Engine, kind: keyof typeof byKind, columns = 0): string =>
  Object.entries(byKind[kind](engine, columns))
    .filter(([name]) => !engine.lacks.includes(name))
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ');

const settingNames = [
  ...new Set(
    ['own', 'pool'].flatMap((kind) => Object.keys(byKind[kind as 'own'](createEngine('MergeTree'), 0))),
  ),
];

interface Found {
  readonly shared: number;
  readonly replicas: number;
  readonly settings: readonly string[];
}

const kindOf = ({ shared, replicas }: Found): EngineKind => {
  if (shared > 0) return 'SharedMergeTree';
  return replicas > 1 ? 'ReplicatedMergeTree' : 'MergeTree';
};

/** Chooses the engine of tables: SharedMergeTree if the server has it, ReplicatedMergeTree if the cluster has replicas. */
export const readEngine = async (server: Connection, cluster: string | undefined): Promise<Engine> => {
  const [found] = await server.rows<Found>(
    `SELECT (SELECT toUInt32(count()) FROM system.table_engines WHERE name = 'SharedMergeTree') AS shared,
      (SELECT toUInt32(max(replica_num)) FROM system.clusters WHERE cluster = {cluster:String}) AS replicas,
      (SELECT groupArray(name) FROM system.merge_tree_settings WHERE name IN {names:Array(String)}) AS settings`,
    { params: { cluster: cluster ?? '', names: settingNames } },
  );
  if (found === undefined) throw new Error('ClickHouse did not report its engines');
  const lacks = settingNames.filter((name) => !found.settings.includes(name));
  return createEngine(kindOf(found), { cluster, lacks });
};
