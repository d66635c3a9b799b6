/** A link works only while the credential that requested it, its account and its permission exist. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { createPlans } from '../../../src/catalog/plans.js';
import { authorization, type Client, call, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;

beforeAll(async () => {
  product = await startProduct();
  const account = await product.createAccount('owner');
  owner = { baseUrl: product.baseUrl, key: account.key };
  const plans = createPlans({ sql: product.sql });
  await plans.put({ ...(await plans.read('unlimited')), name: 'own-data', downloads: 'own' });
});

afterAll(() => product?.close());

let count = 0;
const rows = 'Country,Date,Value\nFrance,2024-01-01,1\nSpain,2024-01-01,2\nSpain,2024-02-01,3\n';

interface World {
  readonly repository: number;
  readonly dataset: number;
  readonly reader: Client & { readonly id: number; readonly keyId: number; readonly name: string };
}

/** Creates a dataset of the owner, and another account with a key. */
const newWorld = async (privacy: 'Public' | 'Private', plan?: string): Promise<World> => {
  count += 1;
  const name = `reader${count}`;
  const repository = (
    await json<{ id: number }>(await call(owner, 'POST', '/repositories', { name, privacy }), 201)
  ).id;
  const body = { name: 'rows', repositoryId: repository };
  const dataset = (await json<{ id: number }>(await call(owner, 'POST', '/datasets', body), 201)).id;
  await upload(owner, dataset, rows);
  const { id } = await product.createAccount(name, plan);
  const { id: keyId, key } = await createKeys({ sql: product.sql }).create(id, { name: 'reader' });
  return { repository, dataset, reader: { baseUrl: product.baseUrl, key, id, keyId, name } };
};

const share = ({ repository, reader }: World) =>
  call(owner, 'PUT', `/repositories/${repository}/permissions/${reader.name}`, { level: 'Read' });

const queries = ['', '?$format=parquet', '?transpose=true', '?transpose=true&$format=parquet'];

const linksOf = (dataset: number, headers: Record<string, string>, more = ''): Promise<string[]> =>
  Promise.all(
    queries.map(async (query) => {
      const url = `${product.baseUrl}/datasets/${dataset}/data${query}${more}`;
      const answer = await fetch(url, { headers, redirect: 'manual' });
      expect(answer.status).toBe(302);
      return answer.headers.get('location') ?? '';
    }),
  );

/** Status and code of every kind of request to a link. */
const requestAll = async (
  links: readonly string[],
): Promise<{ statuses: number[]; codes: (string | undefined)[] }> => {
  const answers = await Promise.all(
    links.flatMap((link) => [
      fetch(link, { redirect: 'manual' }),
      fetch(link, { headers: { range: 'bytes=0-9' }, redirect: 'manual' }),
      fetch(link, { method: 'HEAD', redirect: 'manual' }),
      fetch(link, { headers: { 'if-none-match': '*' }, redirect: 'manual' }),
    ]),
  );
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  const codeOf = (text: string): string | undefined => {
    try {
      return (JSON.parse(text) as { code?: string }).code;
    } catch {
      return undefined;
    }
  };
  return {
    statuses: [...new Set(answers.map(({ status }) => status))].sort(),
    codes: [...new Set(bodies.filter((text) => text !== '').map(codeOf))],
  };
};

const expectWorking = async (links: readonly string[]): Promise<void> =>
  expect((await requestAll(links)).statuses).toEqual([200, 206, 304]);

const expectRefused = async (links: readonly string[], status: number, code: string): Promise<void> =>
  expect(await requestAll(links)).toEqual({ statuses: [status], codes: [code] });

const sqlOf = (text: string, ...values: unknown[]) => product.sql.query(text, values);

interface Case {
  readonly privacy: 'Public' | 'Private';
  readonly end: (world: World) => Promise<unknown>;
  readonly code: string;
  readonly status?: number;
}

const cases: Record<string, Case> = {
  'the key is revoked': {
    privacy: 'Private',
    end: ({ reader }) => createKeys({ sql: product.sql }).revoke(reader.id, reader.keyId),
    code: 'key_revoked',
  },
  'the key expires': {
    privacy: 'Public',
    end: ({ reader }) => sqlOf('UPDATE api_keys SET expires_at = now() WHERE id = $1', reader.keyId),
    code: 'key_expired',
  },
  'the key is limited to other repositories': {
    privacy: 'Public',
    end: ({ reader }) => sqlOf("UPDATE api_keys SET repository_ids = '{0}' WHERE id = $1", reader.keyId),
    code: 'key_scope',
  },
  'the account is disabled': {
    privacy: 'Public',
    end: ({ reader }) => sqlOf('UPDATE accounts SET disabled_at = now() WHERE id = $1', reader.id),
    code: 'account_disabled',
  },
  'the key is deleted with its account': {
    privacy: 'Public',
    end: ({ reader }) => sqlOf('DELETE FROM api_keys WHERE id = $1', reader.keyId),
    code: 'unknown_key',
  },
  'the grant is removed': {
    privacy: 'Private',
    end: ({ repository, reader }) =>
      call(owner, 'DELETE', `/repositories/${repository}/permissions/${reader.name}`),
    code: 'no_permission',
  },
  'the plan no longer includes private data of others': {
    privacy: 'Private',
    end: ({ reader }) => sqlOf("UPDATE accounts SET plan = 'own-data' WHERE id = $1", reader.id),
    code: 'download_not_in_plan',
  },
  'the dataset is deleted': {
    privacy: 'Private',
    end: ({ dataset }) => call(owner, 'DELETE', `/datasets/${dataset}`),
    code: 'dataset_not_found',
    status: 404,
  },
};

