import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { loadConfig, settings } from '../../src/config.js';

/** Compared with clocks; no timer waits for them. */
const ages = [
  'EXPORTS_MAX_AGE_MS',
  'GATEWAY_STALE_MS',
  'KAFKA_RETENTION_MS',
  'PATCH_FOLD_INTERVAL_MS',
  'POOL_DROP_INTERVAL_MS',
  'READ_COPY_KEEP_MS',
  'READ_COPY_QUIET_MS',
  'SEGMENT_GRACE_MS',
  'PUBLIC_MAX_AGE_SECONDS',
  'SESSION_MAX_AGE_SECONDS',
];
const names = Object.values(settings)
  .map(({ env }) => env)
  .filter((env) => /_(MS|SECONDS)$/.test(env));
const longest = (name: string): number => (name.endsWith('_MS') ? 2_147_483_647 : 2_147_483);

describe('settings of time', () => {
  it.each(names.filter((name) => !ages.includes(name)))('%s is no longer than a timer can wait', (name) => {
    expect(() => loadConfig({ [name]: String(longest(name) + 1) })).toThrow(`${name}: must be at most`);
  });

  it.each(ages)('%s is at most a century', (name) => {
    expect(() => loadConfig({ [name]: '9007199254740991' })).toThrow(`${name}: must be at most`);
  });

  it('may be as long as a timer can wait', () => {
    expect(loadConfig({ QUERY_TIMEOUT_SECONDS: '2147483', UPLOAD_IDLE_MS: '2147483647' })).toMatchObject({
      queryTimeoutSeconds: 2_147_483,
      uploadIdleMs: 2_147_483_647,
    });
  });
});

describe('a secret in a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'secret-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each(['', '\n'])('is refused when the file is empty: %j', (content) => {
    const path = join(folder, 'token');
    writeFileSync(path, content);
    expect(() => loadConfig({ METRICS_TOKEN_FILE: path })).toThrow('METRICS_TOKEN_FILE: the file is empty');
  });
});
