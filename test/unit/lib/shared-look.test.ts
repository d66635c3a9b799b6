import { describe, expect, it, vi } from 'vitest';
import { shareLooks } from '../../../src/lib/shared-look.js';

describe('shareLooks', () => {
  it('keeps an answer for as long as a function of its cost says', async () => {
    vi.useFakeTimers();
    try {
      let looks = 0;
      const slow = (): Promise<number> =>
        new Promise((resolve) => {
          looks += 1;
          setTimeout(() => resolve(looks), 100);
        });
      const look = shareLooks(slow, (tookMs) => 20 * tookMs);
      const first = look();
      await vi.advanceTimersByTimeAsync(100);
      expect(await first).toBe(1);
      await vi.advanceTimersByTimeAsync(1_999);
      expect(await look()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      const second = look();
      await vi.advanceTimersByTimeAsync(100);
      expect(await second).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
});
