/** curl through real proxies in front of the product. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { type CurlAnswer, curl } from '../../support/curl.js';
import { type Cutter, createCutter } from '../../support/cutter.js';
import { createDataset, download, upload } from '../../support/datasets.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import {
  type RunningProxy,
  startDefaultNginx,
  startExampleHaproxy,
  startExampleNginx,
  type Upstreams,
} from '../../support/proxies.js';

const it = await testWith('nginx', 'haproxy', 'curl', 'openssl');

const rows = 150_000;
const lineOf = (row: number): string => `${row},"${`row ${row} `.padEnd(100, 'x')}"`;

let cutter: Cutter;
let product: TestProduct;
let plain: RunningProxy & { readonly tlsUrl: string };
let nginx: RunningProxy;
let haproxy: RunningProxy;
let client: { baseUrl: string; key: string };
let large: number;
let small: number;
let whole: string;
let folder: string;
let file: string;
beforeAll(async () => {
  cutter = await createCutter(inject('clickhouseUrl'));
  product = await startProduct({ clickhouseUrl: cutter.url, trustedProxies: '127.0.0.1' }, silentLog);
  const { host } = new URL(product.baseUrl);
  const upstreams: Upstreams = [host, host];
  [plain, nginx, haproxy] = await Promise.all([
    startDefaultNginx(upstreams),
    startExampleNginx({ upstreams }),
    startExampleHaproxy({ upstreams }),
  ]);
  client = await product.createAccount('ada');
  small = await createDataset(client, 'small');
  large = await createDataset(client, 'large');
  await upload(client, small, 'Country,Value\nFrance,1\nSpain,2\n');
  const lines = Array.from({ length: rows }, (_, row) => lineOf(row));
  expect(await upload(client, large, `Number,Text\n${lines.join('\n')}\n`)).toMatchObject({ rows });
  whole = await download(client, large, '?$skip=0&$format=csv');
  folder = await mkdtemp(join(tmpdir(), 'tabulary-sent-'));
  file = join(folder, 'data.csv');
  await writeFile(file, whole);
});
afterAll(async () => {
  for (const proxy of [plain, nginx, haproxy]) await proxy?.close();
  await product?.close();
  await cutter?.close();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
});

const withKey = (): string[] => ['-u', `${client.key}:`];
const rowsPath = (more = ''): string => `/api/datasets/${large}/data?%24skip=0${more}`;
const bodyOf = ({ body }: CurlAnswer): string => body.toString().replaceAll('\r\n', '\n');

/** Proxies, the client's protocol, and curl's arguments for it. */
const examples: readonly [name: string, url: () => string, args: string[], version: string][] = [
  ['nginx, HTTP/1.1', () => nginx.url, ['--http1.1'], '1.1'],
  ['nginx, HTTP/2', () => nginx.url, ['--http2'], '2'],
  ['HAProxy', () => haproxy.url, [], '1.1'],
];

const everyWay: typeof examples = [
  ...examples,
  ['nginx by default', () => plain.url, [], '1.1'],
  ['nginx by default, HTTP/2', () => plain.tlsUrl, ['--http2'], '2'],
  ['no proxy', () => new URL(product.baseUrl).origin, ['--http1.1'], '1.1'],
  ['no proxy, HTTP/1.0', () => new URL(product.baseUrl).origin, ['--http1.0'], '1.1'],
  ['nginx, HTTP/1.0', () => nginx.url, ['--http1.0'], '1.1'],
  ['HAProxy, HTTP/1.0', () => haproxy.url, ['--http1.0'], '1.1'],
];

describe('a download that breaks in the middle', () => {
  it.for(everyWay)('never looks complete: %s', async ([, url, args]) => {
    for (const format of [
      '',
      '&%24format=json',
      '&%24format=parquet',
      '&%24format=arrow',
      '&%24format=xlsx',
    ]) {
      cutter.cutAfter(300_000);
      const answer = await curl(...withKey(), ...args, url() + rowsPath(format));
      cutter.cutAfter(Number.POSITIVE_INFINITY);
      const looksComplete = answer.exit === 0 && answer.status === 200;
      expect({ format, looksComplete }).toEqual({ format, looksComplete: false });
    }
  });

  it.for(examples)('starts and ends with an error of curl: %s', async ([, url, args, version]) => {
    cutter.cutAfter(3_000_000);
    const answer = await curl(...withKey(), ...args, url() + rowsPath());
    cutter.cutAfter(Number.POSITIVE_INFINITY);
    expect(answer).toMatchObject({ status: 200, version, exit: version === '2' ? 92 : 18 });
    expect(answer.body.length).toBeGreaterThan(0);
    expect(answer.body.length).toBeLessThan(whole.length);
  });
});

