import { describe, expect, it } from 'vitest';
import { runSliced } from '../../../src/lib/time-slicing.js';

function* steps(count: number, work: (step: number) => void): Generator<void, string> {
  for (let step = 0; step < count; step += 1) {
    work(step);
    yield;
  }
  return 'result';
}

const workFor = (ms: number): void => {
  for (const end = performance.now() + ms; performance.now() < end; );
};

describe('runSliced', () => {
  it('does every step once, in order, and returns the result', async () => {
    const done: number[] = [];
    expect(await runSliced(steps(100, (step) => done.push(step)))).toBe('result');
    expect(done).toEqual(Array.from({ length: 100 }, (_, step) => step));
  });

  it('lets others run between long steps', async () => {
    let startedSteps = 0;
    const seen: number[] = [];
    const look = (): void => {
      seen.push(startedSteps);
      if (startedSteps < 5) setImmediate(look);
    };
    setImmediate(look);
    await runSliced(
      steps(5, (step) => {
        startedSteps = step + 1;
        workFor(5);
      }),
    );
    expect(seen).toEqual(expect.arrayContaining([1, 2, 3, 4]));
  });

  it('runs one step per turn of the event loop, however many computations there are', async () => {
    let done = 0;
    let most = 0;
    let seen = 0;
    let isOver = false;
    const look = (): void => {
      most = Math.max(most, done - seen);
      seen = done;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    const long = () =>
      runSliced(
        steps(5, () => {
          workFor(5);
          done += 1;
        }),
      );
    await Promise.all(Array.from({ length: 12 }, long));
    isOver = true;
    expect(done).toBe(60);
    expect(most).toBe(1);
  });

  it('alternates between computations', async () => {
    const turns: number[] = [];
    const long = (number: number) =>
      runSliced(
        steps(3, () => {
          workFor(5);
          turns.push(number);
        }),
      );
    await Promise.all([long(1), long(2)]);
    expect(turns).toEqual([1, 2, 1, 2, 1, 2]);
  });

  it('continues the others when one fails', async () => {
    const failing = steps(2, () => {
      throw new Error('step failed');
    });
    const [first, second] = await Promise.allSettled([runSliced(failing), runSliced(steps(2, () => 0))]);
    expect([first?.status, second?.status]).toEqual(['rejected', 'fulfilled']);
  });

  it('rejects with what a step throws', async () => {
    const failing = steps(3, (step) => {
      if (step === 1) throw new Error('step failed');
    });
    await expect(runSliced(failing)).rejects.toThrow('step failed');
  });
});
