import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { readApiKey } from '../../../src/http/credentials.js';
import {
  bodyId,
  pathId,
  queryFlag,
  queryId,
  queryInteger,
  quoteSentId,
  timeParameter,
} from '../../../src/http/parameters.js';
import { templateOf } from '../../../src/http/router.js';
import { createFailureThrottle } from '../../../src/http/throttle.js';
import { loggedPath, parameterNames, withoutApiKey } from '../../../src/http/url.js';
import { checkQueryEncoding, parseBody, parseQuery, parseWith } from '../../../src/http/validation.js';
import { nearest } from '../../../src/lib/nearest.js';
import { isOutage } from '../../../src/storage/outage.js';

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const query = (text: string): URLSearchParams => new URLSearchParams(text);

describe('readApiKey', () => {
  it.each([
    [undefined, '', undefined],
    [basic('k:'), '', 'k'],
    [basic('k'), '', 'k'],
    [undefined, 'apiKey=k', 'k'],
    [basic('k:'), 'apiKey=k', 'k'],
    ['basic '.concat(Buffer.from('k:').toString('base64')), '', 'k'],
    ['Bearer k', '', 'k'],
    ['bearer   k ', '', 'k'],
    ['Bearer k', 'apiKey=k', 'k'],
    [['Bearer k', basic('k:')], '', 'k'],
    [[], '', undefined],
  ])('%s and %j result in %s', (header, text, key) => {
    expect(readApiKey(header, query(text))).toBe(key);
  });

  it.each([
    [basic(':k'), '', 'key_in_password'],
    [basic('k:k'), '', 'key_in_password'],
    [basic(':'), '', 'empty_key'],
    [undefined, 'apiKey=', 'empty_key'],
    [basic('k:'), 'apiKey=other', 'ambiguous_credentials'],
    [undefined, 'apiKey=a&apiKey=b', 'ambiguous_credentials'],
    ['Bearer k', 'apiKey=other', 'ambiguous_credentials'],
    ['Bearer k=', 'apiKey=k', 'ambiguous_credentials'],
    [['Bearer k', basic('other:')], '', 'ambiguous_credentials'],
    [['Bearer k', basic('x:k')], '', 'key_in_password'],
    ['Bearer', '', 'bad_authorization'],
    ['Bearer k l', '', 'bad_authorization'],
    ['Bearer ké', '', 'bad_authorization'],
    ['Digest k', '', 'bad_authorization'],
    ['Basic %%%', '', 'bad_authorization'],
    ['', '', 'bad_authorization'],
  ])('%s and %j are refused as %s', (header, text, code) => {
    expect(() => readApiKey(header, query(text))).toThrow(
      expect.objectContaining({ code, kind: 'unauthenticated' }),
    );
  });
});

describe('withoutApiKey', () => {
  it.each([
    ['/a?apiKey=s', '/a'],
    ['/a?x=1&apiKey=s&y=2', '/a?x=1&y=2'],
    ['/a?APIKEY=s&x=%20', '/a?x=%20'],
    ['/a?api%4Bey=s', '/a'],
    ['/a?apiKey', '/a'],
    ['/a?%zz=1', '/a?%zz=1'],
    ['/a', '/a'],
  ])('%s becomes %s', (url, shown) => {
    expect(withoutApiKey(url)).toBe(shown);
  });

  it('removes the key from any position', () => {
    const pairs = fc.array(fc.tuple(fc.webQueryParameters(), fc.boolean()));
    fc.assert(
      fc.property(pairs, (list) => {
        const text = list
          .map(([part, isKey]) => (isKey ? 'apiKey=SECRET' : part.replaceAll('SECRET', '')))
          .join('&');
        expect(withoutApiKey(`/a?${text}`)).not.toContain('SECRET');
      }),
    );
  });

  it('parameterNames lists the other parameters', () => {
    expect(parameterNames(query('b=1&a=2&apiKey=s&b=3'))).toEqual(['a', 'b']);
  });
});

describe('an address in a log line', () => {
  it('has at most 32 parameter names, each cut to 64 characters', () => {
    const many = query(Array.from({ length: 5_000 }, (_, at) => `${'n'.repeat(200)}${at}=1`).join('&'));
    const names = parameterNames(many);
    expect(names).toHaveLength(33);
    expect(names.at(-1)).toBe('and 4968 more');
    expect(Math.max(...names.map(({ length }) => length))).toBe(64);
  });

  it.each([
    ['/api/links/eyJkYXRhc2V0Ijo.c2lnbmF0dXJl/all.csv', '/api/links/eyJkYXRh…/all.csv'],
    ['/API/LINKS/abcdefghijkl', '/API/LINKS/abcdefgh…'],
    ['/api/%6cinks/abcdefghijkl/n', '/api/links/abcdefgh…/n'],
    ['/api/%256Cinks/abcdefghijkl', '/api/links/abcdefgh…'],
    ['/api/links%2Fabcdefghijkl', '/api/links/abcdefgh…'],
    ['/api//links//%61bcdefghijkl', '/api//links//abcdefgh…'],
    ['/prefix/api/links/abcdefghijkl', '/prefix/api/links/abcdefgh…'],
    ['/api/datasets/%zz/%ff', '/api/datasets/%zz/%ff'],
    ['/api/datasets/7/data', '/api/datasets/7/data'],
    [`/${'x'.repeat(5_000)}`, `/${'x'.repeat(999)}`],
  ])('shows %s as %s', (path, shown) => {
    expect(loggedPath(path)).toBe(shown);
  });
});

