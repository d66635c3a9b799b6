/** PostgreSQL and ClickHouse over TLS, with self-signed certificates. */
import { execFile } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject } from 'vitest';
import { startEmbedded } from '../../../src/embedded/components.js';
import { silentLog } from '../../../src/lib/log.js';
import { createScope } from '../../../src/lib/scope.js';
import { createDataset, download, upload } from '../../support/datasets.js';
import { testWith } from '../../support/optional-tools.js';
import { startProduct } from '../../support/product.js';
import { programOf } from '../../support/tools.js';

const it = await testWith('openssl');
const folder = mkdtempSync(join(tmpdir(), 'tabulary-tls-'));
const scope = createScope(silentLog);
const run = promisify(execFile);
const file = (name: string): string => join(folder, name);

/** Creates a self-signed certificate for the IP address but not for `localhost`. */
const makeCertificate = async (name: string): Promise<void> => {
  const made = ['-keyout', file(`${name}.key`), '-out', file(`${name}.pem`)];
  const about = ['-subj', `/CN=${name}`, '-addext', 'subjectAltName=IP:127.0.0.1'];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...about, ...made];
  await run(await programOf('openssl'), request);
};

/** TLS URLs without a certificate authority. */
let databaseUrl: string;
let clickhouseUrl: string;
let proxy: Server;
const sockets = new Set<Socket>();

const withQuery = (address: string, query: Record<string, string>, host?: string): string => {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  if (host !== undefined) url.hostname = host;
  return url.href;
};

const secureDatabase = async (dataDir: string, address: string): Promise<string> => {
  const data = join(dataDir, 'postgres');
  const { uid, gid } = statSync(data);
  for (const name of ['server.key', 'server.pem']) {
    writeFileSync(join(data, name), readFileSync(file(name)), { mode: 0o600 });
    chownSync(join(data, name), uid, gid);
  }
  const hba = join(data, 'pg_hba.conf');
  writeFileSync(hba, readFileSync(hba, 'utf8').replace('host ', 'hostssl '));
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  for (const setting of ["ssl_cert_file = 'server.pem'", "ssl_key_file = 'server.key'", "ssl = 'on'"])
    await client.query(`ALTER SYSTEM SET ${setting}`);
  await client.query('SELECT pg_reload_conf()');
  await client.end();
  return withQuery(address, { sslmode: 'verify-full' });
};

/** Starts a TLS proxy, since the embedded ClickHouse does not support TLS. */
const startProxy = async (address: string): Promise<string> => {
  const target = new URL(address);
  const options = {
    key: readFileSync(file('server.key')),
    cert: readFileSync(file('server.pem')),
  };
  proxy = createServer(options, (socket) => {
    const behind = connect(Number(target.port), target.hostname);
    for (const one of [socket, behind]) {
      sockets.add(one);
      one.on('error', () => undefined);
    }
    socket.pipe(behind).pipe(socket);
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const { port } = proxy.address() as AddressInfo;
  return `https://${target.username}:${target.password}@127.0.0.1:${port}`;
};

beforeAll(async () => {
  for (const name of ['server', 'stranger']) await makeCertificate(name);
  const dataDir = file('data');
  const need = { postgres: true, kafka: false, clickhouse: false };
  const { access } = await startEmbedded({ dataDir, need, durability: 'off', log: silentLog, scope });
  databaseUrl = await secureDatabase(dataDir, access.databaseUrl ?? '');
  clickhouseUrl = await startProxy(inject('clickhouseUrl'));
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  proxy?.close();
  await scope.close();
  rmSync(folder, { recursive: true, force: true });
});

const known = () => ({ sslrootcert: file('server.pem') });

describe('with the certificate authority in the URLs', () => {
  it('a file is stored and read', async () => {
    const product = await startProduct({
      databaseUrl: withQuery(databaseUrl, known()),
      clickhouseUrl: withQuery(clickhouseUrl, known()),
    });
    try {
      const owner = await product.createAccount('owner');
      const dataset = await createDataset(owner);
      const file = 'k,v\nx,1\ny,2\n';
      expect(await upload(owner, dataset, file)).toMatchObject({ status: 'completed' });
      expect((await download(owner, dataset)).replaceAll('"', '')).toBe(file);
      const [row] = await product.sql.query<{ ssl: boolean }>(
        'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
      );
      expect(row).toEqual({ ssl: true });
    } finally {
      await product.close();
    }
  });
});

describe('startup fails with one line that names the fault when', () => {
  const start = (changes: Parameters<typeof startProduct>[0]): Promise<unknown> =>
    startProduct(changes).then(async (product) => product.close());
  const refusal = (variable: string, fault: RegExp) => ({
    code: 'bad_certificate',
    message: expect.stringMatching(
      new RegExp(`^The certificate of the server at ${variable} is not accepted: ${fault.source}`),
    ),
  });

  it('the certificate authority is missing or wrong', async () => {
    const fault = /self.signed certificate/;
    await expect(start({ databaseUrl })).rejects.toMatchObject(refusal('DATABASE_URL', fault));
    const other = { sslrootcert: file('stranger.pem') };
    await expect(start({ databaseUrl: withQuery(databaseUrl, other) })).rejects.toMatchObject(
      refusal('DATABASE_URL', fault),
    );
    await expect(start({ clickhouseUrl })).rejects.toMatchObject(refusal('CLICKHOUSE_URL', fault));
    await expect(start({ clickhouseUrl: withQuery(clickhouseUrl, other) })).rejects.toMatchObject(
      refusal('CLICKHOUSE_URL', fault),
    );
  });

  it('the host name is not in the certificate', async () => {
    const fault = /Hostname\/IP does not match/;
    await expect(start({ databaseUrl: withQuery(databaseUrl, known(), 'localhost') })).rejects.toMatchObject(
      refusal('DATABASE_URL', fault),
    );
    await expect(
      start({ clickhouseUrl: withQuery(clickhouseUrl, known(), 'localhost') }),
    ).rejects.toMatchObject(refusal('CLICKHOUSE_URL', fault));
  });

  it('the file of the authority does not exist or the URL does not use TLS', async () => {
    const missing = { sslrootcert: file('nowhere.pem') };
    await expect(start({ clickhouseUrl: withQuery(clickhouseUrl, missing) })).rejects.toMatchObject({
      code: 'bad_configuration',
      message: expect.stringMatching(/^CLICKHOUSE_URL: sslrootcert cannot be read .*nowhere\.pem/),
    });
    await expect(start({ clickhouseUrl: withQuery(inject('clickhouseUrl'), known()) })).rejects.toMatchObject(
      { message: 'CLICKHOUSE_URL: sslrootcert needs https://' },
    );
    await expect(start({ databaseUrl: withQuery(databaseUrl, missing) })).rejects.toThrow(
      /no such file.*nowhere\.pem/,
    );
  });
});
