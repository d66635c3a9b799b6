import { createHash } from 'node:crypto';
import type { Client, ClientBase, Pool, PoolClient } from 'pg';
import type { Watchdog } from '../watchdog.js';

/** Prepared statement: each connection parses and plans it once. For statements that every request runs. */
export interface PreparedStatement {
  readonly name: string;
  readonly text: string;
}

/** @param text Must be the same at each call: a constant in the code. */
export const prepared = (text: string): PreparedStatement => ({
  name: createHash('sha256').update(text).digest('base64url'),
  text,
});

/** A prepared statement with named parameters, for more than six. */
interface NamedStatement extends PreparedStatement {
  /** Values in the order of the parameters; undefined becomes null. @throws Error if a parameter has no value. */
  values(given: Readonly<Record<string, unknown>>): unknown[];
}

/** @param text Has `:name` instead of `$1`; must be the same at each call. */
export const named = (text: string): NamedStatement => {
  const names: string[] = [];
  // Skips the second colon of a cast, as in `:name::bigint`.
  const numbered = text.replace(/(?<![:\w]):([a-z]\w*)/gi, (_, name: string) => {
    if (!names.includes(name)) names.push(name);
    return `$${names.indexOf(name) + 1}`;
  });
  return {
    ...prepared(numbered),
    values(given) {
      const missing = names.filter((name) => !Object.hasOwn(given, name));
      if (missing.length > 0) throw new Error(`no value for :${missing.join(', :')}`);
      return names.map((name) => given[name] ?? null);
    },
  };
};

/** Statements against the catalog database. Values are always parameters ($1, $2 …, or `named`), never part of the text. */
export interface Sql {
  /** Runs one statement and returns its rows. */
  query<T>(statement: string | PreparedStatement, values?: readonly unknown[]): Promise<T[]>;
  /**
   * Runs `work` in one transaction (read committed): commits if it resolves, rolls back if it throws. `work` must use the given `sql`. A
   * nested call joins the outer transaction.
   */
  tx<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
}

/** Waits for the answer to a statement. */
type Waiting = <T>(client: ClientBase, work: () => Promise<T>) => Promise<T>;

const asLongAsItTakes: Waiting = (_client, work) => work();

/** Statements of one connection, in its open transaction, if any. */
export const inTransaction = (client: ClientBase, waiting = asLongAsItTakes): Sql => {
  const sql: Sql = {
    async query<T>(statement: string | PreparedStatement, values: readonly unknown[] = []) {
      const result = await waiting(client, () => client.query(statement, values as unknown[]));
      return result.rows as T[];
    },
    tx: (work) => work(sql),
  };
  return sql;
};

/** A connection that breaks between two statements emits an event, which would end the process without a listener. */
const reportedByNextStatement = (): void => undefined;

/** Milliseconds to wait for the error of a cancelled statement. */
const answerMs = 5_000;

const connectionDead = (waitedMs: number): Error =>
  Object.assign(new Error(`PostgreSQL has not answered a statement for ${waitedMs} ms`), {
    code: 'ETIMEDOUT',
  });

/**
 * The server cancels a statement that takes too long. If not even that error arrives, the connection is dead, even if the server is alive:
 * a firewall drops idle connections without notifying either side.
 *
 * @param watchdog Fails statements, and waits for a connection, when the server does not respond.
 */
export const createSql = (pool: Pool, watchdog?: Watchdog): Sql => {
  const deadMs = Number(pool.options.statement_timeout) + answerMs;

  /** The answer may still arrive, so the connection cannot be reused. */
  const abandon = (client: ClientBase): void => void (client as Client).end();

  const withDeadline: Waiting = async (client, work) => {
    let timer: NodeJS.Timeout | undefined;
    const dead = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => {
        reject(connectionDead(deadMs));
        abandon(client);
      }, deadMs);
    });
    try {
      return await Promise.race([work(), dead]);
    } finally {
      clearTimeout(timer);
    }
  };
  const waiting: Waiting = (client, work) => {
    if (watchdog === undefined) return withDeadline(client, work);
    return watchdog.run((given) => {
      given.addEventListener('abort', () => abandon(client), { once: true });
      return withDeadline(client, work);
    });
  };
  const connected = async (): Promise<PoolClient> => {
    if (watchdog === undefined) return pool.connect();
    let connecting: Promise<PoolClient> | undefined;
    try {
      return await watchdog.run(() => {
        connecting = pool.connect();
        return connecting;
      });
    } catch (error) {
      // It may still connect.
      connecting?.then(
        (client) => client.release(),
        () => undefined,
      );
      throw error;
    }
  };
  const connect = async (): Promise<PoolClient> => {
    const client = await connected();
    client.on('error', reportedByNextStatement);
    return client;
  };
  const release = (client: PoolClient, isBroken: boolean): void => {
    client.off('error', reportedByNextStatement);
    client.release(isBroken);
  };
  return {
    async query<T>(statement: string | PreparedStatement, values?: readonly unknown[]) {
      const client = await connect();
      let isBroken = true;
      try {
        const rows = await inTransaction(client, waiting).query<T>(statement, values);
        isBroken = false;
        return rows;
      } finally {
        release(client, isBroken);
      }
    },
    async tx(work) {
      const client = await connect();
      const sql = inTransaction(client, waiting);
      try {
        await sql.query('BEGIN');
        const result = await work(sql);
        await sql.query('COMMIT');
        release(client, false);
        return result;
      } catch (error) {
        // A connection whose rollback fails must not return to the pool with an open transaction.
        const isBroken = await sql.query('ROLLBACK').then(
          () => false,
          () => true,
        );
        release(client, isBroken);
        throw error;
      }
    },
  };
};

/** @throws the error of a database that does not respond. */
export const pingDatabase = async (sql: Sql): Promise<void> => {
  await sql.query('SELECT 1');
};