describe('a whole download', () => {
  it.for(examples)('arrives complete: %s', async ([, url, args, version]) => {
    const answer = await curl(...withKey(), ...args, url() + rowsPath());
    expect(answer).toMatchObject({ status: 200, exit: 0, version });
    expect(bodyOf(answer) === whole).toBe(true);
  });

  it.for(everyWay.filter(([name]) => name.includes('default') || name.includes('1.0')))(
    'is refused for HTTP/1.0 if it is long, and otherwise sent with Content-Length: %s',
    async ([, url, args]) => {
      const refused = await curl(...withKey(), ...args, url() + rowsPath());
      expect(refused).toMatchObject({ status: 426, exit: 0 });
      expect(JSON.parse(String(refused.body))).toMatchObject({ code: 'http_version' });
      const short = await curl(...withKey(), ...args, `${url()}/api/datasets/${small}/data?%24skip=0`);
      expect(short).toMatchObject({ status: 200, exit: 0 });
      expect(short.headers).toMatch(/^content-length: \d+/im);
      // An exported file always has a length.
      const file = await curl(...withKey(), ...args, '--location', `${url()}/api/datasets/${large}/data`);
      expect(file).toMatchObject({ status: 200, exit: 0 });
      expect(file.headers).toMatch(new RegExp(`^content-length: ${file.body.length}\r$`, 'im'));
      expect(bodyOf(file) === whole).toBe(true);
    },
  );
});

describe.for([
  ['nginx', () => nginx],
  ['HAProxy', () => haproxy],
] as const)('the example for %s', ([, proxy]) => {
  it('accepts large files, and passes on the 401 for a wrong key', async () => {
    const id = await createDataset(client);
    const put = [
      '-X',
      'PUT',
      '--form',
      `data=@${file}`,
      `${proxy().url}/api/datasets/${id}/data?async=false`,
    ];
    const refused = await curl('-u', 'tab_wrong:', ...put);
    expect(refused).toMatchObject({ status: 401, exit: 0 });
    const sent = await curl(...withKey(), ...put);
    expect(sent).toMatchObject({ status: 201, exit: 0 });
    expect(JSON.parse(String(sent.body))).toMatchObject({ datasetId: id, status: 'completed', rows });
  });

  it('hides /metrics', async () => {
    for (const path of ['/metrics', '/%6detrics', '//metrics', '/METRICS/'])
      expect((await curl('--path-as-is', proxy().url + path)).status).toBe(404);
  });

  it('does not log keys or link tokens', async () => {
    const url = proxy().url;
    const first = await curl(...withKey(), `${url}/api/datasets/${small}/data`);
    const link = /^location: (\S+)/im.exec(first.headers)?.[1] ?? '';
    const { pathname } = new URL(link, url);
    const token = pathname.split('/')[3] ?? '';
    expect(token.length).toBeGreaterThan(20);
    for (const path of [
      pathname,
      pathname.replace('links', '%6cinks'),
      pathname.toUpperCase().replace(token.toUpperCase(), token),
      `/api/datasets/${small}?apiKey=${client.key}`,
      `/api/nothing?apiKey=${client.key}&x=1`,
      `/api/account?api%4Bey=${client.key}`,
    ])
      await curl('-e', `${url}/?apiKey=${client.key}`, url + path);
    await curl('-H', `Authorization: Bearer ${client.key}`, `${url}/api/account`);
    // HAProxy escapes slashes in JSON.
    const read = async (): Promise<string> => (await proxy().log()).replaceAll('\\/', '/');
    await curl(`${url}/api/the-last`);
    await expect.poll(read).toContain('/api/the-last"');
    const log = await read();
    expect(log).toContain('/links/...');
    expect(log).toContain(`/api/datasets/${small}/data`);
    expect(log).not.toContain(client.key);
    expect(log).not.toContain(token);
    expect(log).not.toMatch(/apikey/i);
  });
});
