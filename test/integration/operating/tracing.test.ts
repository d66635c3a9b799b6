/** Traces as received by a collector over OTLP/HTTP. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';
import {
  authorization,
  createDataset,
  ended,
  json,
  type ProcessAnswer,
  upload,
} from '../../support/datasets.js';
import { patienceMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { root } from '../../support/test-files.js';

interface Received {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly links: readonly { readonly traceId: string }[];
}

interface Attribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number };
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<Received, 'service' | 'attributes'> & {
        readonly attributes: readonly Attribute[];
      })[];
    }[];
  }[];
}

const plain = (attributes: readonly Attribute[]): Record<string, string | number> =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? JSON.stringify(value)]),
  );

const spans: Received[] = [];
const bodies: string[] = [];
const lines: string[] = [];
let collector: Server;
let product: TestProduct;
let owner: { key: string; baseUrl: string };

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const keep = (body: string): void => {
  bodies.push(body);
  for (const { resource, scopeSpans } of (JSON.parse(body) as ExportRequest).resourceSpans) {
    const service = String(plain(resource.attributes)['service.name']);
    for (const { spans: some } of scopeSpans)
      spans.push(
        ...some.map((span) => ({
          ...span,
          service,
          links: span.links ?? [],
          attributes: plain(span.attributes),
        })),
      );
  }
};

const eventually = async <T>(find: () => T | undefined): Promise<T> => {
  for (const end = Date.now() + patienceMs; ; ) {
    const found = find();
    if (found !== undefined) return found;
    if (Date.now() > end)
      throw new Error(`timed out; received spans: ${spans.map(({ name }) => name).join(', ')}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};

const spanOf = (traceId: string, service: string, name: RegExp): Received | undefined =>
  spans.find((span) => span.traceId === traceId && span.service === service && name.test(span.name));

beforeAll(async () => {
  process.env.OTEL_BSP_SCHEDULE_DELAY = '50';
  collector = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    if (request.url === '/v1/traces') keep(body);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  const log = pino(logOptions('test', 'info'), { write: (line: string) => lines.push(line) });
  product = await startProduct({ otlpEndpoint: await listen(collector) }, log);
  owner = await product.createAccount('owner');
});
afterAll(async () => {
  await product?.close();
  collector?.close();
  delete process.env.OTEL_BSP_SCHEDULE_DELAY;
});

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';

it('an upload is one trace, from the request through Kafka to the insert and the version', async () => {
  const dataset = await createDataset(owner, 'traced');
  const form = new FormData();
  form.set('data', new Blob(['Date,Value\n2026-01-01,secretcell\n']), 'data.csv');
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
    method: 'PUT',
    body: form,
    headers: { ...authorization(owner.key), traceparent: `00-${traceId}-${parentId}-01` },
  });
  const { status } = await ended(owner, await json<ProcessAnswer>(answer, 201));
  expect(status).toBe('completed');

  const request = await eventually(() => spanOf(traceId, 'tabulary-api', /^PUT \/api\/datasets/));
  expect(request.parentSpanId).toBe(parentId);
  expect(request.attributes).toMatchObject({
    'http.request.method': 'PUT',
    'http.route': '/api/datasets/{id}/data',
    'http.response.status_code': 201,
  });
  const sent = await eventually(() => spanOf(traceId, 'tabulary-api', /^send chunks$/));
  expect([sent.parentSpanId, sent.attributes['messaging.batch.message_count']]).toEqual([request.spanId, 1]);
  const processed = await eventually(() => spanOf(traceId, 'tabulary-worker', /^process /));
  expect(processed.parentSpanId).toBe(sent.spanId);
  const insert = await eventually(() => spanOf(traceId, 'tabulary-worker', /^INSERT /));
  expect(insert.parentSpanId).toBe(processed.spanId);
  expect(insert.attributes['db.system.name']).toBe('clickhouse');
  // By the worker, or by the API if it records the end of the file after the worker has stored the chunk.
  await eventually(() =>
    spans.find(
      ({ traceId: own, name, attributes }) =>
        own === traceId && name === 'publish versions' && attributes['tabulary.versions.published'] === 1,
    ),
  );
});

it('an upload that fails in the worker names its trace and its request in the log', async () => {
  const dataset = await createDataset(owner, 'failing');
  const form = new FormData();
  form.set('data', new Blob(['A,B\n1,2,3\n']), 'data.csv');
  const trace = 'bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb';
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data`, {
    method: 'PUT',
    body: form,
    headers: {
      ...authorization(owner.key),
      traceparent: `00-${trace}-${parentId}-01`,
      'x-request-id': 'request-of-a-failure',
    },
  });
  const failed = await ended(owner, await json<ProcessAnswer>(answer, 201));
  expect(failed.error?.code).toBe('field_count');
  const line = await eventually(() =>
    lines
      .map((one) => JSON.parse(one) as Record<string, unknown>)
      .find(({ msg, process: id }) => msg === 'upload failed' && id === failed.id),
  );
  expect(line).toMatchObject({ requestId: 'request-of-a-failure', traceId: trace });
});

it('the trace of a download has the statement that answered it', async () => {
  const dataset = await createDataset(owner, 'read');
  await upload(owner, dataset, 'A,B\nx,1\ny,2\n');
  const trace = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
  const query = encodeURIComponent("A eq 'hiddenvalue'");
  const answer = await fetch(`${owner.baseUrl}/datasets/${dataset}/data?$filter=${query}`, {
    headers: { ...authorization(owner.key), traceparent: `00-${trace}-${parentId}-01` },
  });
  expect((await answer.text()).trimEnd()).toBe('"A","B"');
  const request = await eventually(() =>
    spanOf(trace, 'tabulary-api', /^GET \/api\/datasets\/\{id\}\/data$/),
  );
  const statement = await eventually(() => spanOf(trace, 'tabulary-api', /^SELECT /));
  expect(statement.parentSpanId).toBe(request.spanId);
});

it('each of several uploads that are stored together is in a processing span, as its trace or as a link', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, (_, at) => createDataset(owner, `many ${at}`)));
  await Promise.all(ids.map((id) => upload(owner, id, 'A,B\nx,1\n')));
  const sent = await eventually(() => {
    const found = spans.filter(
      ({ name, attributes }) =>
        name === 'send chunks' && ids.includes(Number(attributes['tabulary.dataset.id'])),
    );
    return found.length === ids.length ? found : undefined;
  });
  const handled = (trace: string): boolean =>
    spans.some(
      ({ name, traceId: own, links }) =>
        name.startsWith('process ') && (own === trace || links.some((link) => link.traceId === trace)),
    );
  await eventually(() => (sent.every((span) => handled(span.traceId)) ? true : undefined));
});

it('no trace has a key or the value of a cell', () => {
  const all = bodies.join('\n');
  expect(all).toContain('"traceId"');
  for (const secret of [owner.key, 'secretcell', 'hiddenvalue']) expect(all).not.toContain(secret);
});

it('probes have no trace', async () => {
  const api = product.baseUrl.replace(/\/api$/, '');
  for (const path of ['/healthz', '/readyz', '/metrics']) expect((await fetch(api + path)).status).toBe(200);
  await createDataset(owner, 'after the probes');
  expect(
    spans.filter(({ attributes }) => /^\/(healthz|readyz|metrics)/.test(String(attributes['url.path']))),
  ).toEqual([]);
});

/** Runs a program that ends since there is no database, after it has opened tracing. @returns the OpenTelemetry packages that it loaded. */
const loadedBy = async (program: string, env: Record<string, string>): Promise<string[]> => {
  const folder = await mkdtemp(join(tmpdir(), 'tabulary-tracing-'));
  const hook = join(folder, 'hook.cjs');
  const out = join(folder, 'loaded');
  await writeFile(
    hook,
    `const m = require('node:module'); const load = m._load; const seen = new Set();
m._load = function (request, parent, ...rest) {
  // prom-client loads the API package itself, for exemplars.
  const by = parent && parent.filename || '';
  if (String(request).includes('@opentelemetry') && !by.includes('prom-client')) seen.add(request);
  return load.call(this, request, parent, ...rest);
};
process.on('exit', () => require('node:fs').writeFileSync(${JSON.stringify(out)}, JSON.stringify([...seen])));`,
  );
  try {
    await expect(
      promisify(execFile)(process.execPath, ['--require', hook, `dist/${program}.js`], {
        cwd: root,
        env: { PATH: process.env.PATH, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', ...env },
      }),
    ).rejects.toMatchObject({ code: 3 });
    return JSON.parse(await readFile(out, 'utf8')) as string[];
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

it.each(['api', 'worker'])('%s loads nothing of OpenTelemetry without a collector', async (program) => {
  expect(await loadedBy(program, {})).toEqual([]);
  expect(await loadedBy(program, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' })).not.toEqual([]);
});
