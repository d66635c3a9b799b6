/** Shards that an operator empties: nothing new is placed there. */
import { readSetting, setSetting } from '../storage/postgres/settings.js';
import type { Sql } from '../storage/postgres/sql.js';

/** Their numbers, with commas between them; the function `draining_shards` of PostgreSQL reads them, too. */
export const drainingSetting = 'draining_shards';

export const drainingShards = async (sql: Sql): Promise<readonly number[]> => {
  const text = await readSetting(sql, drainingSetting);
  return text === undefined || text === '' ? [] : text.split(',').map(Number);
};

export const markDraining = async (sql: Sql, shard: number, drains: boolean): Promise<void> => {
  const others = (await drainingShards(sql)).filter((number) => number !== shard);
  const marked = drains ? [...others, shard].sort((a, b) => a - b) : others;
  await setSetting(sql, drainingSetting, marked.length === 0 ? undefined : marked.join(','));
};
