import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createHeaderScheduler,
  type HeaderScheduler,
} from '../../../../src/http/connections/header-scheduler.js';

/** Connection that records whether it is read. */
interface Peer {
  readonly name: string;
  readonly site: string;
  isRead: boolean;
}

const peer = (name: string, site = 'one'): Peer => ({ name, site, isRead: true });

let paused: string[] = [];
let scheduler: HeaderScheduler<Peer>;
const open = async (...peers: Peer[]): Promise<void> => {
  for (const each of peers) scheduler.expect(each);
  // The first pause comes on the next tick.
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
};
const read = (peers: readonly Peer[]): string[] =>
  peers.filter(({ isRead }) => isRead).map(({ name }) => name);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  paused = [];
  const socketOf = (target: Peer): Socket =>
    ({
      pause() {
        target.isRead = false;
      },
      resume() {
        target.isRead = true;
      },
    }) as unknown as Socket;
  const onPause = ({ name }: Peer): void => void paused.push(name);
  scheduler = createHeaderScheduler({ permits: 2, socketOf, onPause }, ({ site }) => site);
});
afterEach(() => vi.useRealTimers());

describe('the header scheduler', () => {
  it('reads as many connections as there are permits, and the next when a head is complete', async () => {
    const peers = ['a', 'b', 'c', 'd'].map((name) => peer(name));
    await open(...peers);
    expect(read(peers)).toEqual(['a', 'b']);
    scheduler.settle(peers[0] as Peer);
    expect(read(peers)).toEqual(['a', 'b', 'c']);
    expect(paused).toEqual([]);
  });

  it('rotates permits among connections whose heads are incomplete', async () => {
    const peers = ['a', 'b', 'c', 'd', 'e'].map((name) => peer(name));
    await open(...peers);
    const seen: string[][] = [];
    for (let round = 0; round < 5; round += 1) {
      vi.advanceTimersByTime(10);
      seen.push(read(peers));
      expect(read(peers)).toHaveLength(2);
    }
    expect(new Set(seen.flat())).toEqual(new Set(['a', 'b', 'c', 'd', 'e']));
    expect(paused.length).toBeGreaterThanOrEqual(6);
  });

  it('pauses no connection while there are permits for all', async () => {
    const peers = ['a', 'b'].map((name) => peer(name));
    await open(...peers);
    vi.advanceTimersByTime(1_000);
    expect(read(peers)).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('takes turns by address: a connection behind a thousand of another address is next', async () => {
    const crowd = Array.from({ length: 1_000 }, (_, at) => peer(`crowd ${at}`));
    const other = peer('other', 'two');
    await open(...crowd, other);
    vi.advanceTimersByTime(20);
    expect(other.isRead).toBe(true);
  });

  it('forgets a connection that closes, and sets no timer once all have permits', async () => {
    const peers = ['a', 'b', 'c', 'd'].map((name) => peer(name));
    await open(...peers);
    const [a, b, c, d] = peers as [Peer, Peer, Peer, Peer];
    scheduler.settle(c);
    scheduler.settle(a);
    expect(read([b, d])).toEqual(['b', 'd']);
    vi.advanceTimersByTime(10);
    expect(vi.getTimerCount()).toBe(0);
  });
});
