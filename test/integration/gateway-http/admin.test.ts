import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProviderCommands, createUserKeyCommands } from '../../../src/admin/providers.js';
import { runCommandLine } from '../../../src/admin/run.js';
import { openAdminGateway } from '../../../src/compose/gateway.js';
import type { Config } from '../../../src/config.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { type GatewayWorld, startGatewayWorld } from './world.js';

let world: GatewayWorld;
beforeAll(async () => {
  world = await startGatewayWorld();
});
afterAll(() => world.close());

/** Runs an operator command with changed settings. */
const run = (line: string, changes: Partial<Config> = {}): Promise<string> =>
  runCommandLine(
    [createUserKeyCommands(openAdminGateway), createProviderCommands(openAdminGateway)],
    line.split(' '),
    async () => ({
      config: { ...world.product.config, ...changes },
      log: silentLog,
      scope: createScope(silentLog),
      sql: world.product.sql,
    }),
  );

describe('providers check', () => {
  it('probes providers with a replaced address and prints a table', async () => {
    const found = JSON.parse(await run('providers check --json')) as { slug: string; state: string }[];
    const stateOf = (slug: string) => found.find((one) => one.slug === slug)?.state;
    expect([stateOf('bankofcanada'), stateOf('fred'), stateOf('ecb')]).toEqual(['ok', 'no key', 'failed']);
    expect(await run('providers check --provider BankOfCanada')).toMatch(/bankofcanada +ok +\d+ +FXUSDCAD/);
  });

  it('probes no provider at its real address without the option', async () => {
    const found = JSON.parse(
      await run('providers check --json', { providerUrls: { bankofcanada: world.bank.baseUrl } }),
    ) as { slug: string; state: string }[];
    expect(found.filter(({ state }) => state !== 'not asked').map(({ slug }) => slug)).toEqual([
      'bankofcanada',
    ]);
  });
});

const masterKeysOf = async (accountId: number): Promise<string[]> => {
  const rows = await world.product.sql.query<{ name: string }>(
    'SELECT master_key_id AS name FROM user_keys WHERE account_id = $1',
    [accountId],
  );
  return rows.map(({ name }) => name);
};

describe('keys rotate', () => {
  it('encrypts every key with the first master key once all processes have it', async () => {
    const { key, id } = await world.product.createAccount('rotating');
    await world.ask('PUT', '/user-keys/fred', { key, body: { api_key: 'to-be-rotated' } });
    const fresh = `fresh:${randomBytes(32).toString('base64')}`;
    const both = { masterKeys: [fresh, ...(world.product.config.masterKeys ?? [])] };
    // The API process was started without the new master key and could not decrypt rotated keys.
    await expect(run('keys rotate --json', both)).rejects.toMatchObject({
      code: 'process_lacks_key',
      message: expect.stringContaining('runs without the master key fresh'),
    });
    expect(await masterKeysOf(id)).toEqual(['test']);
    await world.product.sql.query(
      `UPDATE live_processes SET master_keys = '{fresh,test}' WHERE kind = 'api'`,
    );
    expect(JSON.parse(await run('keys rotate --json', both))).toEqual({ rotated: 1 });
    expect(JSON.parse(await run('keys rotate --json', both))).toEqual({ rotated: 0 });
    expect(await masterKeysOf(id)).toEqual(['fresh']);
  });
});

describe('settings', () => {
  it.each([
    [{ providerKeys: { nope: 'abcdefgh' } }, 'PROVIDER_KEYS'],
    [{ providerUrls: { 'nope.public': 'http://127.0.0.1:1' } }, 'PROVIDER_URLS'],
    [{ feedProvider: 'nope' }, 'FEED_PROVIDER'],
    [{ paidProviders: ['nope'] }, 'PAID_PROVIDERS'],
  ])('%j is refused with the name of the variable', async (changes, variable) => {
    await expect(run('providers check', changes)).rejects.toThrow(`${variable}: there is no provider nope`);
  });
});
