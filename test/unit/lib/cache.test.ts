import { describe, expect, it } from 'vitest';
import { createCache } from '../../../src/lib/cache.js';

const texts = (limit: number) => createCache<string>({ limit, weigh: (text) => text.length });

describe('createCache', () => {
  it('evicts the least recently used value', () => {
    const cache = texts(6);
    cache.set('a', 'aaa');
    cache.set('b', 'bbb');
    cache.get('a');
    cache.set('c', 'ccc');
    expect(['a', 'b', 'c'].map((key) => cache.get(key))).toEqual(['aaa', undefined, 'ccc']);
  });

  it('counts the weight of a replaced value once', () => {
    const cache = texts(6);
    for (let turn = 0; turn < 10; turn += 1) cache.set('a', 'aaa');
    cache.set('b', 'bbb');
    expect(cache.get('a')).toBe('aaa');
  });

  it('keeps a value heavier than the limit until the next one is set', () => {
    const cache = texts(2);
    cache.set('a', 'aaa');
    expect(cache.get('a')).toBe('aaa');
    cache.set('b', 'b');
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'b']);
  });
});
