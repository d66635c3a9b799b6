import type { Sql } from './sql.js';

/** Returns the value that all processes of the installation share: the stored one, otherwise this one, which is stored. */
export const sharedSetting = async (sql: Sql, name: string, value: string): Promise<string> => {
  const [row] = await sql.query<{ value: string }>(
    `INSERT INTO settings (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`,
    [name, value],
  );
  if (row === undefined) throw new Error(`the setting ${name} was not returned`);
  return row.value;
};

export const readSetting = async (sql: Sql, name: string): Promise<string | undefined> => {
  const [row] = await sql.query<{ value: string }>('SELECT value FROM settings WHERE name = $1', [name]);
  return row?.value;
};

/** @param value Undefined: deletes the setting. */
export const setSetting = async (sql: Sql, name: string, value: string | undefined): Promise<void> => {
  if (value === undefined) await sql.query('DELETE FROM settings WHERE name = $1', [name]);
  else
    await sql.query(
      'INSERT INTO settings (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
      [name, value],
    );
};

/** Sets a whole number unless the setting already has a larger one. */
export const raiseSetting = async (sql: Sql, name: string, value: number): Promise<void> => {
  await sql.query(
    `INSERT INTO settings (name, value) VALUES ($1, $2::bigint::text)
     ON CONFLICT (name) DO UPDATE SET value = greatest(settings.value::bigint, excluded.value::bigint)::text`,
    [name, value],
  );
};
