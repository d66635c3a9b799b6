import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../../../src/lib/log.js';
import { createAccountWindows } from '../../../../src/uploads/receive/account-windows.js';

const greedy = { accountId: 1, processId: 10 };

/** Windows of four chunks; `handled` has the number of chunks that workers have handled, by process. */
const open = (handled: Map<number, number>, options: { stallMs?: number } = {}) => {
  const windows = createAccountWindows({
    chunks: () => 4,
    handled: async (ids) => new Map([...handled].filter(([id]) => ids.includes(id))),
    log: silentLog,
    pollMs: 5,
    stallMs: 60_000,
    ...options,
  });
  let entered = 0;
  const send = (count: number, load = 1, sender = greedy): Promise<void>[] =>
    Array.from({ length: count }, () =>
      windows.enter(sender, load).then(() => {
        entered += 1;
      }),
    );
  return { windows, send, entered: () => entered };
};

/** Waits until `count` chunks have entered, and checks that no others follow. */
const expectEntered = async (entered: () => number, count: number): Promise<void> => {
  await expect.poll(entered, { interval: 5 }).toBe(count);
  await sleep(20);
  expect(entered()).toBe(count);
};

describe('the window of an account', () => {
  it('holds back chunks of all its uploads until workers have handled earlier ones', async () => {
    const handled = new Map([
      [10, 0],
      [11, 0],
    ]);
    const { windows, send, entered } = open(handled);
    send(3);
    send(5, 1, { accountId: 1, processId: 11 });
    await expectEntered(entered, 4);
    handled.set(10, 2);
    await expectEntered(entered, 6);
    handled.set(10, 3).set(11, 3);
    await expectEntered(entered, 8);
    await windows.close();
  });

  it('does not hold back another account', async () => {
    const { windows, send } = open(new Map([[10, 0]]));
    send(50);
    await Promise.all(send(1, 1, { accountId: 2, processId: 20 }));
    await windows.close();
  });

  it('is smaller while others have chunks in flight, so that accounts take turns', async () => {
    const handled = new Map([
      [10, 0],
      [20, 0],
    ]);
    const { windows, send, entered } = open(handled);
    send(50);
    send(5, 1, { accountId: 2, processId: 20 });
    await expectEntered(entered, 4 + 1);
    handled.set(10, 3);
    await expectEntered(entered, 4 + 1);
    handled.set(10, 4).set(20, 1);
    await expectEntered(entered, 5 + 2);
    await windows.close();
  });

  it('counts load, not messages: small chunks pass', async () => {
    const { windows, send } = open(new Map([[10, 0]]));
    await Promise.all(send(1_000, 0.001));
    await windows.close();
  });

  it('is released when an upload has ended', async () => {
    const handled = new Map([[10, 0]]);
    const { windows, send, entered } = open(handled);
    send(6);
    await expectEntered(entered, 4);
    handled.delete(10);
    await expectEntered(entered, 6);
    await windows.close();
  });

  it('holds nothing back once no chunk has been handled for stallMs', async () => {
    const { windows, send } = open(new Map([[10, 0]]), { stallMs: 30 });
    await Promise.all(send(100));
    await windows.close();
  });

  it('releases all waiting chunks when it is closed', async () => {
    const { windows, send } = open(new Map([[10, 0]]));
    const sent = send(10);
    await windows.close();
    await Promise.all(sent);
  });
});
