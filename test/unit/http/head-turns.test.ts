import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createHeadTurns, type HeadTurns } from '../../../src/http/head-turns.js';

/** A connection as far as it is read or not. */
interface Peer {
  readonly name: string;
  readonly site: string;
  isRead: boolean;
}

const peer = (name: string, site = 'one'): Peer => ({ name, site, isRead: true });

let rested: string[] = [];
let turns: HeadTurns<Peer>;
const open = async (...peers: Peer[]): Promise<void> => {
  for (const each of peers) turns.expect(each);
  // The first pause comes on the next tick.
  await Promise.resolve();
  await new Promise<void>((resolve) => process.nextTick(resolve));
};
const read = (peers: readonly Peer[]): string[] =>
  peers.filter(({ isRead }) => isRead).map(({ name }) => name);

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  rested = [];
  const socketOf = (of: Peer): Socket =>
    ({
      pause() {
        of.isRead = false;
      },
      resume() {
        of.isRead = true;
      },
    }) as unknown as Socket;
  const onRest = ({ name }: Peer): void => void rested.push(name);
  turns = createHeadTurns({ places: 2, socketOf, onRest }, ({ site }) => site);
});
afterEach(() => vi.useRealTimers());

describe('turns of heads', () => {
  it('read as many connections as there are places, and the next when a head is complete', async () => {
    const peers = ['a', 'b', 'c', 'd'].map((name) => peer(name));
    await open(...peers);
    expect(read(peers)).toEqual(['a', 'b']);
    turns.settle(peers[0] as Peer);
    expect(read(peers)).toEqual(['a', 'b', 'c']);
    expect(rested).toEqual([]);
  });

  it('take the place of whoever did not complete a head, one after the other, and give it back', async () => {
    const peers = ['a', 'b', 'c', 'd', 'e'].map((name) => peer(name));
    await open(...peers);
    const seen: string[][] = [];
    for (let round = 0; round < 5; round += 1) {
      vi.advanceTimersByTime(10);
      seen.push(read(peers));
      expect(read(peers)).toHaveLength(2);
    }
    expect(new Set(seen.flat())).toEqual(new Set(['a', 'b', 'c', 'd', 'e']));
    expect(rested.length).toBeGreaterThanOrEqual(6);
  });

  it('disturb nobody while there are places for all', async () => {
    const peers = ['a', 'b'].map((name) => peer(name));
    await open(...peers);
    vi.advanceTimersByTime(1_000);
    expect(read(peers)).toEqual(['a', 'b']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('are taken address by address: who comes behind a thousand of another is next', async () => {
    const crowd = Array.from({ length: 1_000 }, (_, at) => peer(`crowd ${at}`));
    const other = peer('other', 'two');
    await open(...crowd, other);
    vi.advanceTimersByTime(20);
    expect(other.isRead).toBe(true);
  });

  it('are over for a connection that closes, and nothing looks at the others when all have places', async () => {
    const peers = ['a', 'b', 'c', 'd'].map((name) => peer(name));
    await open(...peers);
    const [a, b, c, d] = peers as [Peer, Peer, Peer, Peer];
    turns.settle(c);
    turns.settle(a);
    expect(read([b, d])).toEqual(['b', 'd']);
    vi.advanceTimersByTime(10);
    expect(vi.getTimerCount()).toBe(0);
  });
});