describe('parameters', () => {
  it.each([
    ['7', 7],
    ['0', 0],
    ['9007199254740991', 9_007_199_254_740_991],
  ])('the id %s is %i', (text, id) => {
    expect(pathId('id').parse(text)).toBe(id);
    expect(queryId('id').parse(text)).toBe(id);
  });

  it.each(['9007199254740993', '99999999999999999999'])(
    'the id %s matches nothing, and errors quote it as it was sent',
    (text) => {
      const id = pathId('id').parse(text);
      expect(id).toBe(Number.MAX_SAFE_INTEGER);
      expect(queryId('id').parse(text)).toBe(id);
      expect(bodyId('id').parse(Number(text))).toBe(id);
      expect(quoteSentId(`There is no dataset ${id}.`, { id: text })).toBe(`There is no dataset ${text}.`);
      expect(quoteSentId(`There is no column ${id}.`, { id: '7', column: text })).toContain(text);
    },
  );

  it.each(['9007199254740993', '-9007199254740993', '1e30', '123456789012345678901234567890'])(
    'errors quote the id %s of a body as it was sent',
    (text) => {
      const body = `{"name":"7, 9007199254740995,","tags":[1,2],"id": ${text}}`;
      const id = bodyId('id').parse(Number(text));
      expect(quoteSentId(`You cannot write to repository ${id}.`, { id: '7' }, body)).toBe(
        `You cannot write to repository ${text}.`,
      );
    },
  );

  it.each([
    [2 ** 53, 'body: id must be below 2^53'],
    [-(2 ** 53), 'body: id must be above -2^53'],
    [1.5, 'body: id must be an integer'],
  ])('the number %f in place of an integer of a body is refused with the reason', (id, message) => {
    expect(() => parseBody(z.object({ id: z.int() }), { id })).toThrow(message);
  });

  it.each(['', '-1', '+1', '1e9', '1.0', '0x1', ' 1', '1 ', '01', 'abc', '٣'])(
    'the id %j is refused',
    (text) => {
      expect(pathId('id').safeParse(text).success).toBe(false);
    },
  );

  it('reads numbers, flags and times strictly', () => {
    expect(queryInteger('n', { max: 3 }).safeParse('4').success).toBe(false);
    expect(queryInteger('n').safeParse('1.5').success).toBe(false);
    expect(queryFlag('f').parse('true')).toBe(true);
    expect(queryFlag('f').parse('1')).toBe(true);
    expect(queryFlag('f').parse('False')).toBe(false);
    expect(queryFlag('f').safeParse('yes').success).toBe(false);
    expect(timeParameter('t').parse('2026-01-31').toISOString()).toBe('2026-01-31T00:00:00.000Z');
    expect(timeParameter('t').parse('2026-01-31T10:00:00').toISOString()).toBe('2026-01-31T10:00:00.000Z');
    expect(timeParameter('t').parse('2026-01-31T10:00:00 02:00').toISOString()).toBe(
      '2026-01-31T08:00:00.000Z',
    );
    expect(timeParameter('t').safeParse('2026-13-01').success).toBe(false);
  });
});

