/** A process that cannot use one of its servers says which setting has the address. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { childEnvironment } from '../../../src/config.js';
import { createDatabase, type FreshDatabase } from '../../support/database.js';
import { freePort } from '../../support/proxies.js';

let database: FreshDatabase;
/** Nothing listens there. */
let port: number;

beforeAll(async () => {
  database = await createDatabase(inject('databaseUrl'));
  port = await freePort();
});
afterAll(() => database?.drop());

type Changes = Parameters<typeof childEnvironment>[0];

/** Runs a program until it ends. */
const run = async (program: string, changes: Changes): Promise<{ code: number; message: string }> => {
  const child = spawn(process.execPath, [`dist/${program}.js`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: childEnvironment({
      ...inject('kafka'),
      databaseUrl: database.databaseUrl,
      clickhouseUrl: inject('clickhouseUrl'),
      clickhouseDatabase: database.name,
      kafkaPrefix: database.name,
      port: '0',
      ...changes,
    }),
  });
  const [message, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code, message: message.trim() };
};

it('names DATABASE_URL if nothing listens there', async () => {
  const databaseUrl = `postgres://someone@127.0.0.1:${port}/some`;
  expect(await run('api', { databaseUrl })).toEqual({
    code: 3,
    message: `The server at DATABASE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

it.each(['api', 'migrate'])('%s names DATABASE_URL if the server has no such database', async (program) => {
  const databaseUrl = Object.assign(new URL(database.databaseUrl), { pathname: '/missing' }).href;
  expect(await run(program, { databaseUrl })).toEqual({
    code: 3,
    message: 'The server at DATABASE_URL cannot be used: database "missing" does not exist',
  });
});

it('names CLICKHOUSE_URL if nothing listens there', async () => {
  expect(await run('api', { clickhouseUrl: `http://127.0.0.1:${port}` })).toEqual({
    code: 3,
    message: `The server at CLICKHOUSE_URL cannot be used: connect ECONNREFUSED 127.0.0.1:${port}`,
  });
});

it('names KAFKA_BROKERS if nothing listens there', async () => {
  const { code, message } = await run('api', { kafkaBrokers: `127.0.0.1:${port}` });
  expect(code).toBe(3);
  expect(message).toContain(
    'Kafka at KAFKA_BROKERS cannot be reached: Connection error: connect ECONNREFUSED',
  );
});