describe('a link made with a key ends when', () => {
  it.each(Object.entries(cases))('%s', async (_name, { privacy, end, code, status = 403 }) => {
    const world = await newWorld(privacy);
    if (privacy === 'Private') expect((await share(world)).ok).toBe(true);
    const links = await linksOf(world.dataset, authorization(world.reader.key));
    await expectWorking(links);
    await end(world);
    await expectRefused(links, status, code);
  });

  it('the repository becomes private, with and without a key', async () => {
    const { dataset, repository, reader } = await newWorld('Public');
    const keyed = await linksOf(dataset, authorization(reader.key));
    const anonymous = await linksOf(dataset, {});
    const own = await linksOf(dataset, authorization(owner.key));
    await expectWorking([...keyed, ...anonymous, ...own]);
    await call(owner, 'PUT', `/repositories/${repository}`, { name: reader.name, privacy: 'Private' });
    await expectRefused(keyed, 403, 'no_permission');
    await expectRefused(anonymous, 403, 'no_key');
    await expectWorking(own);
  });

  it('the account leaves the team that has the permission', async () => {
    const world = await newWorld('Private');
    const { repository, dataset, reader } = world;
    const team = `team${count}`;
    await json(await call(owner, 'POST', '/teams', { name: team }), 201);
    await sqlOf(
      `INSERT INTO team_members (team_id, account_id, role) SELECT id, $2, 'member' FROM teams WHERE name = $1`,
      team,
      reader.id,
    );
    const grant = await call(owner, 'PUT', `/repositories/${repository}/permissions/${team}`, {
      level: 'Read',
    });
    expect(grant.ok).toBe(true);
    const links = await linksOf(dataset, authorization(reader.key));
    await expectWorking(links);
    await sqlOf('DELETE FROM team_members WHERE account_id = $1', reader.id);
    await expectRefused(links, 403, 'no_permission');
  });

  it('the version is deleted', async () => {
    const { dataset, reader } = await newWorld('Public');
    const [first] = await json<{ versionId: string }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/versions`),
    );
    await upload(owner, dataset, `${rows}Italy,2024-01-01,4\n`);
    const headers = authorization(reader.key);
    const links = await Promise.all(
      ['', '&$format=parquet'].map(async (more) => {
        const url = `${product.baseUrl}/datasets/${dataset}/data?versionId=${first?.versionId}${more}`;
        return (await fetch(url, { headers, redirect: 'manual' })).headers.get('location') ?? '';
      }),
    );
    await expectWorking(links);
    const deleted = await call(owner, 'DELETE', `/datasets/${dataset}/versions/${first?.versionId}`);
    expect(deleted.ok).toBe(true);
    await expectRefused(links, 404, 'unknown_version');
  });
});

describe('a link of a signed-in user', () => {
  it('ends with its session, and not with another session of the key', async () => {
    const { dataset, reader } = await newWorld('Public');
    const signIn = async (): Promise<Record<string, string>> => {
      const answer = await fetch(`${product.baseUrl}/session`, {
        method: 'POST',
        headers: authorization(reader.key),
      });
      return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '' };
    };
    const [one, other] = [await signIn(), await signIn()];
    const links = await linksOf(dataset, one);
    const others = await linksOf(dataset, other);
    await expectWorking([...links, ...others]);
    expect((await fetch(`${product.baseUrl}/session`, { method: 'DELETE', headers: one })).status).toBe(204);
    await expectRefused(links, 403, 'session_ended');
    await expectWorking(others);
    await sqlOf('UPDATE web_sessions SET expires_at = now()');
    await expectRefused(others, 403, 'session_ended');
  });
});

it('the rights of several links are checked in one statement', async () => {
  const { dataset, reader } = await newWorld('Public');
  const { createStandingRights, rightOf } = await import('../../../src/catalog/standing-rights.js');
  let statements = 0;
  const counting = {
    ...product.sql,
    query: <T>(...given: Parameters<typeof product.sql.query>) => {
      statements += 1;
      return product.sql.query<T>(...given);
    },
  };
  const { judge } = createStandingRights({ sql: counting });
  const right = { ...rightOf(undefined, dataset), keyId: reader.keyId };
  const verdicts = await judge([right, rightOf(undefined, dataset), { ...right, sessionId: 0 }]);
  expect(verdicts.map(({ ended }) => ended?.code)).toEqual([undefined, undefined, 'session_ended']);
  expect(verdicts[0]).toMatchObject({ caller: { accountId: reader.id } });
  expect(statements).toBe(1);
});
