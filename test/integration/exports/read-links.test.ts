/** A read link answers its saved query without a key, as long as its account may read the dataset. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKeys } from '../../../src/catalog/keys.js';
import { createPlans } from '../../../src/catalog/plans.js';
import { logOptions } from '../../../src/lib/log.js';
import { authorization, type Client, call, json, upload } from '../../support/datasets.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client & { readonly id: number };
const logged: string[] = [];
beforeAll(async () => {
  product = await startProduct(
    { corsOrigins: 'https://listed.example' },
    pino(logOptions('test', 'debug'), { write: (line: string) => void logged.push(line) }),
  );
  owner = await product.createAccount('owner');
  const plans = createPlans({ sql: product.sql });
  const unlimited = await plans.read('unlimited');
  await plans.put({ ...unlimited, name: 'own-data', downloads: 'own' });
  await plans.put({ ...unlimited, name: 'counted', maxExportsPerDay: 1_000, maxExportBytesPerDay: 1e12 });
  await plans.put({ ...unlimited, name: 'one-export', maxExportsPerDay: 1 });
});

afterAll(() => product?.close());

const rows = `Date,Country of origin,Big,Value
1931-07-14,France,123456789012345678901234567890,-0.10
2024-01-01,Spain,,2.50
2024-02-01,"Korea, Rep.",7,
`;

interface Link {
  readonly id: number;
  readonly name: string;
  readonly url: string;
  readonly pageUrl: string | null;
  readonly prefix: string;
  readonly keyId: number | null;
  readonly lastUsedAt: string | null;
  readonly reads: number;
  readonly bytes: number;
  readonly bytesToday: number;
  readonly refusedBecause: string | null;
}

type Reader = Client & { readonly id: number; readonly keyId: number; readonly name: string };

interface World {
  readonly repository: number;
  readonly dataset: number;
  readonly reader: Reader;
}

let count = 0;

/** Creates a dataset of the owner, and another account with a key. */
const newWorld = async (privacy: 'Public' | 'Private', plan?: string, content = rows): Promise<World> => {
  count += 1;
  const name = `reader${count}`;
  const at = await call(owner, 'POST', '/repositories', { name, privacy });
  const { id: repository } = await json<{ id: number }>(at, 201);
  const body = { name: 'rows of all', repositoryId: repository };
  const dataset = (await json<{ id: number }>(await call(owner, 'POST', '/datasets', body), 201)).id;
  await upload(owner, dataset, content);
  const { id } = await product.createAccount(name, plan);
  const { id: keyId, key } = await createKeys({ sql: product.sql }).create(id, { name: 'reader' });
  const reader = { baseUrl: product.baseUrl, key, id, keyId, name };
  if (privacy === 'Private')
    await json(
      await call(owner, 'PUT', `/repositories/${repository}/permissions/${name}`, { level: 'Read' }),
    );
  return { repository, dataset, reader };
};

const makeLink = async (client: Client, dataset: number, body: object = {}): Promise<Link> =>
  json<Link>(await call(client, 'POST', `/datasets/${dataset}/read-links`, { name: 'sheet', ...body }), 201);

const linksOf = async (client: Client): Promise<Link[]> =>
  json<Link[]>(await call(client, 'GET', '/account/read-links'));

const linkOf = async (client: Client): Promise<Link> => {
  const [link, ...others] = await linksOf(client);
  expect(others).toEqual([]);
  return link as Link;
};

const codeOf = async (answer: Response): Promise<[number, string | undefined]> => {
  const text = await answer.text();
  return [answer.status, text === '' ? undefined : (JSON.parse(text) as { code?: string }).code];
};

const sqlOf = (text: string, ...values: unknown[]) => product.sql.query(text, values);

