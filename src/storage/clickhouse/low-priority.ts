import type { Connection, QuerySettings } from './client.js';

/** The names that the setting has had; a server may lack both. */
const names = ['os_threads_nice_value_query', 'os_thread_priority'];
/** As `nice` counts: 19 is last. */
const niceValue = '15';

const known = new WeakMap<Connection, QuerySettings>();

/**
 * Settings of a statement that nobody waits for: threads of all others go first. A server that does not know such a setting, or
 * lacks the capability CAP_SYS_NICE, runs it like any other.
 */
export const lowPriority = async (clickhouse: Connection): Promise<QuerySettings> => {
  const kept = known.get(clickhouse);
  if (kept !== undefined) return kept;
  const found = await clickhouse.rows<{ name: string }>(
    'SELECT name FROM system.settings WHERE name IN {names:Array(String)}',
    { params: { names } },
  );
  const first = names.find((name) => found.some((row) => row.name === name));
  const settings: QuerySettings = first === undefined ? {} : { [first]: niceValue };
  known.set(clickhouse, settings);
  return settings;
};
