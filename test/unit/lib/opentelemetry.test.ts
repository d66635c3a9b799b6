import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { openTelemetry } from '../../../src/lib/opentelemetry.js';
import { errorType } from '../../../src/lib/tracing.js';

const open = (endpoint: string, closeMs = 300) =>
  openTelemetry({ endpoint, headers: {}, serviceName: 'test', version: '0', closeMs, log: silentLog });

/** Collector that responds only after `answer()`, and counts the spans it received. */
const startCollector = async () => {
  let spans = 0;
  const waiting: (() => void)[] = [];
  let answering = false;
  let markReceived = (): void => undefined;
  const received = new Promise<void>((resolve) => {
    markReceived = resolve;
  });
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const { resourceSpans } = JSON.parse(body) as {
      resourceSpans: { scopeSpans: { spans: unknown[] }[] }[];
    };
    spans += resourceSpans.flatMap((one) => one.scopeSpans.flatMap((scope) => scope.spans)).length;
    const answer = (): void => void response.writeHead(200).end('{}');
    markReceived();
    if (answering) answer();
    else waiting.push(answer);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    spans: () => spans,
    answer(): void {
      answering = true;
      for (const each of waiting) each();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

it('keeps a bounded number of spans while the collector does not answer', async () => {
  const collector = await startCollector();
  const tracing = open(`${collector.endpoint}/`, 30_000);
  for (let n = 0; n < 50_000; n += 1) tracing.begin({ name: 'work', kind: 'internal' }).end();
  await collector.received;
  for (let n = 0; n < 50_000; n += 1) tracing.begin({ name: 'work', kind: 'internal' }).end();
  collector.answer();
  await tracing.close();
  expect(collector.spans()).toBeGreaterThan(512);
  expect(collector.spans()).toBeLessThanOrEqual(512 + 2 * 2_048);
  collector.close();
});

it('work succeeds and close returns when no collector is listening', async () => {
  const tracing = open('http://127.0.0.1:1');
  const span = tracing.begin({ name: 'work', kind: 'internal' });
  expect(span.run(() => tracing.active)).toBe(true);
  span.fail(errorType(new TypeError('a cell')));
  span.end();
  await tracing.close();
  expect(tracing.active).toBe(false);
});

it('continues the trace of messages that share one, and starts a new one for several', async () => {
  const tracing = open('http://127.0.0.1:1');
  const contextOf = (name: string) => {
    const span = tracing.begin({ name, kind: 'producer' });
    const headers = span.run(() => tracing.carry());
    span.end();
    return { headers, traceId: span.traceId };
  };
  const [one, other] = [contextOf('one'), contextOf('other')];
  expect(one.headers.traceparent).toMatch(new RegExp(`^00-${one.traceId}-[0-9a-f]{16}-01$`));
  const traceOf = (from: (typeof one.headers)[]) =>
    tracing.begin({ name: 'process', kind: 'consumer', from }).traceId;
  expect(traceOf([one.headers])).toBe(one.traceId);
  expect(traceOf([one.headers, one.headers])).toBe(one.traceId);
  expect([one.traceId, other.traceId]).not.toContain(traceOf([one.headers, other.headers]));
  await tracing.close();
});

it('ignores an invalid trace context', async () => {
  const tracing = open('http://127.0.0.1:1');
  const { traceId } = tracing.begin({ name: 'x', kind: 'server', from: [{ traceparent: 'nonsense' }] });
  expect(traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(tracing.carry()).toEqual({});
  await tracing.close();
});
