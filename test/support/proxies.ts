/** nginx and HAProxy in front of API processes, configured by deploy/examples or with nginx's defaults. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createPortChooser } from '../../src/embedded/ports.js';
import { patienceMs } from './patience.js';
import { programOf, type ToolName } from './tools.js';

const run = promisify(execFile);

export interface RunningProxy {
  /** Origin. */
  readonly url: string;
  /** Everything logged so far. */
  log(): Promise<string>;
  close(): Promise<void>;
}

/** `host:port` of two API processes, which may be the same. */
export type Upstreams = readonly [string, string];

const ports = createPortChooser();

/** Reserves a port across all test processes until this one exits. */
export const freePort = (): Promise<number> =>
  ports.choose({ owner: 'a test', variable: '', wanted: undefined, remembered: undefined });

const isListening = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const start = async (
  tool: ToolName,
  args: string[],
  port: number,
): Promise<{ child: ChildProcess; output: () => string }> => {
  const child = spawn(await programOf(tool), args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (piece) => {
      text += String(piece);
    });
  const until = Date.now() + patienceMs;
  while (!(await isListening(port))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error(`${tool} does not start: ${text}`);
    await sleep(20);
  }
  return { child, output: () => text };
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
};

const makeCertificate = async (folder: string): Promise<void> => {
  const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
  await run(await programOf('openssl'), [
    ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost'],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', ...files],
  ]);
};

/** @param changes replacements that an operator would make in the file. */
const readExample = async (name: string, changes: readonly [string, string][]): Promise<string> => {
  let text = await readFile(new URL(`../../deploy/examples/${name}`, import.meta.url), 'utf8');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`deploy/examples/${name} has no "${from}"`);
    text = text.replaceAll(from, to);
  }
  return text;
};

const upstreamNames = ([one, two]: Upstreams): [string, string][] => [
  ['api-1.internal:8080', one],
  ['api-2.internal:8080', two],
];

/** @param site content of the `http` block. */
const startNginx = async (folder: string, port: number, url: string, site: string): Promise<RunningProxy> => {
  const places = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const temporary = places.map((place) => `${place}_temp_path ${join(folder, place)};`).join(' ');
  // The default user of the workers of a root master cannot read the folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  const file = join(folder, 'nginx.conf');
  await writeFile(
    file,
    `${user} daemon off; pid ${join(folder, 'nginx.pid')}; error_log ${join(folder, 'error.log')} warn;
     events {} http { ${temporary} access_log ${join(folder, 'access.log')};\n${site}\n}\n`,
  );
  const { child } = await start('nginx', ['-p', folder, '-c', file], port);
  const logs = ['access.log', 'error.log', 'tabulary.log', 'tabulary-error.log'];
  return {
    url,
    async log() {
      const texts = logs.map((name) => readFile(join(folder, name), 'utf8').catch(() => ''));
      return (await Promise.all(texts)).join('');
    },
    async close() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};

const makeFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tabulary-proxy-'));

/** nginx with nothing but `proxy_pass`; over TLS also with HTTP/2. */
export const startDefaultNginx = async ([target]: Upstreams): Promise<
  RunningProxy & { readonly tlsUrl: string }
> => {
  const folder = await makeFolder();
  const [port, tlsPort] = [await freePort(), await freePort()];
  await makeCertificate(folder);
  const nginx = await startNginx(
    folder,
    port,
    `http://127.0.0.1:${port}`,
    `server {
       listen 127.0.0.1:${port}; listen 127.0.0.1:${tlsPort} ssl http2;
       ssl_certificate ${join(folder, 'fullchain.pem')}; ssl_certificate_key ${join(folder, 'privkey.pem')};
       location / { proxy_pass http://${target}; }
     }`,
  );
  return { ...nginx, tlsUrl: `https://127.0.0.1:${tlsPort}` };
};

export interface ExampleOptions {
  readonly upstreams: Upstreams;
  /** Enables the lines for a service below `/tables`. */
  readonly belowPath?: boolean;
}

/** Uncomments the configuration below the given line. */
const uncomment = (text: string, above: string): string => {
  const at = text.indexOf(above);
  if (at === -1) throw new Error(`the example has no "${above}"`);
  return text.slice(0, at) + text.slice(at).replace(/^(\s*)# (?=location|http-request)/gm, '$1');
};

export const startExampleNginx = async ({ upstreams, belowPath }: ExampleOptions): Promise<RunningProxy> => {
  const folder = await makeFolder();
  const [port, plainPort] = [await freePort(), await freePort()];
  await makeCertificate(folder);
  const site = await readExample('nginx.conf', [
    ...upstreamNames(upstreams),
    ['/etc/nginx/tls/', `${folder}/`],
    ['/var/log/nginx/', `${folder}/`],
    ['listen 443', `listen 127.0.0.1:${port}`],
    ['listen 80', `listen 127.0.0.1:${plainPort}`],
  ]);
  const root = /\n {2}location ~\* \^\/metrics .*?\n {2}location \/ \{.*?\n {2}\}\n/s;
  const used = belowPath
    ? uncomment(site.replace(root, '\n'), '# With PUBLIC_URL=https://data.example.org/tables')
    : site;
  return startNginx(folder, port, `https://127.0.0.1:${port}`, used);
};

export const startExampleHaproxy = async ({
  upstreams,
  belowPath,
}: ExampleOptions): Promise<RunningProxy> => {
  const folder = await makeFolder();
  const [port, plainPort] = [await freePort(), await freePort()];
  await makeCertificate(folder);
  const pem = join(folder, 'both.pem');
  const parts = ['privkey.pem', 'fullchain.pem'].map((name) => readFile(join(folder, name), 'utf8'));
  await writeFile(pem, (await Promise.all(parts)).join(''));
  const text = await readExample('haproxy.cfg', [
    ...upstreamNames(upstreams),
    ['/etc/haproxy/tls/data.example.org.pem', pem],
    ['bind :443', `bind 127.0.0.1:${port}`],
    ['bind :80', `bind 127.0.0.1:${plainPort}`],
    // Some machines have a low limit of open files.
    ['maxconn 10000', 'maxconn 200'],
  ]);
  const file = join(folder, 'haproxy.cfg');
  const used = belowPath ? uncomment(text, '# With PUBLIC_URL=https://data.example.org/tables') : text;
  await writeFile(file, used);
  const { child, output } = await start('haproxy', ['-f', file], port);
  return {
    url: `https://127.0.0.1:${port}`,
    log: async () => output(),
    async close() {
      await stop(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
};
