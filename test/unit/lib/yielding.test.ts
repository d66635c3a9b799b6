import { describe, expect, it } from 'vitest';
import { runYielding } from '../../../src/lib/yielding.js';

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

describe('runYielding', () => {
  it('does every step once, in order, and gives the result', async () => {
    const done: number[] = [];
    expect(await runYielding(steps(100, (step) => done.push(step)))).toBe('result');
    expect(done).toEqual(Array.from({ length: 100 }, (_, step) => step));
  });

  it('lets others run between long steps', async () => {
    let begun = 0;
    const seen: number[] = [];
    const look = (): void => {
      seen.push(begun);
      if (begun < 5) setImmediate(look);
    };
    setImmediate(look);
    await runYielding(
      steps(5, (step) => {
        begun = step + 1;
        workFor(5);
      }),
    );
    expect(seen).toEqual(expect.arrayContaining([1, 2, 3, 4]));
  });

  it('rejects with what a step throws', async () => {
    const failing = steps(3, (step) => {
      if (step === 1) throw new Error('step failed');
    });
    await expect(runYielding(failing)).rejects.toThrow('step failed');
  });
});
