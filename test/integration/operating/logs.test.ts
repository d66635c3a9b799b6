import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { logOptions } from '../../../src/lib/log.js';
import { authorization, type Client, createDataset } from '../../support/datasets.js';
import { patienceMs } from '../../support/patience.js';
import { startProduct, type TestProduct } from '../../support/product.js';
import { root } from '../../support/test-files.js';
import { viteNode } from '../../support/vite-node.js';

const lines: string[] = [];
let product: TestProduct;
let owner: Client;
beforeAll(async () => {
  const log = pino(logOptions('test', 'debug'), { write: (text: string) => void lines.push(text) });
  product = await startProduct({}, log);
  owner = await product.createAccount('owner');
});
afterAll(() => product?.close());

const until = async <T>(find: () => T | undefined): Promise<T> => {
  for (const end = Date.now() + patienceMs; Date.now() < end; ) {
    const found = find();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('timed out waiting for the log line');
};

const requestLine = (part: string): Promise<string> =>
  until(() => lines.find((line) => line.includes('"msg":"request"') && line.includes(part)));

describe('the line of a request', () => {
  it('names the account once', async () => {
    await fetch(`${owner.baseUrl}/repositories/home`, {
      headers: { ...authorization(owner.key), 'x-request-id': 'once' },
    });
    const line = await requestLine('"requestId":"once"');
    expect(line.match(/"account":/g)).toHaveLength(1);
    expect(JSON.parse(line)).toMatchObject({
      level: 30,
      status: 200,
      complete: true,
      account: expect.any(Number),
    });
  });

  it('has level debug when the client disconnects, and no line of that request has a higher level', async () => {
    const dataset = await createDataset(owner);
    const { hostname, port } = new URL(owner.baseUrl);
    const socket = connect(Number(port), hostname);
    const { authorization: credentials = '' } = authorization(owner.key);
    const head = `PUT /api/datasets/${dataset}/data HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\nAuthorization: ${credentials}\r\n`;
    const formHead = 'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 100000\r\n\r\n';
    const form = '--b\r\nContent-Disposition: form-data; name="data"; filename="a.csv"\r\n\r\na,b\n1,2\n';
    socket.write(`${head}Expect: 100-continue\r\n${formHead}`);
    // The server reads the body from here on.
    await once(socket, 'data');
    socket.write(form, () => socket.destroy());
    const line = await requestLine('"requestId":"gone"');
    expect(JSON.parse(line)).toMatchObject({ level: 20, complete: false });
    const aboveDebug = lines
      .filter((each) => each.includes('"requestId":"gone"'))
      .map((each) => JSON.parse(each) as { level: number; msg: string })
      .filter(({ level }) => level > 20);
    expect(aboveDebug).toEqual([]);
  });
});

describe('SIGUSR2', () => {
  let child: ChildProcess;
  afterAll(() => child?.kill('SIGKILL'));

  it('switches a running process to debug and back', async () => {
    child = spawn(process.execPath, [viteNode, 'test/support/ticking-program.ts'], {
      cwd: root,
      env: { ...process.env, LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output: string[] = [];
    if (child.stdout === null) throw new Error('no output');
    createInterface(child.stdout).on('line', (line) =>
      output.push((JSON.parse(line) as { msg: string }).msg),
    );
    await until(() => output.find((msg) => msg === 'begun'));
    expect(output).not.toContain('tick');
    child.kill('SIGUSR2');
    await until(() => output.find((msg) => msg === 'tick'));
    child.kill('SIGUSR2');
    await until(() => (output.filter((msg) => msg === 'log level changed').length === 2 ? true : undefined));
    const ticks = output.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(output.length - ticks).toBeLessThanOrEqual(1);
  });
});
