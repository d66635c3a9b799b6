import type { ClickHouse } from './client.js';

/** Blocks whose tokens a table remembers. A chunk is repeated within seconds or minutes of its first try. */
const dedupWindow = 10_000;

/**
 * Above this many columns a part is kept in one file: thousands of files per part exhaust descriptors. Such tables
 * have no skipping indexes either, which are files of their own.
 */
export const widePartColumns = 200;

/**
 * Statistics of columns would be made by every merge, for plans that have one table and no choice.
 *
 * Merges wait for more parts than usual: those of an upload of up to some 300 MB are not merged beside it, and those
 * of a longer one fewer times (docs/adr/0014-merges.md). A wide table pays for each part that is read, and merges soon.
 */
const settingsOf = (columns: number): Readonly<Record<string, string>> => {
  const isWide = columns > widePartColumns;
  return {
    non_replicated_deduplication_window: String(dedupWindow),
    min_bytes_for_wide_part: isWide ? '1000000000000' : '10485760',
    merge_selector_base: isWide ? '5' : '30',
    auto_statistics_types: "''",
  };
};

/** Gives the settings of a table of so many columns as SQL: those that this release of ClickHouse has. */
export const createTableSettings = (clickhouse: ClickHouse): ((columns: number) => Promise<string>) => {
  let supported: ReadonlySet<string> | undefined;
  const load = async (): Promise<ReadonlySet<string>> => {
    const rows = await clickhouse.rows<{ name: string }>('SELECT name FROM system.merge_tree_settings');
    return new Set(rows.map(({ name }) => name));
  };
  return async (columns) => {
    const known = supported ?? (await load());
    supported = known;
    return Object.entries(settingsOf(columns))
      .filter(([name]) => known.has(name))
      .map(([name, value]) => `${name} = ${value}`)
      .join(', ');
  };
};