describe('a read link', () => {
  it.each<[string, object]>([
    ['no option', {}],
    ['JSON with numbers as strings', { $format: 'json', $decimals: 'string' }],
    ['a filter', { format: 'tsv', $filter: "[Country of origin] ne 'Spain'" }],
    ['a list of columns', { $select: ['Value', 'Big'], $orderby: 'Value desc', $top: 2 }],
    ['a pipeline', { $apply: 'groupby(([Country of origin]),aggregate(Big with max as Most))' }],
    ['a transposed table', { transpose: true }],
    ['a count', { $count: true }],
  ])('answers %s as the API does', async (_name, query) => {
    const { dataset, reader } = await newWorld('Private');
    const { url } = await makeLink(reader, dataset, { query });
    const direct = await call(reader, 'POST', `/datasets/${dataset}/query`, query);
    const linked = await fetch(url);
    expect([linked.status, direct.status]).toEqual([200, 200]);
    expect(await linked.text()).toBe(await direct.text());
    expect(linked.headers.get('content-type')).toBe(direct.headers.get('content-type'));
  });

  it('reads the current version, or the one in its query', async () => {
    const { dataset, reader } = await newWorld('Public');
    const [first] = await json<{ versionId: string }[]>(
      await call(owner, 'GET', `/datasets/${dataset}/versions`),
    );
    const current = await makeLink(reader, dataset);
    const fixed = await makeLink(reader, dataset, { query: { versionId: first?.versionId } });
    const before = await (await fetch(fixed.url)).text();
    await upload(owner, dataset, `${rows}2024-03-01,Italy,1,1.00\n`);
    expect(await (await fetch(current.url)).text()).toContain('Italy');
    expect(await (await fetch(fixed.url)).text()).toBe(before);
  });

  it('has its own format regardless of Accept, and refuses options in the address', async () => {
    const { dataset, reader } = await newWorld('Public');
    const { url } = await makeLink(reader, dataset);
    expect(new URL(url).pathname).toMatch(/^\/api\/links\/tabr_[\w-]{43}\.csv$/);
    const answer = await fetch(`${url}?_=123`, {
      headers: { accept: 'application/json', authorization: 'x' },
    });
    expect(answer.headers.get('content-type')).toMatch(/^text\/csv/);
    expect((await fetch(url.replace(/\.csv$/, ''))).status).toBe(200);
    expect(await codeOf(await fetch(`${url}?$filter=Big%20eq%207`))).toEqual([400, 'unknown_parameter']);
  });

  it('answers HEAD and conditional requests, which do not count as reads', async () => {
    const { dataset, reader } = await newWorld('Public', 'counted');
    const { url } = await makeLink(reader, dataset);
    const head = await fetch(url, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
    const tag = head.headers.get('etag') ?? '';
    const unchanged = await fetch(url, { headers: { 'if-none-match': tag } });
    expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, 'private, no-cache']);
    expect(await linkOf(reader)).toMatchObject({ reads: 0, bytes: 0, lastUsedAt: expect.any(String) });
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const bytes = (await (await fetch(url, plain)).arrayBuffer()).byteLength;
    await expect.poll(() => linkOf(reader)).toMatchObject({ reads: 1, bytes, bytesToday: bytes });
    const quotas = async () => {
      const account = await call(reader, 'GET', '/account');
      return (await json<{ plan: { quotas: Record<string, { used: number }> } }>(account)).plan.quotas;
    };
    await expect
      .poll(quotas)
      .toMatchObject({ exportsPerDay: { used: 1 }, exportBytesPerDay: { used: bytes } });
  });

  it('can be read by pages of any site, even where CORS refuses them other answers', async () => {
    const { dataset, reader } = await newWorld('Public');
    const { url } = await makeLink(reader, dataset);
    const headers = { origin: 'https://elsewhere.example' };
    const answer = await fetch(url, { headers });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
    const refused = await fetch(`${product.baseUrl}/links/tabr_none`, { headers });
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, '*']);
    const preflight = await fetch(url, {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'GET' },
    });
    expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, HEAD');
    const other = await fetch(`${product.baseUrl}/datasets/${dataset}`, { headers });
    expect(other.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('keeps its token out of the database, the log and the list of links', async () => {
    const { dataset, reader } = await newWorld('Private');
    const { url, id, prefix } = await makeLink(reader, dataset, { query: { apiKey: reader.key, $top: 1 } });
    const token = /tabr_[\w-]+/.exec(url)?.[0] ?? '';
    expect(token.startsWith(prefix)).toBe(true);
    await (await fetch(url)).text();
    await fetch(`${url}/more`);
    await fetch(`${product.baseUrl}/link/${token}`);
    await call(reader, 'PATCH', `/account/read-links/${id}`, { name: 'other' });
    const secret = token.slice(prefix.length);
    expect(JSON.stringify(await linksOf(reader))).not.toContain(secret);
    const stored = await sqlOf(
      'SELECT l::text FROM read_links l UNION ALL SELECT e::text FROM audit_events e',
    );
    expect(JSON.stringify(stored)).not.toContain(secret);
    expect(JSON.stringify(stored)).not.toContain(reader.key);
    await expect.poll(() => logged.filter((line) => line.includes('/links/tabr_')).length).toBeGreaterThan(1);
    expect(logged.filter((line) => line.includes(secret))).toEqual([]);
  });
});

