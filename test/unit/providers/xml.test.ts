import { describe, expect, it } from 'vitest';
import { descendantsNamed, readXml } from '../../../src/providers/xml.js';

const nested = (levels: number): string => '<a>'.repeat(levels) + '</a>'.repeat(levels);

describe('an XML reply', () => {
  it('has at most 200 nested elements', () => {
    const provider = { slug: 'stats', name: 'Statistics' };
    expect(descendantsNamed(readXml(provider, nested(200)), 'b')).toEqual([]);
    for (const levels of [201, 100_000])
      expect(() => readXml(provider, nested(levels))).toThrow(/Unexpected reply of Statistics/);
  });
});
