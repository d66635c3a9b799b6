/** The official MCP conformance suite, as far as it needs no fixture server. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer, request, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mcpUrl } from '../../support/mcp.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let proxy: Server;
let url: string;
let folder: string;

/** Starts a reverse proxy that adds the API key, which the suite does not send. */
const startKeyProxy = async (target: URL, key: string): Promise<Server> => {
  const server = createServer((incoming, answer) => {
    const headers = { ...incoming.headers, authorization: `Bearer ${key}` };
    const outgoing = request(target, { method: incoming.method ?? 'GET', headers }, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
};

beforeAll(async () => {
  product = await startProduct();
  const { key } = await product.createAccount('conformance');
  proxy = await startKeyProxy(mcpUrl(product.baseUrl), key);
  url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/mcp`;
  folder = await mkdtemp(join(tmpdir(), 'tabulary-mcp-'));
});
afterAll(async () => {
  proxy?.closeAllConnections();
  proxy?.close();
  await product?.close();
  await rm(folder, { recursive: true, force: true });
});

const programs = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);
const preload = fileURLToPath(new URL('../../fixtures/mcp/glob-sync.mjs', import.meta.url));

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

const checksOf = async (scenario: string, revision: string): Promise<Check[]> => {
  const results = join(folder, `${scenario}-${revision}`);
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision, '-o', results];
  // The exit code is also non-zero for expected failures, so the checks are read instead.
  await promisify(execFile)(process.execPath, ['--import', preload, programs, ...args]).catch(
    () => undefined,
  );
  const [run = ''] = await readdir(results);
  return JSON.parse(await readFile(join(results, run, 'checks.json'), 'utf8')) as Check[];
};

/** Checks that fail without the tools of a fixture server. */
const needFixtures: readonly string[] = [
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-missing-capability-http-400',
  'sep-2575-server-no-log-without-loglevel',
  'sep-2575-server-rejects-undeclared-capability',
];

describe.each([
  ['server-initialize', '2025-06-18'],
  ['server-initialize', '2025-11-25'],
  ['ping', '2025-11-25'],
  ['tools-list', '2025-06-18'],
  ['tools-list', '2025-11-25'],
  ['tools-list', '2026-07-28'],
  ['dns-rebinding-protection', '2025-11-25'],
  ['dns-rebinding-protection', '2026-07-28'],
  ['server-stateless', '2026-07-28'],
  ['http-header-validation', '2026-07-28'],
  ['caching', '2026-07-28'],
])('the scenario %s at revision %s', (scenario, revision) => {
  it('has no unexpected failure', async () => {
    const checks = await checksOf(scenario, revision);
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const unexpected = failed.filter(({ id }) => !needFixtures.includes(id));
    expect(unexpected).toEqual([]);
    expect(checks.filter(({ status }) => status === 'SUCCESS').length).toBeGreaterThan(0);
    expect(failed.length).toBe(scenario === 'server-stateless' ? needFixtures.length : 0);
  });
});