interface Case {
  readonly privacy: 'Public' | 'Private';
  readonly end: (world: World, link: Link) => Promise<unknown>;
  readonly code: string;
  readonly status?: number;
}

const cases: Record<string, Case> = {
  'it is revoked': {
    privacy: 'Public',
    end: ({ reader }, { id }) => call(reader, 'DELETE', `/account/read-links/${id}`),
    code: 'link_invalid',
  },
  'it expires': {
    privacy: 'Public',
    end: (_world, { id }) => sqlOf('UPDATE read_links SET expires_at = now() WHERE id = $1', id),
    code: 'link_invalid',
  },
  'the account is disabled': {
    privacy: 'Public',
    end: ({ reader }) => sqlOf('UPDATE accounts SET disabled_at = now() WHERE id = $1', reader.id),
    code: 'account_disabled',
  },
  'the grant is removed': {
    privacy: 'Private',
    end: ({ repository, reader }) =>
      call(owner, 'DELETE', `/repositories/${repository}/permissions/${reader.name}`),
    code: 'no_permission',
  },
  'the repository becomes private': {
    privacy: 'Public',
    end: ({ repository, reader }) =>
      call(owner, 'PUT', `/repositories/${repository}`, { name: reader.name, privacy: 'Private' }),
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
    code: 'link_invalid',
  },
  'the account is deleted': {
    privacy: 'Public',
    end: ({ reader }) => call(reader, 'DELETE', `/account?confirm=${reader.name}`),
    code: 'link_invalid',
  },
};

const refusedWith = async (url: string, status: number, code: string): Promise<void> => {
  expect(await codeOf(await fetch(url))).toEqual([status, code]);
  expect((await fetch(url, { method: 'HEAD' })).status).toBe(status);
  expect((await fetch(url, { headers: { 'if-none-match': '*' } })).status).toBe(status);
};

