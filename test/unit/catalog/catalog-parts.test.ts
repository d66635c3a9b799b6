import { describe, expect, it } from 'vitest';
import { render } from '../../../src/admin/print.js';
import { runCommandLine } from '../../../src/admin/run.js';
import { hashApiKey, newApiKey } from '../../../src/catalog/api-key.js';
import { inBatches, searchPatterns } from '../../../src/catalog/batches.js';
import { brokenUnique } from '../../../src/catalog/sql-state.js';
import { quotaExceeded, requireQuota } from '../../../src/model/plan.js';

describe('API keys', () => {
  it('are 256 random bits, in characters that a user name can contain unescaped', () => {
    const keys = Array.from({ length: 50 }, newApiKey);
    expect(new Set(keys.map(({ key }) => key)).size).toBe(50);
    for (const { key, prefix, hash } of keys) {
      expect(key).toMatch(/^tab_[A-Za-z0-9_-]{43}$/);
      expect(key.startsWith(prefix)).toBe(true);
      expect(prefix).toHaveLength(12);
      expect(hashApiKey(key)).toEqual(hash);
    }
  });
});

describe('inBatches', () => {
  const rows = Array.from({ length: 7 }, (_, index) => ({ id: index + 1 }));
  const collect = async (limit: number) => {
    const loads: number[] = [];
    const items: number[] = [];
    const load = async (after: number, count: number) => {
      loads.push(after);
      return rows.filter(({ id }) => id > after).slice(0, count);
    };
    for await (const batch of inBatches(load, ({ id }) => (id === 4 ? [] : [id]), limit))
      items.push(...batch);
    return { loads, items };
  };

  it('continues after a batch whose items are all filtered out, and stops after a short one', async () => {
    expect(await collect(1)).toEqual({ loads: [0, 1, 2, 3, 4, 5, 6, 7], items: [1, 2, 3, 5, 6, 7] });
    expect(await collect(3)).toEqual({ loads: [0, 3, 6], items: [1, 2, 3, 5, 6, 7] });
    expect(await collect(100)).toEqual({ loads: [0], items: [1, 2, 3, 5, 6, 7] });
  });
});

describe('searchPatterns', () => {
  it('escapes wildcards in words', () => {
    expect(searchPatterns(' a  100%_b\\ ')).toEqual(['%a%', '%100\\%\\_b\\\\%']);
    expect(searchPatterns(undefined)).toEqual([]);
  });
});

describe('quotas', () => {
  it('name the quota, its limit and its use', () => {
    expect(quotaExceeded('exportsPerDay', 5, 5)).toMatchObject({
      kind: 'quota',
      details: { quota: 'exportsPerDay', limit: 5, used: 5 },
    });
  });

  it('allow use up to the limit, but not beyond', () => {
    requireQuota('columns', 5, 4, 5);
    requireQuota('columns', null, 4, 1e15);
    expect(() => requireQuota('columns', 5, 4, 6)).toThrow('5 columns per dataset; 4 are used');
  });
});

it('brokenUnique names the constraint of a unique violation, and of no other error', () => {
  expect(brokenUnique(Object.assign(new Error(), { code: '23505', constraint: 'x' }))).toBe('x');
  expect(brokenUnique(Object.assign(new Error(), { code: '23503', constraint: 'x' }))).toBeUndefined();
  expect(brokenUnique(null)).toBeUndefined();
});

describe('the admin command line', () => {
  const group = {
    name: 'thing',
    summary: 'Things',
    commands: [
      {
        name: 'make',
        summary: 'Make one.',
        arguments: ['name'],
        options: {
          size: { type: 'string' as const, help: 'How large.' },
          tag: { type: 'string' as const, multiple: true, help: 'What it is about.' },
        },
        run: async (input: Parameters<typeof run>[0]) => run(input),
      },
    ],
  };
  const run = async (input: {
    argument(n: string): string;
    option(n: string): string | undefined;
    options(n: string): string[];
  }) => ({
    name: input.argument('name'),
    size: input.option('size') ?? null,
    tags: input.options('tag'),
  });
  const never = () => Promise.reject(new Error('must not connect'));
  const open = () => Promise.resolve({} as never);

  it('shows help without connecting', async () => {
    expect(await runCommandLine([group], [], never)).toContain('thing make <name>');
    expect(await runCommandLine([group], ['help'], never)).toContain('thing make <name>');
    for (const words of [
      ['thing', 'make', '--help'],
      ['help', 'thing', 'make'],
    ])
      expect(await runCommandLine([group], words, never)).toContain('How large.');
  });

  it('parses arguments and options and prints JSON on demand', async () => {
    const words = ['thing', 'make', 'a', '--size', '3', '--tag', 'x', '--tag', 'y', '--json'];
    expect(JSON.parse(await runCommandLine([group], words, open))).toEqual({
      name: 'a',
      size: '3',
      tags: ['x', 'y'],
    });
  });

  it.each([
    [['nothing'], 'unknown group'],
    [['thing'], 'missing command'],
    [['thing', 'break'], 'unknown command'],
    [['thing', 'make'], 'number of arguments'],
    [['thing', 'make', 'a', 'b'], 'number of arguments'],
    [['thing', 'make', 'a', '--color', 'red'], '--color'],
  ])('refuses %j without connecting', async (words, message) => {
    await expect(runCommandLine([group], words, never)).rejects.toThrow(message);
  });

  it('prints lists as tables', () => {
    expect(
      render(
        [
          { a: 1, b: 'x' },
          { a: 22, b: null },
        ],
        false,
      ),
    ).toBe('a   b\n1   x\n22  -');
    expect(render([], false)).toBe('none');
    expect(render(undefined, false)).toBe('done');
    expect(render({ a: { b: 1 } }, false)).toBe('a  {"b":1}');
  });
});
