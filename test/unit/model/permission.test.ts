import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AccessTarget,
  type Caller,
  decide,
  type Grant,
  higherLevel,
  includesLevel,
  type Level,
  levelOn,
  levels,
} from '../../../src/model/permission.js';
import { callerWith } from '../../support/callers.js';

const me = 1;
const facts = (changes: Partial<AccessTarget> = {}): AccessTarget => ({
  repositoryId: 7,
  privacy: 'Private',
  createdBy: 2,
  isHome: false,
  teamId: null,
  repositoryGrants: [],
  ...changes,
});
const toMe = (level: Level): Grant => ({ accountId: me, teamId: null, level });
const toTeam = (teamId: number, level: Level): Grant => ({ accountId: null, teamId, level });
const inTeam = (role: 'admin' | 'member') => callerWith({ teams: [{ id: 5, name: 'T', role }] });

describe('levelOn', () => {
  it.each<[string, Caller | undefined, AccessTarget, Level | null]>([
    ['no key, private', undefined, facts(), null],
    ['no key, public', undefined, facts({ privacy: 'Public' }), 'Read'],
    ['a stranger, private', callerWith(), facts(), null],
    ['a stranger, public', callerWith(), facts({ privacy: 'Public' }), 'Read'],
    ['an operator has no level of their own', callerWith({ isOperator: true }), facts(), null],
    ['the creator', callerWith(), facts({ createdBy: me }), 'Owner'],
    [
      'the creator, whatever is granted',
      callerWith(),
      facts({ createdBy: me, repositoryGrants: [toMe('Read')] }),
      'Owner',
    ],
    ['a grant', callerWith(), facts({ repositoryGrants: [toMe('Clone')] }), 'Clone'],
    [
      'a grant to another account',
      callerWith(),
      facts({ repositoryGrants: [{ accountId: 9, teamId: null, level: 'Owner' }] }),
      null,
    ],
    ['a member of its team', inTeam('member'), facts({ teamId: 5 }), 'Write'],
    ['an admin of its team', inTeam('admin'), facts({ teamId: 5 }), 'Admin'],
    ['a member of another team', inTeam('member'), facts({ teamId: 6 }), null],
    [
      'a grant to its team, in place of the level of the role',
      inTeam('admin'),
      facts({ teamId: 5, repositoryGrants: [toTeam(5, 'Read')] }),
      'Read',
    ],
    [
      'a grant to a team of the caller',
      inTeam('member'),
      facts({ repositoryGrants: [toTeam(5, 'Admin')] }),
      'Admin',
    ],
    [
      'a grant to another team, before one to a team of the caller',
      inTeam('member'),
      facts({ repositoryGrants: [toTeam(6, 'Admin'), toTeam(5, 'Read')] }),
      'Read',
    ],
    ['a grant to another team', inTeam('member'), facts({ repositoryGrants: [toTeam(6, 'Admin')] }), null],
    [
      'a grant to the account decides before the team',
      inTeam('admin'),
      facts({ teamId: 5, repositoryGrants: [toMe('Read')] }),
      'Read',
    ],
  ])('%s', (_name, who, what, level) => {
    expect(levelOn(who, what)).toBe(level);
  });

  const dataset = (createdBy: number, grants: Grant[] = []) => ({ dataset: { createdBy, grants } });
  it.each<[string, AccessTarget, Level | null]>([
    ['follows its repository', facts({ repositoryGrants: [toMe('Write')], ...dataset(9) }), 'Write'],
    ['is Admin for a creator who can write', facts({ createdBy: me, ...dataset(me) }), 'Admin'],
    [
      'is not Admin for a creator who can only read the repository',
      facts({ repositoryGrants: [toMe('Read')], ...dataset(me) }),
      'Read',
    ],
    ['is hidden from a creator without access to the repository', facts(dataset(me)), null],
    ['can be granted by itself', facts(dataset(9, [toMe('Clone')])), 'Clone'],
    [
      'is not lowered by a grant',
      facts({ repositoryGrants: [toMe('Write')], ...dataset(9, [toMe('Read')]) }),
      'Write',
    ],
    [
      'is not visible through a grant to others',
      facts(dataset(9, [{ accountId: 8, teamId: null, level: 'Read' }])),
      null,
    ],
  ])('a dataset %s', (_name, what, level) => {
    expect(levelOn(callerWith(), what)).toBe(level);
  });

  it('a dataset is granted to a team by itself, and to no other team', () => {
    expect(levelOn(inTeam('member'), facts(dataset(9, [toTeam(5, 'Clone')])))).toBe('Clone');
    expect(levelOn(inTeam('member'), facts(dataset(9, [toTeam(6, 'Clone')])))).toBeNull();
    expect(levelOn(callerWith(), facts(dataset(9, [toTeam(5, 'Clone')])))).toBeNull();
  });
});