describe('a read link ends when', () => {
  it.each(Object.entries(cases))('%s', async (_name, { privacy, end, code, status = 403 }) => {
    const world = await newWorld(privacy);
    const link = await makeLink(world.reader, world.dataset);
    expect((await fetch(link.url)).status).toBe(200);
    await end(world, link);
    await refusedWith(link.url, status, code);
  });

  it('the repository-limited key that made it is revoked or expires; no other key ends it', async () => {
    const { dataset, repository, reader } = await newWorld('Private');
    const keys = createKeys({ sql: product.sql });
    const limited = await keys.create(reader.id, { name: 'limited', repositoryIds: [repository] });
    const short = await keys.create(reader.id, { name: 'short', repositoryIds: [repository] });
    const ofKey = await makeLink({ ...reader, key: limited.key }, dataset);
    const ofShort = await makeLink({ ...reader, key: short.key }, dataset);
    const free = await makeLink(reader, dataset);
    expect([ofKey.keyId, ofShort.keyId, free.keyId]).toEqual([limited.id, short.id, null]);
    expect((await linksOf({ ...reader, key: limited.key })).map(({ id }) => id)).toEqual([ofKey.id]);
    const foreign = await call({ ...reader, key: limited.key }, 'DELETE', `/account/read-links/${free.id}`);
    expect(foreign.status).toBe(404);
    await keys.revoke(reader.id, limited.id);
    await keys.revoke(reader.id, reader.keyId);
    await sqlOf('UPDATE api_keys SET expires_at = now() WHERE id = $1', short.id);
    await refusedWith(ofKey.url, 403, 'key_revoked');
    await refusedWith(ofShort.url, 403, 'key_expired');
    expect((await fetch(free.url)).status).toBe(200);
  });

  it('it is revoked during a read, whose connection is aborted', async () => {
    const row = (at: number): string => `${at},${'x'.repeat(90)}\n`;
    const content = `k,v\n${Array.from({ length: 400_000 }, (_, at) => row(at)).join('')}`;
    const { dataset, reader } = await newWorld('Public', undefined, content);
    const { id, url } = await makeLink(reader, dataset);
    const [answer] = (await once(get(url), 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    await call(reader, 'DELETE', `/account/read-links/${id}`);
    await expect.poll(() => logged.some((line) => line.includes('its right has ended'))).toBe(true);
    const readRest = async () => {
      for await (const _piece of answer);
    };
    await expect(readRest()).rejects.toThrow('aborted');
  });
});

describe('the quotas of a read link', () => {
  it('stop it for the rest of the day, and can be raised', async () => {
    const { dataset, reader } = await newWorld('Public');
    const { id, url } = await makeLink(reader, dataset, { maxBytesPerDay: 10 });
    expect(await (await fetch(url)).text()).toContain('France');
    await expect.poll(async () => (await linkOf(reader)).reads).toBe(1);
    await refusedWith(url, 402, 'link_quota_exceeded');
    await sqlOf('UPDATE read_links SET day = day - 1 WHERE id = $1', id);
    expect((await fetch(url)).status).toBe(200);
    await expect.poll(async () => (await linkOf(reader)).reads).toBe(2);
    await refusedWith(url, 402, 'link_quota_exceeded');
    await json(await call(reader, 'PATCH', `/account/read-links/${id}`, { maxBytesPerDay: null }));
    expect((await fetch(url)).status).toBe(200);
  });

  it('apply to concurrent reads before these have ended', async () => {
    const { dataset, reader } = await newWorld('Public');
    const { url } = await makeLink(reader, dataset, { maxBytesPerDay: 10 });
    const plain = { headers: { 'accept-encoding': 'identity' } };
    const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(url, plain)));
    const whole = answers.filter(({ status }) => status === 200);
    expect(whole).toHaveLength(1);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const answer of refused) expect(await codeOf(answer)).toEqual([402, 'link_quota_exceeded']);
    const bytes = (await whole[0]?.arrayBuffer())?.byteLength;
    await expect.poll(() => linkOf(reader)).toMatchObject({ reads: 1, bytes, bytesToday: bytes });
  });

  it('include those of the account', async () => {
    const { dataset, reader } = await newWorld('Public', 'one-export');
    const { url } = await makeLink(reader, dataset);
    expect((await fetch(url)).status).toBe(200);
    expect(await codeOf(await fetch(url))).toEqual([402, 'quota_exceeded']);
  });
});