describe('validation', () => {
  const schema = z.object({ $filter: z.string().optional(), $top: z.string().optional() });

  it('ignores names that start with _ and the key', () => {
    expect(parseQuery(schema, query('_x=1&apiKey=k&$top=2'))).toEqual({ $top: '2' });
  });

  it.each([
    ['$fliter=1', 'did you mean $filter'],
    ['$TOP=1', 'did you mean $top'],
    ['top=1', 'did you mean $top'],
    ['apikey=1', 'did you mean apiKey'],
    ['somethingelse=1', 'unknown query parameter "somethingelse"'],
    ['$top=1&$top=1', 'more than once'],
    ['$top=%00', 'NUL'],
    ['__proto__x=1&constructor=1', 'unknown query parameter "constructor"'],
  ])('refuses %s', (text, message) => {
    expect(() => parseQuery(schema, query(text))).toThrow(message);
  });

  it('refuses percent-encoded bytes that are not UTF-8', () => {
    for (const text of ['a=%C3%AB%20%F0%9F%98%80', 'a=100%&b=%zz', 'a=%EF%BF%BD', ''])
      checkQueryEncoding(text);
    for (const text of ['a=Zo%EB', 'a=%C3', 'a=%ED%A0%80', 'a=%C3x%AB'])
      expect(() => checkQueryEncoding(text)).toThrow('is not UTF-8');
  });

  it('finds NUL at any depth of accepted members, and ignores it in others', () => {
    const body = z.object({ params: z.record(z.string(), z.unknown()).optional() });
    expect(() => parseBody(body, { params: { a: ['\0'] } })).toThrow('NUL');
    expect(() => parseBody(body, { params: { '\0': 1 } })).toThrow('NUL');
    expect(parseBody(body, { other: '\0' })).toEqual({});
  });

  it('names the field in each message', () => {
    const fields = z.object({ a: z.int(), b: z.enum(['x', 'y']), c: z.array(z.string()) });
    expect(() => parseWith(fields, { a: 1.5, b: 'z', c: 1 }, 'body')).toThrow(
      'body: a must be an integer; b must be one of x, y; c must be an array',
    );
  });

  it('names the bound that a value violates', () => {
    const text = z.string().min(2).max(3);
    const fields = {
      above: z.number().gt(0),
      least: z.number().min(0),
      below: z.number().lt(9),
      most: z.int().max(9),
    };
    const wrong = (schema: z.ZodType, value: unknown): string => {
      try {
        parseWith(schema, value, 'body');
      } catch (error) {
        return (error as Error).message;
      }
      return 'nothing is wrong';
    };
    expect(wrong(z.object(fields), { above: 0, least: -1, below: 9, most: 10 })).toBe(
      'body: above must be above 0; least must be at least 0; below must be below 9; most must be at most 9',
    );
    const texts = z.object({ long: text, short: text, empty: z.string().min(1) });
    expect(wrong(texts, { long: 'abcd', short: 'a', empty: '' })).toBe(
      'body: long must have at most 3 characters; short must have at least 2 characters; empty must not be empty',
    );
  });
});

describe('nearest', () => {
  it.each([
    ['$fitler', '$filter'],
    ['$selct', '$select'],
    ['dropna', 'dropNA'],
    ['formta', '$format'],
    ['zzzzzz', undefined],
    ['x'.repeat(1_000), undefined],
  ])('%s -> %s', (name, expected) => {
    expect(nearest(name, ['$format', '$select', '$filter', 'dropNA'])).toBe(expected);
  });
});

describe('isOutage', () => {
  it.each([
    [Object.assign(new Error('x'), { code: 'ECONNREFUSED' }), true],
    [Object.assign(new Error('x'), { code: '57P01' }), true],
    [Object.assign(new Error('x'), { code: '40P01' }), true],
    [new Error('timeout exceeded when trying to connect'), true],
    [new Error('outer', { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) }), true],
    [Object.assign(new Error('x'), { code: '42601' }), false],
    [new Error('x'), false],
    ['ECONNREFUSED', false],
  ])('%s -> %s', (error, outage) => {
    expect(isOutage(error)).toBe(outage);
  });
});

describe('the failure throttle', () => {
  it('does not delay the first failures of an address, delays further ones longer and longer, and forgets them', async () => {
    let now = 0;
    const waits: number[] = [];
    const throttle = createFailureThrottle({
      now: () => now,
      free: 2,
      maxDelayMs: 120,
      forgetMs: 1_000,
      wait: async (ms) => {
        waits.push(ms);
      },
    });
    const refuse = (address: string) => throttle.refused(address, new AbortController().signal);
    for (const address of ['a', 'a', 'b']) expect(await refuse(address)).toBeUndefined();
    expect(waits).toEqual([]);
    // The third failure waits, the fourth waits longer and after it; another address does not wait.
    for (let turn = 0; turn < 2; turn += 1) expect(await refuse('a')).toBe(1);
    expect(await refuse('b')).toBeUndefined();
    expect(waits).toEqual([100, 220]);
    now = 1_500;
    expect(await refuse('a')).toBeUndefined();
    expect(waits).toHaveLength(2);
  });

  it('ends the wait of a client that disconnects', async () => {
    const throttle = createFailureThrottle({ now: () => 0, free: 0, maxDelayMs: 1e9 });
    const gone = new AbortController();
    const refused = throttle.refused('a', gone.signal);
    gone.abort(new Error('gone'));
    await expect(refused).rejects.toThrow();
  });
});

it('templateOf writes a route path as a URI template', () => {
  expect(templateOf('/datasets/:id/data')).toBe('/datasets/{id}/data');
  expect(templateOf('/providers/:slug/series/*id/data')).toBe('/providers/{slug}/series/{id}/data');
});
