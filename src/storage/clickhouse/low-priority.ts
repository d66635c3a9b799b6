import type { Connection } from './client.js';

/** Names of the setting, by version; a server may have neither. */
const names = ['os_threads_nice_value_query', 'os_thread_priority'];
/** `nice` values, of which 19 is the lowest priority: for background work, and for queries that must not slow down shorter ones. */
const niceValues = { background: '15', heavyQuery: '10' } as const;

const known = new WeakMap<Connection, string | undefined>();

const nameOn = async (clickhouse: Connection): Promise<string | undefined> => {
  if (known.has(clickhouse)) return known.get(clickhouse);
  const found = await clickhouse.rows<{ name: string }>(
    'SELECT name FROM system.settings WHERE name IN {names:Array(String)}',
    { params: { names } },
  );
  const name = names.find((each) => found.some((row) => row.name === each));
  known.set(clickhouse, name);
  return name;
};

/**
 * Settings of a statement whose threads have a low priority. A server that does not have such a setting, or lacks the capability
 * CAP_SYS_NICE, runs it normally.
 */
export const lowPriority = async (
  clickhouse: Connection,
  work: keyof typeof niceValues = 'background',
): Promise<Readonly<Record<string, string>>> => {
  const name = await nameOn(clickhouse);
  return name === undefined ? {} : { [name]: niceValues[work] };
};
