import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { callerOfAccount } from '../../../src/catalog/account-caller.js';
import { startTestApi, type TestApi } from '../../support/api.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
});
afterAll(() => api?.close());

it('of two operators that are removed at once, one stays', async () => {
  const { accounts } = api.catalog;
  const names = ['first', 'second'];
  for (const name of names) await api.person(name, { isOperator: true });
  const changes = [
    (name: string) => accounts.setDisabled(name, true),
    (name: string) => accounts.administer(name, { isOperator: false }),
  ];
  for (const change of changes) {
    const outcomes = await Promise.allSettled(names.map(change));
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'last_operator' },
    });
    await api.sql.query('UPDATE accounts SET is_operator = true, disabled_at = NULL');
  }
});

it('a disabled account does no work without a request', async () => {
  const worker = await api.person('worker');
  await expect(callerOfAccount(api.sql, worker.id)).resolves.toMatchObject({ accountName: 'worker' });
  await api.catalog.accounts.setDisabled('worker', true);
  await expect(callerOfAccount(api.sql, worker.id)).rejects.toMatchObject({ code: 'account_disabled' });
});
