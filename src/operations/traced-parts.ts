/** Spans around the parts whose work a trace shows, so that the parts themselves know nothing of it. */
import type { Transport } from '../gateway/upstream/transport.js';
import { errorType, type SpanSpec, type TraceHeaders, type Tracing, traced } from '../lib/tracing.js';
import type { Connection } from '../storage/clickhouse/client.js';
import type { Reader } from '../storage/clickhouse/reader.js';
import type { TraceWork } from '../uploads/insert/traced-work.js';
import type { Publisher } from '../uploads/lifecycle/publisher.js';
import type { Receiver } from '../uploads/receive/receiver.js';

/** Address of a server, without user and password. */
const serverOf = (url: string) => {
  const { hostname, port, protocol } = new URL(url);
  const standard = protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port) || standard };
};

const operationOf = (sql: string): string =>
  /^[\s(]*([A-Za-z]+)/.exec(sql)?.[1]?.toUpperCase() ?? 'STATEMENT';

interface Endpoint {
  readonly url: string;
  readonly database: string;
}

/** Spans have no text of the statement, which would list thousands of columns; `query_id` leads to it. */
const statementSpan = ({ url, database }: Endpoint, sql: string, queryId?: string): SpanSpec => {
  const operation = operationOf(sql);
  return {
    name: `${operation} ${database}`,
    kind: 'client',
    attributes: {
      'db.system.name': 'clickhouse',
      'db.namespace': database,
      'db.operation.name': operation,
      ...serverOf(url),
      ...(queryId === undefined ? {} : { 'clickhouse.query_id': queryId }),
    },
  };
};

/** Statements that belong to a request, a chunk or a publication; those of sweeps are in no trace. */
export const traceClickHouse = (clickhouse: Connection, url: string, tracing: Tracing): Connection => {
  const within = <T>(sql: string, queryId: string | undefined, work: () => Promise<T>): Promise<T> =>
    tracing.active
      ? traced(tracing, statementSpan({ url, database: clickhouse.database }, sql, queryId), work)
      : work();
  return {
    ...clickhouse,
    command: (sql, options) => within(sql, options?.queryId, () => clickhouse.command(sql, options)),
    rows: <T>(sql: string, options?: Parameters<Connection['rows']>[1]) =>
      within(sql, options?.queryId, () => clickhouse.rows<T>(sql, options)),
    insert: (sql, data, options) =>
      within(sql, options?.queryId, () => clickhouse.insert(sql, data, options)),
  };
};

/** The span of a read ends with its last byte or its abort. */
export const traceReader = (reader: Reader, url: string, tracing: Tracing): Reader => ({
  ...reader,
  async open(query) {
    if (!tracing.active) return reader.open(query);
    const span = tracing.begin(statementSpan({ url, database: reader.database }, query.sql, query.queryId));
    try {
      const rows = await span.run(() => reader.open(query));
      rows.once('error', (error) => span.fail(errorType(error)));
      rows.once('close', () => span.end());
      return rows;
    } catch (error) {
      span.fail(errorType(error));
      span.end();
      throw error;
    }
  },
  queryObjects: <T>(query: Parameters<Reader['queryObjects']>[0]) =>
    tracing.active
      ? traced(tracing, statementSpan({ url, database: reader.database }, query.sql, query.queryId), () =>
          reader.queryObjects<T>(query),
        )
      : reader.queryObjects<T>(query),
});

/** One span for all chunks of a file: of the largest file there are thousands. */
export const traceReceiver = (receiver: Receiver, tracing: Tracing): Receiver => ({
  ...receiver,
  receive: (upload) =>
    traced(
      tracing,
      {
        name: 'send chunks',
        kind: 'producer',
        attributes: {
          'messaging.system': 'kafka',
          'messaging.operation.name': 'send',
          'messaging.operation.type': 'send',
          'tabulary.dataset.id': upload.datasetId,
        },
      },
      async (span) => {
        const view = await receiver.receive(upload);
        span.set({ 'messaging.batch.message_count': view.progress.sent, 'tabulary.process.id': view.id });
        return view;
      },
    ),
});

/** A single chunk continues the trace of its upload; a batch of several starts a trace with links to theirs. */
export const traceChunks =
  (tracing: Tracing): TraceWork =>
  (deliveries, work) => {
    const [first] = deliveries;
    const from: TraceHeaders[] = deliveries.map(({ trace }) => trace);
    return traced(
      tracing,
      {
        name: `process ${first?.position.topic ?? 'chunks'}`,
        kind: 'consumer',
        from,
        attributes: {
          'messaging.system': 'kafka',
          'messaging.operation.name': 'process',
          'messaging.operation.type': 'process',
          'messaging.batch.message_count': deliveries.length,
          ...(first === undefined ? {} : { 'messaging.destination.name': first.position.topic }),
          ...(first === undefined || deliveries.length > 1
            ? {}
            : {
                'messaging.destination.partition.id': String(first.position.partition),
                'messaging.kafka.offset': Number(first.position.offset),
                'tabulary.process.id': first.chunk.processId,
                'tabulary.chunk.number': first.chunk.number,
              }),
        },
      },
      work,
    );
  };

export const tracePublisher = (publisher: Publisher, tracing: Tracing): Publisher => {
  const publish = <T extends { readonly published: readonly unknown[] }>(
    attributes: SpanSpec['attributes'],
    work: () => Promise<T>,
  ): Promise<T> =>
    traced(
      tracing,
      { name: 'publish versions', kind: 'internal', ...(attributes && { attributes }) },
      async (span) => {
        const due = await work();
        span.set({ 'tabulary.versions.published': due.published.length });
        return due;
      },
    );
  return {
    verified: (upload) =>
      publish({ 'tabulary.dataset.id': upload.datasetId }, () => publisher.verified(upload)),
    storedWhole: (uploads) =>
      publish({ 'tabulary.uploads': uploads.length }, () => publisher.storedWhole(uploads)),
    publishDue: (datasetIds) =>
      publish(datasetIds.length === 1 ? { 'tabulary.dataset.id': datasetIds[0]! } : undefined, () =>
        publisher.publishDue(datasetIds),
      ),
  };
};

/** Neither path nor query: both may contain keys of upstreams. No trace context is sent to upstreams. */
export const traceTransport =
  (transport: Transport, tracing: Tracing): Transport =>
  (request) =>
    tracing.active
      ? traced(
          tracing,
          {
            name: request.method,
            kind: 'client',
            attributes: { 'http.request.method': request.method, ...serverOf(request.url.href) },
          },
          async (span) => {
            const reply = await transport(request);
            span.set({ 'http.response.status_code': reply.status });
            if (reply.status >= 400) span.fail(String(reply.status));
            return reply;
          },
        )
      : transport(request);