describe('managing read links', () => {
  it('changes name, expiry and quota, shows why a link no longer works, and is audited', async () => {
    const world = await newWorld('Private');
    const { dataset, reader } = world;
    const made = await makeLink(reader, dataset, { query: { $top: 1 } });
    const change = { name: 'Dashboard', expiresAt: '2999-01-01', maxBytesPerDay: 1_000 };
    const changed = await json<Link>(await call(reader, 'PATCH', `/account/read-links/${made.id}`, change));
    const { url: _url, pageUrl: _pageUrl, ...shown } = made;
    expect(changed).toEqual({ ...shown, ...change, expiresAt: '2999-01-01T00:00:00.000' });
    expect(changed).toMatchObject({ datasetName: 'rows of all', query: { $top: 1, $format: 'csv' } });
    await cases['the grant is removed']?.end(world, made);
    expect(await linkOf(reader)).toMatchObject({
      refusedBecause: `You have no permission on dataset ${dataset}.`,
      datasetName: null,
    });
    const stranger = await product.createAccount(`stranger${count}`);
    expect(await linksOf(stranger)).toEqual([]);
    for (const method of ['PATCH', 'DELETE']) {
      const answer = await call(stranger, method, `/account/read-links/${made.id}`, { name: 'mine' });
      expect(await codeOf(answer)).toEqual([404, 'link_not_found']);
    }
    await call(reader, 'DELETE', `/account/read-links/${made.id}`);
    const events = await sqlOf(
      `SELECT action, target_name AS name, details ->> 'prefix' AS prefix FROM audit_events
       WHERE target_kind = 'link' AND target_id = $1 ORDER BY id`,
      made.id,
    );
    const { prefix } = made;
    expect(events).toEqual([
      { action: 'link.create', name: 'sheet', prefix },
      { action: 'link.update', name: 'Dashboard', prefix },
      { action: 'link.revoke', name: 'Dashboard', prefix },
    ]);
  });

  it.each<[string, object, number, string | undefined]>([
    ['an unknown column', { query: { $filter: 'Nowhere eq 1' } }, 400, 'unknown_column'],
    ['a malformed filter', { query: { $filter: 'Big eq' } }, 400, 'filter_syntax'],
    ['an unknown option', { query: { $nonsense: 1 } }, 400, 'unknown_option'],
    ['a page size', { query: { $pagesize: 10 } }, 400, 'bad_option'],
    ['an unknown version', { query: { versionId: 999_999 } }, 404, 'unknown_version'],
    ['a query that is too long', { query: { $filter: `Big eq 1${' '.repeat(70_000)}` } }, 400, 'too_complex'],
    ['a NUL character', { query: { $filter: "[Country of origin] eq '\u0000'" } }, 400, 'invalid_request'],
    ['an expiry in the past', { expiresAt: '2001-01-01' }, 400, 'expired'],
    ['a quota of zero', { maxBytesPerDay: 0 }, 400, 'invalid_request'],
    ['an invisible name', { name: '\u202e' }, 400, 'invalid_request'],
  ])('refuses %s', async (_name, body, status, code) => {
    const { dataset, reader } = await newWorld('Public');
    const answer = await call(reader, 'POST', `/datasets/${dataset}/read-links`, { name: 'sheet', ...body });
    expect(await codeOf(answer)).toEqual([status, code]);
  });

  it('works in a session of the web app, whose end does not end the link', async () => {
    const { dataset, reader } = await newWorld('Private');
    const signedIn = await fetch(`${product.baseUrl}/session`, {
      method: 'POST',
      headers: authorization(reader.key),
    });
    const headers = {
      cookie: signedIn.headers.get('set-cookie')?.split(';')[0] ?? '',
      'content-type': 'application/json',
    };
    const made = await fetch(`${product.baseUrl}/datasets/${dataset}/read-links`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ name: 'of a page' }),
    });
    const { url } = await json<Link>(made, 201);
    await fetch(`${product.baseUrl}/session`, { method: 'DELETE', headers });
    expect((await fetch(url)).status).toBe(200);
  });
});
