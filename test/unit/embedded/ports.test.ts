import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createPortChooser, type PortChooser, startOnPorts } from '../../../src/embedded/ports.js';
import { silentLog } from '../../../src/lib/log.js';

const anyPort = { owner: 'a server', variable: 'SERVER_PORT', wanted: undefined, remembered: undefined };
const choosers: PortChooser[] = [];
const otherServers: Server[] = [];
const children: ChildProcess[] = [];

const chooser = (): PortChooser => {
  const made = createPortChooser();
  choosers.push(made);
  return made;
};

const occupy = async (port: number): Promise<void> => {
  const server = createServer().listen(port, '127.0.0.1');
  otherServers.push(server);
  await once(server, 'listening');
};

/** Reserves the port in another process, as the product does before it listens on it. */
const reserveElsewhere = async (port: number): Promise<void> => {
  const script = `require('node:net').createServer().listen('\\0tabulary-port-${port}', () => console.log('held'))`;
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  await once(child.stdout, 'data');
};

afterEach(async () => {
  for (const made of choosers.splice(0)) made.release();
  for (const server of otherServers.splice(0)) server.close();
  for (const child of children.splice(0)) {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

describe('a reserved port', () => {
  it('is not chosen again until it is released, even if nothing listens on it yet', async () => {
    const first = chooser();
    const port = await first.choose(anyPort);
    expect(await chooser().choose({ ...anyPort, remembered: port })).not.toBe(port);
    await expect(chooser().choose({ ...anyPort, wanted: port })).rejects.toMatchObject({
      code: 'port_occupied',
    });
    first.release();
    expect(await chooser().choose({ ...anyPort, remembered: port })).toBe(port);
  });

  it.runIf(process.platform === 'linux')(
    'of another process is not chosen until that process ends',
    async () => {
      const first = chooser();
      const port = await first.choose(anyPort);
      first.release();
      await reserveElsewhere(port);
      expect(await chooser().choose({ ...anyPort, remembered: port })).not.toBe(port);
      const [child] = children.splice(0);
      child?.kill('SIGKILL');
      if (child !== undefined) await once(child, 'exit');
      expect(await chooser().choose({ ...anyPort, remembered: port })).toBe(port);
    },
  );
});

describe('a start whose port another program has taken', () => {
  const failed = new Error('the address is in use');

  it('is retried with another port', async () => {
    const tried: number[] = [];
    const { started, ports } = await startOnPorts({
      async run(own) {
        const port = await own.choose({ ...anyPort, remembered: tried[0] });
        tried.push(port);
        if (tried.length > 1) return port;
        await occupy(port);
        throw failed;
      },
      mayRetry: () => true,
      log: silentLog,
    });
    choosers.push(ports);
    expect(tried).toHaveLength(2);
    expect(tried[1]).not.toBe(tried[0]);
    expect(started).toBe(tried[1]);
  });

  it.each([
    { why: 'its ports are free: it failed for another reason', isTaken: false, mayRetry: true },
    { why: 'everything is being stopped', isTaken: true, mayRetry: false },
  ])('is not retried when $why', async ({ isTaken, mayRetry }) => {
    const tried: number[] = [];
    const start = startOnPorts({
      async run(own) {
        const port = await own.choose(anyPort);
        tried.push(port);
        if (isTaken) await occupy(port);
        throw failed;
      },
      mayRetry: () => mayRetry,
      log: silentLog,
    });
    await expect(start).rejects.toBe(failed);
    expect(tried).toHaveLength(1);
    const [port] = tried;
    if (!isTaken) expect(await chooser().choose({ ...anyPort, remembered: port })).toBe(port);
  });
});