it('the higher of two levels is the same in both orders', () => {
  expect(higherLevel('Read', 'Admin')).toBe('Admin');
  expect(higherLevel('Admin', 'Read')).toBe('Admin');
});

describe('decide', () => {
  const open = facts({ privacy: 'Public' });
  const shared = facts({ repositoryGrants: [toMe('Write')] });
  const readOnly = callerWith({ key: { id: 1, readOnly: true, repositoryIds: null } });
  const elsewhere = callerWith({ key: { id: 1, readOnly: false, repositoryIds: [8] } });

  it.each<[string, Caller | undefined, AccessTarget | undefined, Level, 'read' | 'write', string]>([
    ['a read of a public repository without a key', undefined, open, 'Read', 'read', 'allowed'],
    ['a write to a public repository without a key', undefined, open, 'Read', 'write', 'no_key'],
    ['a read of a private repository without a key', undefined, facts(), 'Read', 'read', 'no_key'],
    ['a read of a missing repository without a key', undefined, undefined, 'Read', 'read', 'no_key'],
    ['a read of a private repository by a stranger', callerWith(), facts(), 'Read', 'read', 'no_access'],
    ['a read of a missing repository by an account', callerWith(), undefined, 'Read', 'read', 'missing'],
    ['a sufficient level', callerWith(), shared, 'Write', 'write', 'allowed'],
    ['an insufficient level', callerWith(), shared, 'Admin', 'write', 'level'],
    ['a read with a read-only key', readOnly, shared, 'Read', 'read', 'allowed'],
    ['a write with a read-only key', readOnly, shared, 'Write', 'write', 'key_read_only'],
    ['a key for another repository', elsewhere, shared, 'Read', 'read', 'key_scope'],
    ['a key for another repository, on a private one', elsewhere, facts(), 'Read', 'read', 'no_access'],
  ])('%s', (_name, who, what, need, intent, outcome) => {
    const decision = decide(who, what, need, intent);
    expect(decision.allowed ? 'allowed' : decision.reason).toBe(outcome);
  });
});

describe('properties', () => {
  const level = fc.constantFrom(...levels);
  const grant = fc.oneof(
    level.map((item) => toMe(item)),
    fc.record({ team: fc.integer({ min: 4, max: 6 }), level }).map((item) => toTeam(item.team, item.level)),
  );
  const anyCaller = fc
    .record({
      teams: fc.uniqueArray(
        fc.record({
          id: fc.integer({ min: 4, max: 6 }),
          name: fc.constant('T'),
          role: fc.constantFrom('admin' as const, 'member' as const),
        }),
        { selector: ({ id }) => id },
      ),
      readOnly: fc.boolean(),
      repositoryIds: fc.option(fc.array(fc.integer({ min: 6, max: 8 }))),
    })
    .map(({ teams, readOnly, repositoryIds }) =>
      callerWith({ teams, key: { id: 1, readOnly, repositoryIds } }),
    );
  const anyFacts = fc
    .record({
      privacy: fc.constantFrom('Public' as const, 'Private' as const),
      createdBy: fc.integer({ min: 1, max: 2 }),
      teamId: fc.option(fc.integer({ min: 4, max: 6 })),
      repositoryGrants: fc.array(grant),
      dataset: fc.option(fc.record({ createdBy: fc.integer({ min: 1, max: 2 }), grants: fc.array(grant) }), {
        nil: undefined,
      }),
    })
    .map(({ dataset, ...rest }) => facts({ ...rest, ...(dataset === undefined ? {} : { dataset }) }));

  it('a level includes every level below it', () => {
    fc.assert(
      fc.property(anyCaller, anyFacts, level, level, (who, what, need, lower) => {
        if (!includesLevel(need, lower) || !decide(who, what, need, 'write').allowed) return;
        expect(decide(who, what, lower, 'write').allowed).toBe(true);
        expect(decide(who, what, lower, 'read').allowed).toBe(true);
      }),
    );
  });

  it('a key never allows more than its account, and making a repository public never lowers a level', () => {
    fc.assert(
      fc.property(anyCaller, anyFacts, level, (who, what, need) => {
        const full = { ...who, key: { id: 1, readOnly: false, repositoryIds: null } };
        if (decide(who, what, need, 'write').allowed)
          expect(decide(full, what, need, 'write').allowed).toBe(true);
        const before = levelOn(who, what);
        const after = levelOn(who, { ...what, privacy: 'Public' });
        expect(higherLevel(before, after)).toBe(after);
      }),
    );
  });

  it('without a key only reading of public repositories is allowed', () => {
    fc.assert(
      fc.property(
        anyFacts,
        level,
        fc.constantFrom('read' as const, 'write' as const),
        (what, need, intent) => {
          const allowed = what.privacy === 'Public' && need === 'Read' && intent === 'read';
          expect(decide(undefined, what, need, intent).allowed).toBe(allowed);
        },
      ),
    );
  });
});
