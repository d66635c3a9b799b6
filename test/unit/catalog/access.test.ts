import { describe, expect, it } from 'vitest';
import { isOwn } from '../../../src/catalog/access.js';
import {
  callerValues,
  type DatasetTargetRow,
  datasetTarget,
  repositoryTarget,
} from '../../../src/catalog/access-target.js';
import {
  requireAccountKey,
  requireFullKey,
  requireOperator,
  requireWritingKey,
} from '../../../src/catalog/key-rights.js';
import { type AccessRequest, refusal } from '../../../src/catalog/refusal.js';
import type { AppError } from '../../../src/lib/errors.js';
import type { Caller, Decision, Grant, Level } from '../../../src/model/permission.js';
import { callerWith } from '../../support/callers.js';

type Refused = Extract<Decision, { allowed: false }>;

const readOnly = callerWith({ key: { id: 1, readOnly: true, repositoryIds: null } });
const limited = callerWith({ key: { id: 1, readOnly: false, repositoryIds: [7] } });
const inTeam = callerWith({ teams: [{ id: 5, name: 'T', role: 'member' }] });

const row = (changes: Partial<DatasetTargetRow> = {}): DatasetTargetRow => ({
  repositoryId: 7,
  privacy: 'Private',
  createdBy: 2,
  isHome: false,
  teamId: null,
  repositoryGrants: null,
  datasetCreatedBy: 3,
  datasetGrants: null,
  ...changes,
});

describe('a refusal', () => {
  const onDataset = { what: 'dataset', id: 9, need: 'Write' } as const;
  const onRepository = { what: 'repository', id: 7, need: 'Admin' } as const;

  const refused = (reason: Refused['reason'], request: AccessRequest, level: Level | null = null): AppError =>
    refusal({ allowed: false, reason, level }, request);

  it('is 401 if a key is required', () => {
    expect(refused('no_key', onDataset)).toMatchObject({
      kind: 'unauthenticated',
      code: 'no_key',
    });
  });

  it('is 404 for a dataset that does not exist, and names it', () => {
    const error = refused('missing', onDataset);
    expect(error).toMatchObject({ kind: 'not_found', code: 'dataset_not_found' });
    expect(error.message).toBe('There is no dataset 9.');
  });

  it('is 403 for a repository without access, and names it', () => {
    const error = refused('no_access', onRepository);
    expect(error).toMatchObject({ kind: 'forbidden', code: 'no_permission' });
    expect(error.message).toBe('You have no permission on repository 7.');
  });

  it('does not reveal whether a destination exists', () => {
    const request = { ...onRepository, rule: 'destination' } as const;
    const [missing, others] = (['missing', 'no_access'] as const).map((reason) => refused(reason, request));
    expect(missing).toMatchObject({ kind: 'forbidden', code: 'no_permission' });
    expect(missing?.message).toBe(others?.message);
  });

  it('does not reveal whether a repository to update exists', () => {
    const request = { ...onRepository, rule: 'update' } as const;
    const [missing, others] = (['missing', 'no_access'] as const).map((reason) => refused(reason, request));
    expect(missing).toMatchObject({ kind: 'not_found', code: 'repository_not_found' });
    expect(missing?.message).toBe(others?.message);
  });

  it('names the required level and the level of the caller', () => {
    const error = refused('level', onDataset, 'Read');
    expect(error).toMatchObject({ kind: 'forbidden', code: 'no_permission' });
    expect(error.message).toBe('This needs Write on the dataset; you have Read.');
  });

  it.each([
    ['key_scope', 'This API key is limited to other repositories.'],
    ['key_read_only', 'This API key may only read.'],
  ] as const)('is 403 %s for a limited key', (reason, message) => {
    expect(refused(reason, onDataset)).toMatchObject({
      kind: 'forbidden',
      code: reason,
      message,
    });
  });
});

describe('data belong to the caller', () => {
  it.each<[string, Caller | undefined, Partial<DatasetTargetRow>, boolean]>([
    ['in a repository of the caller', callerWith(), { createdBy: 1 }, true],
    ['in a repository of a team of the caller', inTeam, { teamId: 5 }, true],
    ['not in a repository of another team', inTeam, { teamId: 6 }, false],
    ['not in a repository without a team, for a caller who has one', inTeam, {}, false],
    ['not just because the caller created the dataset', callerWith(), { datasetCreatedBy: 1 }, false],
    ['not without a caller', undefined, { createdBy: 1 }, false],
  ])('%s', (_title, who, facts, own) => {
    expect(isOwn(who, repositoryTarget(row(facts)))).toBe(own);
  });
});

describe('facts for a decision', () => {
  const grant: Grant = { accountId: 1, teamId: null, level: 'Read' };

  it('come from the row, with separate grants on the repository and on the dataset', () => {
    const facts = { privacy: 'Public', isHome: true, teamId: 5, repositoryGrants: [grant] } as const;
    expect(repositoryTarget(row({ ...facts, repositoryGrants: [grant] }))).toEqual({
      repositoryId: 7,
      createdBy: 2,
      ...facts,
    });
    expect(datasetTarget(row({ datasetGrants: [grant] }))).toEqual({
      ...repositoryTarget(row()),
      dataset: { createdBy: 3, grants: [grant] },
    });
  });

  it('have no grants if the row has none', () => {
    expect(repositoryTarget(row()).repositoryGrants).toEqual([]);
    expect(datasetTarget(row()).dataset?.grants).toEqual([]);
  });

  it('are looked up for the account and the teams of the caller, or for no account', () => {
    expect(callerValues(inTeam)).toEqual([1, [5]]);
    expect(callerValues(undefined)).toEqual([null, []]);
  });
});

describe('a key', () => {
  const [scope, only] = [{ code: 'key_scope' }, { code: 'key_read_only' }];

  it('that is read-only cannot write', () => {
    expect(() => requireWritingKey(readOnly)).toThrow(expect.objectContaining(only));
    expect(() => requireWritingKey(limited)).not.toThrow();
  });

  it('for some repositories cannot read what belongs to the account', () => {
    expect(() => requireAccountKey(limited)).toThrow(expect.objectContaining(scope));
    expect(() => requireAccountKey(readOnly)).not.toThrow();
  });

  it('with any limit cannot change what belongs to the account', () => {
    expect(() => requireFullKey(readOnly)).toThrow(expect.objectContaining(only));
    expect(() => requireFullKey(limited)).toThrow(expect.objectContaining(scope));
    expect(() => requireFullKey(callerWith())).not.toThrow();
  });

  it('shows the state of the service only if it belongs to an operator and covers all repositories', () => {
    expect(() => requireOperator(callerWith())).toThrow(expect.objectContaining({ code: 'not_operator' }));
    expect(() => requireOperator({ ...limited, isOperator: true })).toThrow(expect.objectContaining(scope));
    expect(() => requireOperator({ ...readOnly, isOperator: true })).not.toThrow();
  });
});
