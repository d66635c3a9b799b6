import type { Sql } from './sql.js';

/** The value that all processes of the installation share: the one that is kept, else this one from now on. */
export const sharedSetting = async (sql: Sql, name: string, value: string): Promise<string> => {
  const [row] = await sql.query<{ value: string }>(
    `INSERT INTO settings (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = settings.value RETURNING value`,
    [name, value],
  );
  if (row === undefined) throw new Error(`the setting ${name} was not returned`);
  return row.value;
};

export const replaceSetting = async (sql: Sql, name: string, value: string): Promise<void> => {
  await sql.query('UPDATE settings SET value = $2 WHERE name = $1', [name, value]);
};
