import { type Catalog, createCatalog } from '../../src/catalog/catalog.js';
import { apiBase, createApp } from '../../src/http/app.js';
import type { Route } from '../../src/http/route.js';
import { createCatalogRoutes } from '../../src/http/routes/catalog.js';
import { createMetricsRoute } from '../../src/http/routes/metrics.js';
import { createOperationsRoutes } from '../../src/http/routes/operations.js';
import { type Log, silentLog } from '../../src/lib/log.js';
import { createMetrics } from '../../src/lib/metrics/metrics.js';
import { createPool } from '../../src/storage/postgres/pool.js';
import { createSql, type Sql } from '../../src/storage/postgres/sql.js';
import { type Contract, createContract, type OpenApiDocument } from './contract.js';
import { basic } from './credentials.js';
import { createDatabase } from './database.js';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Parses the body. @throws SyntaxError if it is not JSON. */
  json<T = Record<string, unknown>>(): T;
}

export interface AskOptions {
  readonly key?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** One request over a real port: `ask('GET', '/datasets', { key })`. */
export type Ask = (method: string, path: string, options?: AskOptions) => Promise<Answer>;

export interface Person {
  readonly id: number;
  readonly name: string;
  readonly key: string;
  /** A request with this person's key. */
  ask(method: string, path: string, body?: unknown): Promise<Answer>;
}

export interface TestApi {
  readonly root: string;
  readonly contract: Contract;
  readonly sql: Sql;
  readonly catalog: Catalog;
  readonly routes: readonly Route[];
  readonly ask: Ask;
  /** Creates an account with a key. */
  person(name: string, options?: { plan?: string; isOperator?: boolean }): Promise<Person>;
  close(): Promise<void>;
}

/** @param contract checks every answer. */
export const createAsk =
  (root: string, contract?: Contract): Ask =>
  async (method, path, { key, body, headers = {} } = {}) => {
    const response = await fetch(`${root}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(key === undefined ? {} : { Authorization: basic(key) }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const contentType = response.headers.get('content-type');
    if (method !== 'HEAD') contract?.check({ method, path, status: response.status, contentType, text });
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: <T>() => JSON.parse(text) as T,
    };
  };

export interface TestApiOptions {
  /** PostgreSQL server; the API gets its own database on it. */
  readonly databaseUrl: string;
  readonly log?: Log;
  readonly moreRoutes?: (parts: { catalog: Catalog; sql: Sql }) => Route[];
}

/** Starts the HTTP kernel with the catalog's routes on a fresh database and a free port. */
export const startTestApi = async (options: TestApiOptions): Promise<TestApi> => {
  const { log = silentLog } = options;
  const database = await createDatabase(options.databaseUrl);
  const pool = createPool({ databaseUrl: database.databaseUrl, maxConnections: 10, log });
  const sql = createSql(pool);
  const catalog = createCatalog({ sql });
  const metrics = createMetrics();
  const routes = [...createCatalogRoutes(catalog), ...(options.moreRoutes?.({ catalog, sql }) ?? [])];
  const app = createApp({
    routes,
    rootRoutes: [
      ...createOperationsRoutes({ build: { version: '0.0.0', commit: 'c' }, checks: [] }),
      createMetricsRoute({ metrics }),
    ],
    authenticate: catalog.authenticate,
    log,
    metrics,
    version: '0.0.0',
    maxRefusalDelayMs: 0,
  });
  const port = await app.listen({ host: '127.0.0.1', port: 0 });
  const root = `http://127.0.0.1:${port}`;
  const document = (await createAsk(root)('GET', '/openapi.json')).json<OpenApiDocument>();
  const contract = createContract(document);
  const ask = createAsk(`${root}${apiBase}`, contract);
  return {
    root,
    contract,
    sql,
    catalog,
    routes,
    ask,
    async person(name, { plan = 'unlimited', isOperator = false } = {}) {
      const account = await catalog.accounts.create({ name, plan, isOperator });
      const { key } = await catalog.keys.create(account.id, { name: 'test' });
      return {
        id: account.id,
        name,
        key,
        ask: (method, path, body) => ask(method, path, { key, body }),
      };
    },
    async close() {
      await app.close(1_000);
      await pool.end();
      await database.drop();
    },
  };
};
