/** Answers while a dependency of the API is down, busy or slow, and recovery afterwards. */
import { once } from 'node:events';
import { createServer, get, type IncomingMessage, request } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { answerOf, formEnd, openUpload, partHead } from '../../integration/hostile/raw-upload.js';
import {
  authorization,
  type Client,
  call,
  createDataset,
  ended,
  json,
  upload,
} from '../../support/datasets.js';
import { type FurtherProcess, startFurther } from '../../support/further-process.js';
import { createGate, type Gate } from '../../support/gate.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { type S3Server, startS3Server } from '../../support/s3-server.js';

/** HTTP proxy to ClickHouse that limits concurrent queries. */
const createLimitingProxy = async (target: string) => {
  let limit = '';
  const to = new URL(target);
  const server = createServer((incoming, answer) => {
    const { method, headers } = incoming;
    const options = { host: to.hostname, port: to.port, path: `${incoming.url}${limit}`, method, headers };
    const outgoing = request(options, (reply) => {
      answer.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(answer);
    });
    outgoing.on('error', () => answer.destroy());
    incoming.pipe(outgoing);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  to.port = String((server.address() as AddressInfo).port);
  const url = to.href;
  to.port = new URL(target).port;
  return {
    url,
    /** Sets `max_concurrent_queries_for_user` of ClickHouse; 0 for no limit. */
    allow(count: number) {
      limit = count === 0 ? '' : `&max_concurrent_queries_for_user=${count}`;
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
};

let product: TestProduct;
/** API process of the same installation whose connections the tests can shut. */
let behindGates: FurtherProcess;
let database: Gate;
let files: Gate;
let rows: Gate;
let busy: Awaited<ReturnType<typeof createLimitingProxy>>;
let s3: S3Server;
let owner: Client;
let direct: Client;
let dataset: number;

beforeAll(async () => {
  product = await startProduct({ sweepIntervalMs: '300' }, silentLog);
  s3 = await startS3Server();
  database = await createGate(product.config.databaseUrl ?? '');
  files = await createGate(s3.lenient.endpoint ?? '');
  busy = await createLimitingProxy(inject('clickhouseUrl'));
  rows = await createGate(busy.url);
  behindGates = await startFurther(product, 'api', {
    changes: {
      databaseUrl: database.url,
      clickhouseUrl: rows.url,
      exportsUrl: `s3://${s3.lenient.bucket}/away`,
      s3Endpoint: files.url,
      s3PathStyle: true,
      s3AccessKeyId: 'S3RVER',
      s3SecretAccessKey: 'S3RVER',
      maxUploadsInFlight: 1,
      componentSilenceMs: 5_000,
    },
  });
  const { key } = await product.createAccount('owner');
  direct = { baseUrl: product.baseUrl, key };
  owner = { baseUrl: behindGates.baseUrl, key };
  dataset = await createDataset(direct);
  await upload(direct, dataset, 'a,b\n1,x\n2,y\n');
});

afterAll(async () => {
  await behindGates?.stop();
  await product?.close();
  await Promise.all([database?.close(), files?.close(), rows?.close()]);
  await busy?.close();
  await s3?.close();
});

const refusal = async (path: string): Promise<[number, unknown, boolean]> => {
  const answer = await call(owner, 'GET', path);
  const { code } = (await answer.json()) as { code: string };
  return [answer.status, code, Number(answer.headers.get('retry-after')) > 0];
};

describe('an API whose', () => {
  // A failed test must not leave dependencies down.
  afterEach(() => {
    for (const gate of [database, rows, files]) gate.open();
    busy.allow(0);
  });

  let reads = 0;
  /** A query that is not cached. */
  const read = () => {
    reads += 1;
    return `/datasets/${dataset}/data?$top=${10 + reads}`;
  };

  it('PostgreSQL is down answers 503 until it is back', async () => {
    database.shut();
    for (const path of ['/datasets', `/datasets/${dataset}`, read(), '/repositories/home'])
      expect(await refusal(path)).toEqual([503, 'unavailable', true]);
    database.open();
    await expect.poll(async () => (await call(owner, 'GET', '/datasets')).status).toBe(200);
  });

  it('ClickHouse is down answers 503 for rows, and 200 for requests that need none', async () => {
    rows.shut();
    expect(await refusal(read())).toEqual([503, 'store_unavailable', true]);
    expect((await call(owner, 'GET', `/datasets/${dataset}`)).status).toBe(200);
    rows.open();
    await expect.poll(async () => (await call(owner, 'GET', read())).status).toBe(200);
  });

  it('PostgreSQL is suspended answers 503 until it resumes', async () => {
    database.freeze();
    expect(await refusal('/datasets')).toEqual([503, 'unavailable', true]);
    database.thaw();
    await expect.poll(async () => (await call(owner, 'GET', '/datasets')).status).toBe(200);
  });

  it('ClickHouse is suspended answers 503 for rows until it resumes', async () => {
    rows.freeze();
    expect(await refusal(read())).toEqual([503, 'store_unavailable', true]);
    // An open circuit sends no further requests.
    expect(await refusal(read())).toEqual([503, 'store_unavailable', true]);
    expect((await call(owner, 'GET', `/datasets/${dataset}`)).status).toBe(200);
    rows.thaw();
    await expect.poll(async () => (await call(owner, 'GET', read())).status).toBe(200);
  });

  it('ClickHouse is suspended in the middle of a download aborts the answer', async () => {
    const large = await createDataset(direct);
    const lines = Array.from({ length: 5_000 }, (_, row) => `${row},${'x'.repeat(100)}\n`);
    await upload(direct, large, `n,text\n${lines.join('')}`);
    // 200 MB, more than all buffers on the way.
    const longer = Array.from({ length: 8 }, (_, at) => `compute(concat(t${at},t${at}) as t${at + 1})`);
    const apply = ['compute(concat(text,text) as t0)', ...longer].join('/');
    const path = `/datasets/${large}/data?$apply=${encodeURIComponent(apply)}`;
    const download = get(`${owner.baseUrl}${path}`, { headers: authorization(owner.key) });
    const [answer] = (await once(download, 'response')) as [IncomingMessage];
    expect(answer.statusCode).toBe(200);
    rows.freeze();
    answer.on('error', () => undefined).resume();
    if (!answer.closed) await new Promise((resolve) => answer.once('close', resolve));
    expect(answer.complete).toBe(false);
    rows.thaw();
    await expect.poll(async () => (await call(owner, 'GET', read())).status).toBe(200);
  });

  it('ClickHouse is at its query limit answers 503 for rows', async () => {
    const name = `sleeper_${product.config.clickhouseDatabase}`;
    const killed = expect(
      product.clickhouse(`SELECT sleepEachRow(1) AS ${name} FROM numbers(600) SETTINGS max_block_size = 1`),
    ).rejects.toThrow();
    busy.allow(1);
    await expect.poll(() => refusal(read())).toEqual([503, 'store_busy', true]);
    busy.allow(0);
    await product.clickhouse(`KILL QUERY WHERE query LIKE '%${name}%' AND query_id != queryID() SYNC`);
    await killed;
    expect((await call(owner, 'GET', read())).status).toBe(200);
  });

  it('object storage is down answers 503 for links, and 200 for rows', async () => {
    files.shut();
    expect(await refusal(`/datasets/${dataset}/data`)).toEqual([503, 'file_store_unavailable', true]);
    expect((await call(owner, 'GET', read())).status).toBe(200);
    files.open();
    expect((await call(owner, 'GET', `/datasets/${dataset}/data`)).status).toBe(302);
  });
});

describe('an upload', () => {
  const open = (bytes: number) => openUpload(owner, dataset, bytes);

  it('declared abandoned by the sweep is answered with 503', async () => {
    const lines = '12345,some text\n'.repeat(400_000);
    const socket = await open(partHead.length + lines.length + 4 + formEnd.length);
    const answered = answerOf(socket);
    socket.write(`${partHead}a,b\n${lines}`);
    const pending = async () =>
      (
        await product.sql.query<{ id: number }>(
          "SELECT id FROM processes WHERE dataset_id = $1 AND status = 'pending'",
          [dataset],
        )
      )[0]?.id;
    await expect.poll(pending).toBeDefined();
    const id = (await pending()) ?? 0;
    // Backdates the heartbeat by an hour, repeatedly, because the process renews it until a sweep has run.
    const expireHeartbeat = () =>
      product.sql.query(
        "UPDATE processes SET heartbeat_at = now() - interval '1 hour' WHERE id = $1 AND status = 'pending' RETURNING id",
        [id],
      );
    await expect.poll(expireHeartbeat, { interval: 50 }).toEqual([]);
    const process = { datasetId: dataset, id } as Parameters<typeof ended>[1];
    expect(await ended(direct, process)).toMatchObject({ error: { code: 'upload_abandoned' } });
    socket.write(formEnd);
    const answer = await answered;
    expect(answer).toContain('HTTP/1.1 503 ');
    expect(answer).toContain('"code":"upload_abandoned"');
  });

  it('whose client stalls loses its permit to another upload and is answered with 503', async () => {
    // There are two permits per running upload, of which an account may hold half.
    const silent = await open(1_000);
    silent.write(partHead);
    const other = await product.createAccount('other');
    const quick = { baseUrl: owner.baseUrl, key: other.key };
    const theirs = await createDataset(quick);
    const alsoSilent = await openUpload(quick, theirs, 1_000);
    alsoSilent.write(partHead);
    const third = { baseUrl: owner.baseUrl, key: (await product.createAccount('third')).key };
    const done = upload(third, await createDataset(third), 'a\n1\n');
    const answer = await answerOf(silent);
    expect(answer).toContain('HTTP/1.1 503 ');
    expect(answer).toContain('"code":"slot_lost"');
    expect(await done).toMatchObject({ status: 'completed' });
    alsoSilent.destroy();
  });
});

describe('queued uploads', () => {
  it('are refused with 503 when the queue is full', async () => {
    const { key } = await product.createAccount('crowd');
    const crowd = { ...owner, key };
    const theirs = await createDataset(crowd);
    const sockets: Socket[] = [];
    const answers: string[] = [];
    // An account may have half of the queue of 1000.
    for (let count = 0; count < 520; count += 1) {
      const socket = await openUpload(crowd, theirs, 1_000);
      socket.once('data', (data) => answers.push(String(data)));
      sockets.push(socket);
    }
    const refused = () => answers.find((answer) => answer.includes('"code":"no_upload_slot"'));
    await expect.poll(refused).toMatch(/^HTTP\/1\.1 503 .*Retry-After: 10/s);
    for (const socket of sockets) socket.destroy();
  });
});

describe('a query that exceeds its timeout', () => {
  it('is a 504 with advice', async () => {
    const many = 'a,b\n'.concat(Array.from({ length: 200_000 }, (_, row) => `${row},text ${row}`).join('\n'));
    const large = await createDataset(direct);
    await upload(direct, large, many);
    const limited = await startFurther(product, 'api', { changes: { queryTimeoutSeconds: 0.001 } });
    try {
      const hurried = { ...owner, baseUrl: limited.baseUrl };
      const filter = encodeURIComponent("contains(tolower(b),'q') or contains(toupper(b),'q')");
      const answer = await call(hurried, 'GET', `/datasets/${large}/data?$filter=${filter}`);
      const { code, error } = await json<{ code: string; error: string }>(answer, 504);
      expect([code, error.includes('$filter')]).toEqual(['query_timeout', true]);
    } finally {
      await limited.stop();
    }
  });
});
