import type { Connection } from '../storage/clickhouse/client.js';

/**
 * Above this many columns a part is kept in one file: thousands of files per part exhaust descriptors. Such tables
 * have no skipping indexes either, which are files of their own.
 */
export const widePartColumns = 200;

type Settings = Readonly<Record<string, string>>;

/**
 * Statistics of columns would be made by every merge, for plans that have one table and no choice.
 *
 * Merges wait for more parts than usual: those of an upload of up to some 300 MB are not merged beside it, and those
 * of a longer one fewer times (docs/adr/0014-merges.md). A wide table pays for each part that is read, and merges soon.
 */
const ownSettings = (columns: number): Settings => {
  const isWide = columns > widePartColumns;
  return {
    non_replicated_deduplication_window: '0',
    min_bytes_for_wide_part: isWide ? '1000000000000' : '10485760',
    merge_selector_base: isWide ? '5' : '30',
    auto_statistics_types: "''",
  };
};

/** Blocks whose tokens the table of an upload remembers. */
const intakeSettings = (columns: number): Settings => ({
  ...ownSettings(columns),
  non_replicated_deduplication_window: '10000',
});

/**
 * Tokens of a pool are those of all uploads: 100,000 are some minutes of the heaviest load, and 25 MB. Parts that were
 * merged are kept for two minutes and not for eight: each takes memory, and there is one per upload.
 */
const poolSettings: Settings = {
  non_replicated_deduplication_window: '100000',
  old_parts_lifetime: '120',
  auto_statistics_types: "''",
};

export interface TableSettings {
  /** Of the table of a store with so many columns. */
  own(columns: number): Promise<string>;
  /** Of the table that takes the chunks of one upload. */
  intake(columns: number): Promise<string>;
  pool(): Promise<string>;
}

/** Gives settings of tables as SQL: those that this release of ClickHouse has. */
export const createTableSettings = (clickhouse: Connection): TableSettings => {
  let supported: ReadonlySet<string> | undefined;
  const sqlOf = async (settings: Settings): Promise<string> => {
    const rows =
      supported === undefined
        ? await clickhouse.rows<{ name: string }>('SELECT name FROM system.merge_tree_settings')
        : [];
    supported ??= new Set(rows.map(({ name }) => name));
    const has = supported;
    return Object.entries(settings)
      .filter(([name]) => has.has(name))
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ');
  };
  return {
    own: (columns) => sqlOf(ownSettings(columns)),
    intake: (columns) => sqlOf(intakeSettings(columns)),
    pool: () => sqlOf(poolSettings),
  };
};
