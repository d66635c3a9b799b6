import { describe, expect, it } from 'vitest';
import {
  handleKey,
  handleProblem,
  handleSkeleton,
  ownHandleProblem,
  sameHandle,
  writtenSkeleton,
} from '../../../src/model/handles.js';

describe('handleProblem', () => {
  it.each(['ada', 'Ada Lovelace', 'ada@example.org', '日本', 'a-b_c.d', '7 dwarfs', 'admin', 'operator'])(
    'accepts %j',
    (name) => {
      expect(handleProblem(name)).toBeUndefined();
    },
  );

  it.each([
    '',
    ' ',
    ' a',
    'a ',
    'Cafe\u0301',
    '-a',
    'a/b',
    'a:b',
    'a?b',
    'x'.repeat(101),
    'a\u0000',
    'a\u202eb',
    'a\u200bb',
    'a\u3164',
    'a\ufe0f',
  ])('rejects %j', (name) => {
    expect(handleProblem(name)).toBeTypeOf('string');
  });

  it.each(['7', '2024', '007', '\u0661\u0662', '\uff17', '1-2'])(
    'rejects %j, which could be an id',
    (name) => {
      expect(handleProblem(name)).toContain('letter');
    },
  );

  it.each(['Personal', 'ANONYMOUS', 'Help', 'null', 'me', 'h\u043eme', 'n0ne'])(
    'rejects %j, a reserved word or one that looks like it',
    (name) => {
      expect(handleProblem(name)).toContain('reserved');
    },
  );
});

describe('ownHandleProblem', () => {
  it.each(['admin', 'Root', 'SUPPORT', '\u0430dmin', 'adrnin', 'tabulary', 'no-reply'])(
    'rejects %j, which could impersonate the operator',
    (name) => {
      expect(ownHandleProblem(name)).toContain('operator');
    },
  );

  it('accepts a name that contains a reserved word', () => {
    expect(ownHandleProblem('Support Team North')).toBeUndefined();
  });
});

describe('handleKey', () => {
  it.each([
    ['ADA', 'ada'],
    ['\uff41\uff44\uff41', 'ada'],
    ['Stra\u00dfe', 'STRASSE'],
    ['\ufb01n', 'fin'],
    ['\u212b', '\u00e5'],
  ])('%j and %j are the same name', (a, b) => {
    expect(sameHandle(a, b)).toBe(true);
    expect(handleKey(handleKey(a))).toBe(handleKey(a));
  });

  it('differs for names that only look alike: a grant to one is not a grant to the other', () => {
    expect(sameHandle('ada', '\u0430da')).toBe(false);
  });
});

describe('writtenSkeleton', () => {
  it('finds a capital I in place of an l', () => {
    expect(writtenSkeleton('PaypaI')).toBe(writtenSkeleton('paypal'));
  });
});

describe('handleSkeleton', () => {
  it.each([
    ['ada', '\u0430d\u0430'],
    ['paypal', 'paypa1'],
    ['\u0430\u0441\u0435', 'ace'],
    ['modern', 'rnodern'],
    ['bob0', 'bobo'],
    ['a b', 'a  b'],
    ['sc\u043epe', 'SCOPE'],
  ])('%j looks like %j', (a, b) => {
    expect(handleSkeleton(a)).toBe(handleSkeleton(b));
  });

  it.each([
    ['ada', 'eda'],
    ['Jose', 'Jos\u00e9'],
    ['team 2', 'team 3'],
  ])('%j does not look like %j', (a, b) => {
    expect(handleSkeleton(a)).not.toBe(handleSkeleton(b));
  });
});
