import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createCipher, type MasterKey } from '../../../src/gateway/keys/cipher.js';
import { createUserKeys } from '../../../src/gateway/keys/user-keys.js';
import { openDatabase, type TestDatabase } from './database.js';

let database: TestDatabase;
let account = 0;
beforeAll(async () => {
  database = await openDatabase();
  account = await database.addAccount('keys');
});
afterAll(() => database.close());

const masterKey = (id: string): MasterKey => ({ id, bytes: randomBytes(32) });
const first = masterKey('2025');
const second = masterKey('2026');

describe('user keys', () => {
  const keys = () => createUserKeys({ sql: database.sql, cipher: createCipher([first]) });

  it('are trimmed, stored, replaced and deleted', async () => {
    expect(await keys().put(account, 'fred', '  abc  ')).toEqual({ slug: 'fred', has_key: true });
    expect(await keys().list(account)).toEqual({ fred: true });
    expect((await keys().read(account, 'fred'))?.value).toBe('abc');
    await keys().put(account, 'fred', 'def');
    expect((await keys().read(account, 'fred'))?.value).toBe('def');
    for (const empty of [null, '', '   ', undefined]) {
      await keys().put(account, 'fred', 'x');
      expect(await keys().put(account, 'fred', empty)).toEqual({ slug: 'fred', has_key: false });
    }
    expect(await keys().list(account)).toEqual({});
    expect(await keys().read(account, 'fred')).toBeUndefined();
  });

  it('are refused if they are too long or have line breaks', async () => {
    await expect(async () => keys().put(account, 'fred', 'x'.repeat(513))).rejects.toMatchObject({
      kind: 'invalid',
    });
    await expect(async () => keys().put(account, 'fred', 'a\r\nhost: b')).rejects.toMatchObject({
      kind: 'invalid',
    });
    await keys().put(account, 'fred', 'x'.repeat(512));
  });

  it('are not stored in plain text', async () => {
    await keys().put(account, 'eia', 'canary-canary-canary');
    const dump = await database.dump();
    expect(dump).toContain('eia');
    for (const form of ['utf8', 'hex', 'base64'] as const) {
      expect(dump).not.toContain(Buffer.from('canary-canary-canary').toString(form));
    }
  });

  it('are refused with a conflict while another update of the same key runs', async () => {
    const userKeys = keys();
    await database.other().tx(async (tx) => {
      await createUserKeys({ sql: tx, cipher: createCipher([first]) }).put(account, 'bls', 'one');
      await expect(userKeys.put(account, 'bls', 'two')).rejects.toMatchObject({ kind: 'conflict' });
      expect(await userKeys.put(account, 'bea', 'three')).toEqual({ slug: 'bea', has_key: true });
    });
    expect((await userKeys.read(account, 'bls'))?.value).toBe('one');
    await userKeys.put(account, 'bls', 'four');
  });

  it('are rotated to a new master key without losing one', async () => {
    for (let index = 0; index < 230; index += 1) {
      await keys().put(await database.addAccount(`rotated ${index}`), 'fred', `key ${index}`);
    }
    const rotating = createUserKeys({ sql: database.sql, cipher: createCipher([second, first]) });
    expect(await rotating.rotate()).toBeGreaterThanOrEqual(230);
    expect(await rotating.rotate()).toBe(0);
    const afterwards = createUserKeys({ sql: database.sql, cipher: createCipher([second]) });
    expect((await afterwards.read(account, 'eia'))?.value).toBe('canary-canary-canary');
  });

  it('cannot be decrypted for another account', async () => {
    const thief = await database.addAccount('thief');
    await database.sql.query(
      `INSERT INTO user_keys SELECT $1, provider, master_key_id, sealed, fingerprint FROM user_keys WHERE account_id = $2 AND provider = 'eia'`,
      [thief, account],
    );
    await expect(
      createUserKeys({ sql: database.sql, cipher: createCipher([second]) }).read(thief, 'eia'),
    ).rejects.toThrow();
  });

  it('cannot be stored without a master key', async () => {
    const without = createUserKeys({ sql: database.sql, cipher: undefined });
    await expect(without.put(account, 'fred', 'x')).rejects.toMatchObject({ kind: 'unavailable' });
    expect(await without.put(account, 'fred', null)).toEqual({ slug: 'fred', has_key: false });
  });
});
