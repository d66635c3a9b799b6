import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Person, startTestApi, type TestApi } from '../../support/api.js';
import { publishVersion } from '../../support/published-version.js';

let api: TestApi;
beforeAll(async () => {
  api = await startTestApi({ databaseUrl: inject('databaseUrl') });
  const { plans } = api.catalog;
  await plans.put({
    ...(await plans.read('free')),
    name: 'small',
    maxPrivateRepositories: 2,
    maxExportsPerDay: 5,
    maxExportBytesPerDay: 1_000,
    maxStoredBytes: 100,
    privateHome: false,
    downloads: 'own',
  });
});
afterAll(async () => {
  await api.close();
});

const callerOf = (person: Person) => api.catalog.authenticate(person.key);
const privateRepository = (person: Person) =>
  person.ask('POST', '/repositories', { name: 'p', privacy: 'Private' });

describe('private repositories', () => {
  it('are counted exactly under concurrent requests, and 402 names quota, limit and use', async () => {
    const ada = await api.person('ada', { plan: 'small' });
    const answers = await Promise.all(Array.from({ length: 6 }, () => privateRepository(ada)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 402, 402, 402, 402]);
    expect(answers.find(({ status }) => status === 402)?.json()).toMatchObject({
      error: expect.stringContaining('2 private repositories'),
      details: { quota: 'privateRepositories', limit: 2, used: 2 },
    });
  });

  it('include one that was made private, and exclude one that was deleted', async () => {
    const bob = await api.person('bob', { plan: 'small' });
    await privateRepository(bob);
    const { id } = (await privateRepository(bob)).json<{ id: number }>();
    const open = (await bob.ask('POST', '/repositories', { name: 'o', privacy: 'Public' })).json<{
      id: number;
    }>();
    const hide = () => bob.ask('PUT', `/repositories/${open.id}`, { name: 'o', privacy: 'Private' });
    expect((await hide()).status).toBe(402);
    await bob.ask('DELETE', `/repositories/${id}`);
    expect((await hide()).status).toBe(200);
    expect((await hide()).status).toBe(200);
  });

  it('do not include Home, whose privacy the plan decides', async () => {
    const cat = await api.person('cat', { plan: 'small' });
    const home = (await cat.ask('GET', '/repositories/home')).json<{ id: number; privacy: string }>();
    expect(home.privacy).toBe('Public');
    const hide = () => cat.ask('PUT', `/repositories/${home.id}`, { name: 'cat', privacy: 'Private' });
    expect((await hide()).status).toBe(402);
    await api.catalog.accounts.administer('cat', { plan: 'free' });
    expect((await hide()).status).toBe(200);
  });
});

describe('exports', () => {
  it('are counted exactly under concurrency; a cancelled one costs nothing, an aborted one what was sent', async () => {
    const dan = await api.person('dan', { plan: 'small' });
    const caller = await callerOf(dan);
    const { quotas } = api.catalog;
    const started = await Promise.allSettled(Array.from({ length: 12 }, () => quotas.startExport(caller)));
    const tickets = started.flatMap((item) => (item.status === 'fulfilled' ? [item.value] : []));
    expect(tickets).toHaveLength(5);
    expect(started.find((item) => item.status === 'rejected')).toMatchObject({
      reason: { kind: 'quota', details: { quota: 'exportsPerDay', limit: 5, used: 5 } },
    });
    await tickets[0]?.cancel();
    await tickets[1]?.finish(300);
    expect((await dan.ask('GET', '/account')).json()).toMatchObject({
      plan: {
        name: 'small',
        quotas: { exportsPerDay: { limit: 5, used: 4 }, exportBytesPerDay: { limit: 1_000, used: 300 } },
      },
    });
    const again = await quotas.startExport(caller);
    await again.finish(700);
    await tickets[2]?.cancel();
    await expect(quotas.startExport(caller)).rejects.toMatchObject({
      details: { quota: 'exportBytesPerDay', limit: 1_000, used: 1_000 },
    });
  });

  it('are unlimited on a plan without limits, and not counted for anonymous callers', async () => {
    const caller = await callerOf(await api.person('eve'));
    for (let i = 0; i < 3; i++) await (await api.catalog.quotas.startExport(caller)).finish(1e12);
    await (await api.catalog.quotas.startExport(undefined)).finish(1);
    expect(await api.catalog.quotas.use(caller.accountId)).toMatchObject({
      exportsPerDay: 3,
      exportBytesPerDay: 3e12,
    });
  });
});

