import type { Caller } from '../../src/model/permission.js';

/** An account without teams, with an unrestricted key. */
export const callerWith = (changes: Partial<Caller> = {}): Caller => ({
  accountId: 1,
  accountName: 'ada',
  plan: 'unlimited',
  isOperator: false,
  teams: [],
  workspace: 'personal',
  key: { id: 1, readOnly: false, repositoryIds: null },
  ...changes,
});
