import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseMasterKeys } from '../../../src/gateway/keys/cipher.js';
import { openKeyFile, readKeyFile } from '../../../src/gateway/keys/key-file.js';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keys-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the file of master keys', () => {
  it('is created once, accessible only to its owner, with a valid key', () => {
    const path = join(folder, 'deeper', 'master-keys');
    expect(readKeyFile(path)).toBeUndefined();
    const created = openKeyFile(path);
    expect(parseMasterKeys(created)[0]?.bytes).toHaveLength(32);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(openKeyFile(path)).toEqual(created);
    expect(readKeyFile(path)).toEqual(created);
    expect(readdirSync(join(folder, 'deeper'))).toEqual(['master-keys']);
  });

  it('may contain older keys after the current one', () => {
    const path = join(folder, 'master-keys');
    writeFileSync(path, 'b:two\n\n a:one \n');
    expect(openKeyFile(path)).toEqual(['b:two', 'a:one']);
  });
});