describe('stored data', () => {
  it('includes all versions of all datasets of the owner, and shared rows only once', async () => {
    const fay = await api.person('fay', { plan: 'small' });
    const home = (await fay.ask('GET', '/repositories/home')).json<{ id: number }>().id;
    const { id } = (await fay.ask('POST', '/datasets', { name: 'd', repositoryId: home })).json<{
      id: number;
    }>();
    await publishVersion(api.sql, id, { columns: [{ name: 'A', physical: 's' }], bytes: 60 });
    expect((await fay.ask('GET', '/account')).json()).toMatchObject({
      plan: {
        quotas: {
          storedBytes: {
            limit: 100,
            used: 60,
            datasets: [{ id, name: 'd', bytes: 60, currentBytes: 60, versions: 1 }],
          },
        },
      },
    });
    const { quotas } = api.catalog;
    await quotas.requireStorage(fay.id, 40);
    await expect(quotas.requireStorage(fay.id, 41)).rejects.toMatchObject({
      kind: 'quota',
      details: { quota: 'storedBytes', limit: 100, used: 60 },
    });
    const clone = await fay.ask('POST', `/datasets/${id}/clone`, { repositoryId: home, name: 'copy' });
    expect(clone.status).toBe(201);
    const storedBytes = async () =>
      (await fay.ask('GET', '/account')).json<{
        plan: { quotas: { storedBytes: { used: number; datasets: object[] } } };
      }>().plan.quotas.storedBytes;
    expect(await storedBytes()).toMatchObject({ used: 60, datasets: [{ bytes: 60 }, { bytes: 60 }] });

    // A replaced version is kept and counted.
    await publishVersion(api.sql, id, { columns: [{ name: 'A', physical: 's' }], bytes: 30 });
    expect(await storedBytes()).toMatchObject({
      used: 90,
      datasets: [
        { id, bytes: 90, currentBytes: 30, versions: 2 },
        { bytes: 60, currentBytes: 60, versions: 1 },
      ],
    });
    await expect(quotas.requireStorage(fay.id, 11)).rejects.toMatchObject({
      details: { quota: 'storedBytes', limit: 100, used: 90 },
    });
  });

  it('of another account counts against the plan of the account that clones it', async () => {
    const eve = await api.person('eva');
    const kit = await api.person('kit', { plan: 'small' });
    const homeOf = async (person: Person) =>
      (await person.ask('GET', '/repositories/home')).json<{ id: number }>().id;
    const { id } = (
      await eve.ask('POST', '/datasets', { name: 'large', repositoryId: await homeOf(eve) })
    ).json<{ id: number }>();
    await publishVersion(api.sql, id, { columns: [{ name: 'A', physical: 's' }], bytes: 101 });
    await eve.ask('PUT', `/datasets/${id}/permissions/kit`, { level: 'Clone' });
    await api.sql.query(`UPDATE plans SET downloads = 'all' WHERE name = 'small'`);
    const clone = await kit.ask('POST', `/datasets/${id}/clone`, { repositoryId: await homeOf(kit) });
    await api.sql.query(`UPDATE plans SET downloads = 'own' WHERE name = 'small'`);
    expect(clone.status).toBe(402);
    expect(clone.json()).toMatchObject({ details: { quota: 'storedBytes', limit: 100, used: 0 } });
  });

  it('that is private to another account cannot be downloaded on a plan for own data', async () => {
    const gus = await callerOf(await api.person('gus', { plan: 'small' }));
    const { quotas } = api.catalog;
    await quotas.requireDownload(gus, { own: true, privacy: 'Private' });
    await expect(quotas.requireDownload(gus, { own: false, privacy: 'Private' })).rejects.toMatchObject({
      kind: 'forbidden',
      code: 'download_not_in_plan',
    });
  });

  it('that is public can be downloaded with and without a key', async () => {
    const ida = await callerOf(await api.person('ida', { plan: 'small' }));
    await api.catalog.quotas.requireDownload(ida, { own: false, privacy: 'Public' });
    await api.catalog.quotas.requireDownload(undefined, { own: false, privacy: 'Public' });
  });
});

describe('the first account', () => {
  it('is created once when several processes start at the same time', async () => {
    const fresh = await startTestApi({ databaseUrl: inject('databaseUrl') });
    try {
      const made = await Promise.all(
        Array.from({ length: 4 }, () =>
          fresh.catalog.accounts.createFirst({ name: 'admin', plan: 'unlimited', isOperator: true }),
        ),
      );
      expect(made.filter((account) => account !== undefined)).toHaveLength(1);
    } finally {
      await fresh.close();
    }
  });
});
