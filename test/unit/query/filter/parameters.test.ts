import { describe, expect, it } from 'vitest';
import { createPackedParameters, createParameters } from '../../../../src/query/filter/parameters.js';

/** Most characters in one form field of a request. */
const longest = 12_000;

describe('parameters', () => {
  it('are shared by equal values of one type', () => {
    const parameters = createParameters();
    expect([
      parameters.add('String', '1'),
      parameters.add('Int64', '1'),
      parameters.add('Float64', 1),
      parameters.add('String', '1'),
      parameters.addTexts(['1', '2']),
      parameters.addTexts(['1', '2']),
      parameters.addTexts([]),
    ]).toEqual([
      '{p0:String}',
      '{p1:Int64}',
      '{p2:Float64}',
      '{p0:String}',
      '{p3:Array(String)}',
      '{p3:Array(String)}',
      '{p4:Array(String)}',
    ]);
    expect(parameters.count()).toBe(5);
    expect(parameters.values()).toEqual({ p0: '1', p1: '1', p2: 1, p3: ['1', '2'], p4: [] });
  });

  it('have the prefix of their set, which a statement may have several of', () => {
    const parameters = createParameters('s');
    expect(parameters.add('String', 'a')).toBe('{s0:String}');
    expect(parameters.values()).toEqual({ s0: 'a' });
  });

  it('for a long text are concatenated from several, split between characters', () => {
    const parameters = createParameters();
    expect(parameters.add('String', 'a'.repeat(longest))).toBe('{p0:String}');
    expect(parameters.add('String', 'b'.repeat(longest + 1))).toBe('concat({p1:String}, {p2:String})');
    expect(parameters.add('String', `${'c'.repeat(longest - 1)}😀`)).toBe('concat({p3:String}, {p4:String})');
    const lengths = Object.values(parameters.values()).map((value) => (value as string).length);
    expect(lengths).toEqual([longest, longest, 1, longest - 1, 2]);
    expect(parameters.values()).toMatchObject({ p2: 'b', p4: '😀' });
    expect(createParameters().add('String', 'd'.repeat(2 * longest))).toBe(
      'concat({p0:String}, {p0:String})',
    );
  });

  it('for a long list are concatenated from several, including quotes and commas in the length', () => {
    const parameters = createParameters();
    const half = 'a'.repeat(longest / 2 - 3);
    expect(parameters.addTexts([half, `${half}aaa`, 'b'])).toBe(
      'arrayConcat({p0:Array(String)}, {p1:Array(String)})',
    );
    expect(parameters.values()).toEqual({ p0: [half, `${half}aaa`], p1: ['b'] });
    expect(createParameters().addTexts([half, `${half}aaaa`])).toMatch(/^arrayConcat/);
  });

  it('for a long text in a list form a list with one item', () => {
    const parameters = createParameters();
    const long = 'a'.repeat(longest + 1);
    expect(parameters.addTexts(['b', long, 'c'])).toBe(
      'arrayConcat({p0:Array(String)}, [concat({p1:String}, {p2:String})], {p3:Array(String)})',
    );
    expect(parameters.addTexts(['a'.repeat(longest)])).toBe('{p4:Array(String)}');
    expect(parameters.addTexts([long])).toBe('[concat({p1:String}, {p2:String})]');
  });
});

describe('packed parameters', () => {
  it('hold 64 values per field, with single values in even fields and lists in odd ones', () => {
    const parameters = createPackedParameters('q');
    const singles = Array.from({ length: 66 }, (_, at) => parameters.add('String', `${at}`));
    const lists = Array.from({ length: 65 }, (_, at) => parameters.addTexts([`${at}`]));
    expect([singles[0], singles[63], singles[64], singles[65]]).toEqual([
      '{q0:Array(String)}[1]',
      '{q0:Array(String)}[64]',
      '{q2:Array(String)}[1]',
      '{q2:Array(String)}[2]',
    ]);
    expect([lists[0], lists[63], lists[64]]).toEqual([
      '{q1:Array(Array(String))}[1]',
      '{q1:Array(Array(String))}[64]',
      '{q3:Array(Array(String))}[1]',
    ]);
    const { q0, q1, q2, q3, ...others } = parameters.values();
    expect([q0, q1].map((values) => (values as unknown[]).length)).toEqual([64, 64]);
    expect({ q2, q3, others }).toEqual({ q2: ['64', '65'], q3: [['64']], others: {} });
    expect(parameters.count()).toBe(131);
  });

  it('are texts that are cast to their type', () => {
    const parameters = createPackedParameters();
    expect(parameters.add('Float64', 1.5)).toBe("CAST({p0:Array(String)}[1], 'Float64')");
    expect(parameters.add('Int64', '7')).toBe("CAST({p0:Array(String)}[2], 'Int64')");
    expect(parameters.values()).toEqual({ p0: ['1.5', '7'] });
    expect(createPackedParameters().values()).toEqual({});
  });
});
