/** Account removal and ownership transfer of repositories over HTTP. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { silentLog } from '../../../src/lib/log.js';
import { type Client, call, createDataset, download, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
beforeAll(async () => {
  product = await startProduct({ poolMaxRows: '100' }, silentLog);
});
afterAll(() => product?.close());

const person = async (name: string, plan?: string): Promise<Client> => ({
  baseUrl: product.baseUrl,
  key: (await product.createAccount(name, plan)).key,
});

const repository = async (owner: Client, more: object = {}): Promise<number> =>
  (
    await json<{ id: number }>(
      await call(owner, 'POST', '/repositories', { name: 'R', privacy: 'Private', ...more }),
      201,
    )
  ).id;

const datasetIn = async (owner: Client, repositoryId: number, name = 'D'): Promise<number> =>
  (await json<{ id: number }>(await call(owner, 'POST', '/datasets', { name, repositoryId }), 201)).id;

const refused = async (answer: Response): Promise<[number, string]> => [
  answer.status,
  ((await answer.json()) as { code: string }).code,
];

describe('a repository that is offered', () => {
  it('moves to the new owner with datasets and grants once the offer is accepted', async () => {
    const [ada, bob, eve] = [await person('ada'), await person('bob'), await person('eve')];
    const id = await repository(ada);
    const dataset = await datasetIn(ada, id);
    await upload(ada, dataset, 'a,b\n1,x\n');
    await call(ada, 'PUT', `/repositories/${id}/permissions/bob`, { level: 'Read' });
    await call(ada, 'PUT', `/repositories/${id}/permissions/eve`, { level: 'Read' });
    const before = await download(ada, dataset);
    const versionsOf = async (client: Client): Promise<unknown[]> =>
      json<unknown[]>(await call(client, 'GET', `/datasets/${dataset}/versions`));
    const versions = await versionsOf(ada);
    expect(versions).toHaveLength(1);

    expect(
      await json(await call(ada, 'PUT', `/repositories/${id}/transfer`, { account: 'eve' })),
    ).toMatchObject({ to: 'eve' });
    const offer = await json(await call(ada, 'PUT', `/repositories/${id}/transfer`, { account: 'BOB' }));
    expect(offer).toMatchObject({ repositoryId: id, repository: 'R', from: 'ada', to: 'bob' });
    expect(await json(await call(eve, 'GET', '/account/transfers'))).toEqual([]);
    for (const client of [ada, bob])
      expect(await json(await call(client, 'GET', '/account/transfers'))).toEqual([offer]);
    // Nothing has changed so far, and no other account can accept it.
    expect((await call(bob, 'DELETE', `/datasets/${dataset}`)).status).toBe(403);
    expect(await refused(await call(eve, 'PUT', `/account/transfers/${id}`))).toEqual([
      404,
      'transfer_not_found',
    ]);

    expect(await json(await call(bob, 'PUT', `/account/transfers/${id}`))).toMatchObject({
      id,
      permission: 'Owner',
    });
    expect(await download(bob, dataset)).toBe(before);
    expect(await versionsOf(bob)).toEqual(versions);
    expect((await call(ada, 'GET', `/datasets/${dataset}`)).status).toBe(403);
    expect((await call(eve, 'GET', `/datasets/${dataset}`)).status).toBe(200);
    expect(await json(await call(bob, 'GET', `/repositories/${id}/permissions`))).toEqual([
      { name: 'bob', type: 'account', level: 'Owner', origin: 'creator' },
      { name: 'eve', type: 'account', level: 'Read', origin: 'grant' },
    ]);
    expect(await json(await call(ada, 'GET', '/account/transfers'))).toEqual([]);
    expect((await upload(bob, dataset, 'a,b\n2,y\n')).status).toBe('completed');
  });

  it('keeps its owner when the offer is declined, withdrawn or invalid', async () => {
    const [giver, taker] = [await person('giver'), await person('taker')];
    const id = await repository(giver);
    const offer = () => call(giver, 'PUT', `/repositories/${id}/transfer`, { account: 'taker' });
    await offer();
    expect((await call(taker, 'DELETE', `/account/transfers/${id}`)).status).toBe(204);
    await offer();
    expect((await call(giver, 'DELETE', `/repositories/${id}/transfer`)).status).toBe(204);
    expect((await call(taker, 'PUT', `/account/transfers/${id}`)).status).toBe(404);
    expect((await call(giver, 'GET', `/repositories/${id}`)).status).toBe(200);
    expect(
      await refused(await call(giver, 'PUT', `/repositories/${id}/transfer`, { account: 'giver' })),
    ).toEqual([400, 'same_account']);
    const home = await json<{ id: number }>(await call(giver, 'GET', '/repositories/home'));
    expect(
      await refused(await call(giver, 'PUT', `/repositories/${home.id}/transfer`, { account: 'taker' })),
    ).toEqual([409, 'home']);
    expect(
      await refused(await call(giver, 'PUT', `/repositories/${id}/transfer`, { account: 'nobody' })),
    ).toEqual([404, 'principal_not_found']);
  });

  it('cannot be accepted beyond the plan of the new owner', async () => {
    const [wide, narrow] = [await person('wide'), await person('narrow', 'free')];
    const id = await repository(wide);
    await call(wide, 'PUT', `/repositories/${id}/transfer`, { account: 'narrow' });
    expect((await call(narrow, 'PUT', `/account/transfers/${id}`)).status).toBe(402);
    expect(await json<unknown[]>(await call(narrow, 'GET', '/account/transfers'))).toHaveLength(1);
    expect((await call(wide, 'GET', `/repositories/${id}`)).status).toBe(200);
  });
});

describe('deleting an account', () => {
  it('deletes everything of the account, and lists what remains', async () => {
    const [leaver, friend] = [await person('leaver'), await person('friend')];
    const small = await createDataset(leaver);
    await upload(leaver, small, 'a,b\n1,x\n');
    const large = await createDataset(leaver);
    await upload(leaver, large, `a\n${Array.from({ length: 300 }, (_, at) => at).join('\n')}\n`);
    await download(leaver, large);
    const guestRoom = await repository(friend);
    await call(friend, 'PUT', `/repositories/${guestRoom}/permissions/leaver`, { level: 'Write' });
    const left = await datasetIn(leaver, guestRoom, 'left behind');
    await upload(leaver, left, 'a\n1\n');

    for (const confirm of ['', '?confirm=friend', '?confirm=Leaver'])
      expect(await refused(await call(leaver, 'DELETE', `/account${confirm}`))).toEqual([
        400,
        'not_confirmed',
      ]);
    const { remaining } = await json<{ remaining: { what: string; left: number }[] }>(
      await call(leaver, 'DELETE', '/account?confirm=leaver'),
    );
    expect(remaining.length).toBeGreaterThan(20);
    expect(remaining.filter((each) => each.left > 0)).toEqual([]);
    expect((await call(leaver, 'GET', '/account')).status).toBe(401);
    expect(await download(friend, left)).toContain('1');
    const [audit] = await product.sql.query<{ name: string | null; address: string | null }>(
      `SELECT account_name AS name, address FROM audit_events WHERE action = 'account.delete'`,
    );
    expect(audit).toEqual({ name: null, address: null });
    await person('leaver');
  });

  it('is refused while it has a repository of a team or is the last admin', async () => {
    const [lead, mate] = [await person('lead'), await person('mate')];
    await call(lead, 'POST', '/teams', { name: 'crew' });
    await call(lead, 'PUT', '/teams/crew/members/mate', { role: 'member' });
    await call(mate, 'PUT', '/account/invitations/crew');
    const id = await repository(lead, { team: 'crew' });
    expect(await refused(await call(lead, 'DELETE', '/account?confirm=lead'))).toEqual([
      409,
      'team_repositories',
    ]);
    await call(lead, 'PUT', `/repositories/${id}/transfer`, { account: 'mate' });
    await call(mate, 'PUT', `/account/transfers/${id}`);
    expect(await refused(await call(lead, 'DELETE', '/account?confirm=lead'))).toEqual([409, 'last_admin']);
    await call(lead, 'PUT', '/teams/crew/members/mate', { role: 'admin' });
    expect((await call(lead, 'DELETE', '/account?confirm=lead')).status).toBe(200);
    expect(await json(await call(mate, 'GET', `/repositories/${id}`))).toMatchObject({
      permission: 'Owner',
      team: 'crew',
    });
  });
});
