/**
 * Requests to read links as sent by tools that cannot be run here, with headers from their source, their documentation
 * or server logs. Each must receive the rows in a type that it reads, without a redirect.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { createOpenDataset, makeReadLink } from '../../support/read-links.js';

let product: TestProduct;
let client: Client;
let dataset: number;

beforeAll(async () => {
  product = await startProduct({ corsOrigins: 'https://listed.example' });
  client = await product.createAccount('tools');
  const content = 'Date,A name with blanks,Value\n1931-07-14,"Korea, Rep.",1.50\n2024-01-01,,-2\n';
  ({ dataset } = await createOpenDataset(client, content, 'Private'));
});
afterAll(() => product?.close());

const csv = '"Date","A name with blanks","Value"\r\n"1931-07-14","Korea, Rep.",1.5\r\n"2024-01-01",,-2\r\n';

interface Seen {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

/** Sends a request without the headers that `fetch` adds. */
const send = async (url: string, headers: Record<string, string>, method = 'GET'): Promise<Seen> => {
  const sent = request(url, { method, headers });
  sent.end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(pieces) };
};

const textOf = ({ headers, body }: Seen): string =>
  (headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body).toString();

const mashup = 'Microsoft.Data.Mashup (https://go.microsoft.com/fwlink/?LinkID=304225)';
const script =
  'Mozilla/5.0 (compatible; Google-Apps-Script; beanserver; +https://script.google.com; id: UAEm)';

describe('a read link answers', () => {
  it.each<[string, Record<string, string>]>([
    [
      'IMPORTDATA of Google Sheets',
      {
        'user-agent': 'Mozilla/5.0 (compatible; GoogleDocs; apps-spreadsheets; +http://docs.google.com)',
        accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
        'accept-encoding': 'gzip, deflate, br',
      },
    ],
    ['Power Query in Excel, also on the web', { 'user-agent': mashup, 'accept-encoding': 'gzip, deflate' }],
    ['a connector of Looker Studio', { 'user-agent': script, 'accept-encoding': 'gzip, deflate, br' }],
    [
      'Grafana Infinity, of type CSV',
      { 'user-agent': 'Grafana/13.0.0', accept: 'text/csv; charset=utf-8', 'accept-encoding': 'gzip' },
    ],
    [
      'Grafana Infinity, of another type than the link',
      {
        'user-agent': 'Grafana/13.0.0',
        accept: 'application/json;q=0.9,text/plain',
        'accept-encoding': 'gzip',
      },
    ],
    [
      'a page of Observable',
      {
        accept: '*/*',
        origin: 'https://observer.static.observableusercontent.com',
        'sec-fetch-mode': 'cors',
        'sec-fetch-site': 'cross-site',
        'accept-encoding': 'gzip, deflate, br, zstd',
      },
    ],
    [
      'a loader of Observable Framework or Evidence, in Node',
      { accept: '*/*', 'accept-encoding': 'br, gzip, deflate' },
    ],
    ['curl', { 'user-agent': 'curl/8.5.0', accept: '*/*' }],
  ])('%s', async (_name, headers) => {
    const { url } = await makeReadLink(client, dataset);
    const answer = await send(url, headers);
    expect([answer.status, answer.headers['content-type'], textOf(answer)]).toEqual([
      200,
      'text/csv; charset=utf-8',
      csv,
    ]);
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    const coding = answer.headers['content-encoding'];
    expect(
      (headers['accept-encoding'] ?? 'identity').includes(coding ?? 'identity') || coding === undefined,
    ).toBe(true);
    const head = await send(url, headers, 'HEAD');
    expect([head.status, head.headers['content-type'], head.body.length]).toEqual([
      200,
      'text/csv; charset=utf-8',
      0,
    ]);
  });

  it('a JSON reader with an array of objects, as Infinity and Observable expect', async () => {
    const { url } = await makeReadLink(client, dataset, { query: { $format: 'json' } });
    const accept = 'application/json;q=0.9,text/plain';
    const answer = await send(url, { 'user-agent': 'Grafana/13.0.0', accept });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
    expect(JSON.parse(textOf(answer))).toEqual([
      { Date: '1931-07-14', 'A name with blanks': 'Korea, Rep.', Value: 1.5 },
      { Date: '2024-01-01', 'A name with blanks': null, Value: -2 },
    ]);
  });

  it('preflight requests of browsers, and Office, which first probes for WebDAV', async () => {
    const { url } = await makeReadLink(client, dataset);
    const preflight = await send(
      url,
      {
        origin: 'https://observer.static.observableusercontent.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'range,if-none-match',
      },
      'OPTIONS',
    );
    expect([preflight.status, preflight.headers['access-control-allow-methods']]).toEqual([204, 'GET, HEAD']);
    expect(preflight.headers['access-control-allow-headers']).toContain('Range');
    const office = { 'user-agent': 'Microsoft Office Protocol Discovery' };
    const discovery = await send(new URL('.', url).href, office, 'OPTIONS');
    expect([discovery.status < 500, discovery.headers.dav]).toEqual([true, undefined]);
    const edit = await send(url, { 'user-agent': 'Microsoft-WebDAV-MiniRedir/10.0' }, 'PROPFIND');
    expect([404, 405, 501]).toContain(edit.status);
    const existence = { 'user-agent': 'Microsoft Office Existence Discovery' };
    expect((await send(url, existence, 'HEAD')).status).toBe(200);
  });

  it('a tool that adds a cache-busting parameter', async () => {
    const { url } = await makeReadLink(client, dataset);
    expect((await send(`${url}?_=1795677117727`, { accept: '*/*' })).status).toBe(200);
  });
});
