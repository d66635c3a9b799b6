import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ComponentName, createStateFile } from '../../../src/embedded/component-state.js';
import { addressOf } from '../../../src/embedded/product.js';

let dataDir: string;

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'state-'));
  mkdirSync(join(dataDir, 'embedded'));
});
afterEach(() => rmSync(dataDir, { recursive: true }));

const truncated = (component: ComponentName) => {
  writeFileSync(join(dataDir, 'embedded', `${component}.json`), '');
  return createStateFile(dataDir, component);
};

it.each(['api', 'worker', 'clickhouse-2'] as const)(
  'an empty file of %s, which has only ports, counts as absent',
  (name) => {
    const state = truncated(name);
    expect(state.read()).toEqual({ ports: {} });
    state.update({ ports: { http: 8080 } });
    expect(state.read().ports).toEqual({ http: 8080 });
  },
);

it.each(['postgres', 'kafka', 'clickhouse'] as const)('an empty file of %s is named', (name) => {
  expect(() => truncated(name).read()).toThrow(join(dataDir, 'embedded', `${name}.json`));
});

it.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['::1', 'http://[::1]:80'],
  ['fd00::7', 'http://[fd00::7]:80'],
  ['db.example', 'http://db.example:80'],
])('a server that listens on %s is reached at %s', (host, address) => {
  expect(addressOf(host, 80)).toBe(address);
});
