import { once } from 'node:events';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { holdForReader, holdForSender } from '../../../src/lib/held-streams.js';
import { createPlaces, type Place, type PlacesOptions } from '../../../src/lib/places.js';

const never = new AbortController().signal;

const open = (options: Partial<PlacesOptions> = {}) =>
  createPlaces({
    name: 'downloads',
    code: 'no_query_slot',
    places: 2,
    queueLength: 9,
    maxWaitMs: 60_000,
    ...options,
  });

/** Who got a place so far. */
const watch = (places: ReturnType<typeof open>) => {
  const started: string[] = [];
  const take = async (owner: string, label = owner): Promise<Place> => {
    const place = await places.take(owner, never);
    started.push(label);
    return place;
  };
  return { started, take };
};

describe('places', () => {
  it('are given to whoever runs fewest, then to who came first', async () => {
    const places = open({ places: 2, ownPlaces: 2 });
    const { started, take } = watch(places);
    const held = [await take('greedy'), await take('greedy')];
    started.length = 0;
    const waiting = [
      take('greedy', 'greedy 3'),
      take('modest', 'modest 1'),
      take('greedy', 'greedy 4'),
      take('other', 'other 1'),
    ];
    held[0]?.release();
    (await waiting[1])?.release();
    (await waiting[3])?.release();
    (await waiting[0])?.release();
    (await waiting[2])?.release();
    expect(started).toEqual(['modest 1', 'other 1', 'greedy 3', 'greedy 4']);
    held[1]?.release();
    expect([places.running, places.resting, places.waiting]).toEqual([0, 0, 0]);
  });

  it('are never all taken by one owner', async () => {
    const places = open({ places: 4 });
    const { started, take } = watch(places);
    const greedy = Array.from({ length: 4 }, () => take('greedy'));
    await take('other');
    expect(started).toEqual(['greedy', 'greedy', 'other']);
    (await greedy[0])?.release();
    await greedy[2];
    expect(places.waiting).toBe(1);
    for (const index of [1, 2, 3]) (await greedy[index])?.release();
    expect(places.waiting).toBe(0);
  });

  it('are refused with a time to retry after when the queue, or the share of it, is full', async () => {
    const refused: string[] = [];
    const places = open({ places: 2, queueLength: 4, onRefused: (what) => refused.push(what) });
    const { take } = watch(places);
    const held = await take('a');
    const waiting = [take('a'), take('a')];
    await expect(take('a')).rejects.toMatchObject({
      kind: 'unavailable',
      code: 'no_query_slot',
      retryAfterSeconds: 5,
    });
    (await take('b')).release();
    expect(refused).toEqual(['refused']);
    held.release();
    for (const place of waiting) (await place).release();
    expect(places.waiting).toBe(0);
  });

  it('are not waited for longer than agreed', async () => {
    const places = open({ places: 1, queueLength: 1, maxWaitMs: 10 });
    await places.take('a', never);
    await expect(places.take('b', never)).rejects.toMatchObject({ code: 'no_query_slot' });
    expect(places.waiting).toBe(0);
  });

  it('are not kept for whoever leaves the queue', async () => {
    const places = open({ places: 1 });
    const held = await places.take('a', never);
    const gone = new AbortController();
    const waiting = places.take('b', gone.signal);
    gone.abort(new Error('hung up'));
    await expect(waiting).rejects.toThrow('hung up');
    expect(places.waiting).toBe(0);
    held.release();
    expect(places.running).toBe(0);
  });

  it('are given back when the caller is gone, whatever the holder still waits for', async () => {
    const places = open({ places: 1 });
    const gone = new AbortController();
    await places.take('a', gone.signal);
    const waiting = places.take('b', never);
    gone.abort(new Error('hung up'));
    (await waiting).release();
    expect([places.running, places.resting, places.waiting]).toEqual([0, 0, 0]);
  });

  it('are kept for work that goes on without its caller', async () => {
    const places = open({ places: 1, outlivesCaller: true });
    const gone = new AbortController();
    const held = await places.take('a', gone.signal);
    gone.abort(new Error('hung up'));
    expect(places.running).toBe(1);
    held.release();
    expect(places.running).toBe(0);
  });

  it('are given back once however often', async () => {
    const places = open({ places: 1 });
    const held = await places.take('a', never);
    held.release();
    held.release();
    expect(places.running).toBe(0);
    await expect(places.run('a', never, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(places.running).toBe(0);
  });
});

describe('a holder that waits for its client', () => {
  it('rests, and others run meanwhile', async () => {
    const places = open({ places: 1 });
    const slow = await places.take('slow', never);
    slow.idle();
    (await places.take('other', never)).release();
    expect([places.running, places.resting]).toEqual([0, 1]);
    slow.busy();
    await expect.poll(() => places.running).toBe(1);
    slow.release();
    expect([places.running, places.resting]).toEqual([0, 0]);
  });

  it('rests at once when it says that it will do nothing else', async () => {
    const places = open({ places: 1, ownPlaces: 1 });
    const sending = await places.take('a', never);
    sending.rest();
    expect([places.running, places.resting]).toEqual([0, 1]);
    const other = await places.take('a', never);
    sending.busy();
    expect([places.running, places.resting]).toEqual([2, 0]);
    other.release();
    sending.release();
    expect([places.running, places.resting]).toEqual([0, 0]);
  });

  it('rests although a little comes now and then', async () => {
    const places = open({ places: 1 });
    const slow = await places.take('slow', never);
    const trickle = setInterval(() => {
      slow.busy();
      slow.idle();
    }, 20);
    slow.idle();
    await places.take('other', never);
    clearInterval(trickle);
    expect(places.resting).toBe(1);
  });

  it('loses its seat when others wait for one, who rested for longest first', async () => {
    const lost: string[] = [];
    const places = open({ places: 1, ownPlaces: 1, seats: 2, ownSeats: 2, restLimitMs: 100 });
    const rest = async (name: string): Promise<void> => {
      const place = await places.take(name, never);
      place.lost.addEventListener('abort', () => lost.push(name));
      place.idle();
    };
    await rest('first');
    await expect.poll(() => places.resting).toBe(1);
    await rest('second');
    await expect.poll(() => places.resting).toBe(2);
    expect(lost).toEqual([]);
    const place = await places.take('third', never);
    expect(lost).toEqual(['first']);
    place.release();
  });

  it('loses its seat to its own owner when that has used up its share', async () => {
    const places = open({ places: 8, ownPlaces: 8, seats: 8, ownSeats: 2, restLimitMs: 1 });
    const mine = [await places.take('a', never), await places.take('a', never)];
    for (const place of mine) place.idle();
    const other = await places.take('b', never);
    other.idle();
    (await places.take('a', never)).release();
    expect(mine.filter(({ lost }) => lost.aborted)).toHaveLength(1);
    expect(other.lost.aborted).toBe(false);
    expect(mine.find(({ lost }) => lost.aborted)?.lost.reason).toMatchObject({ code: 'place_lost' });
  });

  it('does not keep others from their places when many of one owner go on at once', async () => {
    const places = open({ places: 4, ownPlaces: 2, seats: 40 });
    const many: Place[] = [];
    for (let count = 0; count < 6; count += 1) {
      const place = await places.take('many', never);
      place.idle();
      many.push(place);
      await expect.poll(() => places.resting).toBe(count + 1);
    }
    for (const place of many) place.busy();
    await expect.poll(() => places.running).toBe(6);
    const other = await places.take('other', never);
    expect(places.waiting).toBe(0);
    other.release();
  });
});

describe('streams that hold places', () => {
  async function* endless(): AsyncGenerator<Buffer> {
    for (;;) yield Buffer.alloc(16_384);
  }

  it('rest while nobody reads, and end with an error when the place is lost', async () => {
    const places = open({ places: 1, seats: 1, ownSeats: 1, restLimitMs: 50 });
    const body = Readable.from(endless(), { objectMode: false });
    holdForReader(await places.take('slow', never), body);
    body.on('data', () => body.pause());
    const failed = once(body, 'error');
    const place = await places.take('other', never);
    expect((await failed)[0]).toMatchObject({ code: 'place_lost' });
    expect(places.running).toBe(1);
    place.release();
  });

  it('give their places back when they close', async () => {
    const places = open();
    const body = Readable.from([Buffer.from('x')]);
    holdForReader(await places.take('a', never), body);
    body.resume();
    await once(body, 'close');
    expect(places.running).toBe(0);
  });

  it('give their places back when they had closed before', async () => {
    const places = open();
    const place = await places.take('a', never);
    const body = Readable.from([Buffer.from('x')]);
    body.destroy();
    await once(body, 'close');
    holdForReader(place, body);
    expect(places.running).toBe(0);
  });

  it('rest while a client sends nothing', async () => {
    const places = open({ places: 1 });
    let send: (() => void) | undefined;
    const source = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('a');
      await new Promise<void>((resolve) => {
        send = resolve;
      });
      yield Buffer.from('b');
    };
    const place = await places.take('slow', never);
    const read = (async () => {
      const pieces: string[] = [];
      for await (const piece of holdForSender(place, source())) pieces.push(String(piece));
      return pieces;
    })();
    (await places.take('other', never)).release();
    expect(places.resting).toBe(1);
    send?.();
    expect(await read).toEqual(['a', 'b']);
    await sleep(600);
    expect(places.running).toBe(1);
  });
});
