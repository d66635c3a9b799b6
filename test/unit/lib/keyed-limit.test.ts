import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createKeyedLimit } from '../../../src/lib/semaphore/keyed-limit.js';

const createLimit = (maxWaitMs = 60_000) =>
  createKeyedLimit<string>({ maxRunning: 2, maxWaitMs, refuse: () => new Error('waited too long') });

/** Work that notes its start and ends when it is told to. */
const createWork = () => {
  const started: string[] = [];
  const ends = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();
  const work = (name: string) => () =>
    new Promise<void>((resolve, reject) => {
      started.push(name);
      ends.set(name, { resolve, reject });
    });
  return {
    started,
    work,
    end: (name: string) => ends.get(name)?.resolve(),
    fail: (name: string) => ends.get(name)?.reject(new Error(`${name} failed`)),
  };
};

it('runs as many calls of a key as the limit allows, and starts the others in order', async () => {
  const limit = createLimit();
  const { started, work, end } = createWork();
  const calls = ['a1', 'a2', 'a3', 'a4'].map((name) => limit.run('a', work(name)));
  expect(started).toEqual(['a1', 'a2']);
  end('a2');
  await calls[1];
  expect(started).toEqual(['a1', 'a2', 'a3']);
  for (const name of ['a1', 'a3']) end(name);
  await Promise.all([calls[0], calls[2]]);
  expect(started).toEqual(['a1', 'a2', 'a3', 'a4']);
  end('a4');
  await calls[3];
});

it('does not let one key wait for another', () => {
  const limit = createLimit();
  const { started, work } = createWork();
  for (const name of ['a1', 'a2', 'a3']) void limit.run('a', work(name));
  void limit.run('b', work('b1'));
  expect(started).toEqual(['a1', 'a2', 'b1']);
});

it('starts the next call after one that failed, and throws the error of the work', async () => {
  const limit = createLimit();
  const { started, work, end, fail } = createWork();
  const calls = ['a1', 'a2', 'a3'].map((name) => limit.run('a', work(name)));
  fail('a1');
  await expect(calls[0]).rejects.toThrow('a1 failed');
  expect(started).toEqual(['a1', 'a2', 'a3']);
  for (const name of ['a2', 'a3']) end(name);
  await Promise.all(calls.slice(1));
  await expect(limit.run('a', async () => 'again')).resolves.toBe('again');
});

it('refuses a call that has waited too long, and never starts it', async () => {
  const limit = createLimit(20);
  const { started, work, end } = createWork();
  const running = ['a1', 'a2'].map((name) => limit.run('a', work(name)));
  await expect(limit.run('a', work('a3'))).rejects.toThrow('waited too long');
  for (const name of ['a1', 'a2']) end(name);
  await Promise.all(running);
  await sleep(1);
  expect(started).toEqual(['a1', 'a2']);
});
