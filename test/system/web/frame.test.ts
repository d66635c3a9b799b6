import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';

let stage: Stage;
let ada: { id: number; key: string };
beforeAll(async () => {
  stage = await startStage();
  ada = await stage.product.createAccount('ada');
});
afterEach(() => stage.leave());
afterAll(() => stage?.close());

const basic = (key: string): string => `Basic ${Buffer.from(`${key}:`).toString('base64')}`;

const ask = (path: string, init: RequestInit = {}): Promise<Response> => fetch(stage.root + path, init);

const openSession = async (): Promise<string> => {
  const answer = await ask('/api/session', { method: 'POST', headers: { Authorization: basic(ada.key) } });
  expect(answer.status).toBe(200);
  return answer.headers.get('set-cookie') ?? '';
};

const cookieOf = (header: string): string => header.split(';', 1)[0] ?? '';

/**
 * Leaves the page when it has no requests in flight. A cancelled request may still be answered: if its answer were the
 * first to report the end of the session, it would remove the cookie without the app noticing.
 */
const leave = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'ada' }).waitFor();
  await page.goto('about:blank');
};

/** Holds back the answer to `GET /api/session`. @param json replaces the answer. */
const holdSession = async (page: Page, json?: object): Promise<{ answer(): Promise<unknown> }> => {
  let release = (): void => undefined;
  const released = new Promise<void>((done) => {
    release = done;
  });
  await page.route('**/api/session', async (route) => {
    if (route.request().method() !== 'GET') return route.continue();
    const response = json === undefined ? await route.fetch() : undefined;
    await released;
    await route.fulfill(response === undefined ? { json } : { response });
  });
  return {
    async answer() {
      const answered = page.waitForResponse(
        (answer) => answer.url().endsWith('/api/session') && answer.request().method() === 'GET',
      );
      release();
      await (await answered).finished();
    },
  };
};

const toProviders = async (page: Page): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Providers' }).click();
  await page.getByRole('heading', { name: 'Data providers' }).waitFor();
};

const asBrowser = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

describe('a URL of the web app', () => {
  it('is answered with the app for browsers, and with JSON for other clients', async () => {
    for (const [path, headers, status, type] of [
      ['/', {}, 200, 'text/html; charset=utf-8'],
      ['/datasets/3', asBrowser, 200, 'text/html; charset=utf-8'],
      ['/datasets/3?$filter=%zz&x=1&x=2', asBrowser, 200, 'text/html; charset=utf-8'],
      ['/nowhere', asBrowser, 404, 'text/html; charset=utf-8'],
      ['/datasets/3', {}, 404, 'application/json; charset=utf-8'],
      ['/api/nowhere', asBrowser, 404, 'application/json; charset=utf-8'],
      ['/assets/nothing.js', asBrowser, 404, 'application/json; charset=utf-8'],
    ] as const) {
      const answer = await ask(path, { headers });
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([path, status, type]);
      await answer.text();
    }
    expect((await ask('/datasets/3', { method: 'POST', headers: asBrowser })).status).toBe(404);
  });

  it('has compressed, immutable assets and a page that is revalidated', async () => {
    const page = await ask('/');
    const tag = page.headers.get('etag') ?? '';
    expect(page.headers.get('cache-control')).toBe('no-cache');
    expect((await ask('/', { headers: { 'If-None-Match': tag } })).status).toBe(304);
    const [script = ''] = /\/assets\/[\w.-]+\.js/.exec(await page.text()) ?? [];
    for (const coding of ['br', 'gzip', 'identity']) {
      const file = await ask(script, { headers: { 'Accept-Encoding': coding } });
      expect(file.headers.get('content-encoding') ?? 'identity').toBe(coding);
      expect(file.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    }
  });

  it('allows no inline or evaluated code and no resources of other origins', async () => {
    const policy = (await ask('/')).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    const page = await stage.visit('/sign-in');
    const hosts = new Set<string>();
    page.on('request', (request) => hosts.add(new URL(request.url()).origin));
    await page.reload();
    expect([...hosts]).toEqual([stage.root]);
  });
});

describe('a session', () => {
  it('starts with a key and uses an HttpOnly cookie; the browser does not store the key', async () => {
    const page = await stage.visit('/sign-in?to=%2F');
    await page.getByLabel('API key').fill(ada.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'ada' }).waitFor();
    await page.waitForURL(`${stage.root}/`);
    const [cookie] = await page.context().cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/' });
    const seen = await page.evaluate(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href, history.state])',
    );
    expect(seen).not.toContain(ada.key);
    expect(seen).not.toContain(cookie?.value);
    await page.reload();
    await page.getByRole('button', { name: 'ada' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
    expect((await ask('/api/account', { headers: { Cookie: `tabulary=${cookie?.value}` } })).status).toBe(
      401,
    );
  });

  it('does not start with a wrong key, and redirects only to the app', async () => {
    const page = await stage.visit('/sign-in?to=%2F%2Fevil.example%2F');
    await page.getByLabel('API key').fill('tab_wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('The API key is not valid.').waitFor();
    await page.getByLabel('API key').fill(ada.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'ada' }).waitFor();
    await page.waitForURL(`${stage.root}/`);
  });

  it('is not overwritten by answers to earlier requests', async () => {
    const page = await stage.visit('/sign-in');
    const late = await holdSession(page);
    await page.goto('/sign-in');
    await page.getByLabel('API key').fill(ada.key);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'ada' }).waitFor();
    await late.answer();
    await toProviders(page);
    await page.getByRole('button', { name: 'ada' }).waitFor();
  });

  it('is that of another account once the tab is visible again after another tab signed in', async () => {
    const bob = await stage.product.createAccount('bob');
    const page = await stage.visit('/account', { key: ada.key });
    await page.getByRole('button', { name: 'ada' }).waitFor();
    const tab = await page.context().newPage();
    await tab.goto(`${stage.root}/sign-in`);
    await tab.getByLabel('API key').fill(bob.key);
    await tab.getByRole('button', { name: 'Sign in' }).click();
    await tab.getByRole('button', { name: 'bob' }).waitFor();
    await tab.close();
    const reloaded = page.waitForResponse((answer) => answer.url().endsWith('/api/account'));
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`);
    await page.getByRole('button', { name: 'bob' }).waitFor();
    await reloaded;
  });

  it('stays, with the reason, if signing out fails', async () => {
    const page = await stage.visit('/sign-in', { key: ada.key });
    await page.route('**/api/session', (route) =>
      route.request().method() === 'DELETE'
        ? route.fulfill({ status: 503, json: { error: 'Away for a moment.', code: 'unavailable' } })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'ada' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('Away for a moment.').waitFor();
    await page.getByRole('button', { name: 'ada' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('ends when its key is revoked, and the page shows that', async () => {
    const { baseUrl } = stage.product;
    const made = await fetch(`${baseUrl}/account/keys`, {
      method: 'POST',
      headers: { Authorization: basic(ada.key), 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'for a browser' }),
    });
    const { id, key } = (await made.json()) as { id: number; key: string };
    const page = await stage.visit('/sign-in', { key });
    await leave(page);
    await fetch(`${baseUrl}/account/keys/${id}`, {
      method: 'DELETE',
      headers: { Authorization: basic(ada.key) },
    });
    await page.goto('/');
    await page.getByText('Your session has ended.').waitFor();
    await expect.poll(() => page.context().cookies()).toEqual([]);
  });

  it('is shown as ended even if a late answer says that nobody is signed in', async () => {
    const page = await stage.visit('/sign-in', { key: ada.key });
    await leave(page);
    await stage.product.sql.query('UPDATE web_sessions SET expires_at = now()');
    const late = await holdSession(page, { account: null });
    await page.goto('/');
    await page.getByText('Your session has ended.').waitFor();
    await late.answer();
    await toProviders(page);
    await page.getByText('Your session has ended.').waitFor();
  });

  it('ends when it expires, and the page shows that', async () => {
    const page = await stage.visit('/sign-in', { key: ada.key });
    await leave(page);
    await stage.product.sql.query('UPDATE web_sessions SET expires_at = now()');
    await page.goto('/');
    await page.getByText('Your session has ended.').waitFor();
  });

  it('cannot be created with a session cookie', async () => {
    const cookie = cookieOf(await openSession());
    const again = await ask('/api/session', { method: 'POST', headers: { Cookie: cookie } });
    expect(again.status).toBe(401);
    expect((await ask('/api/account', { headers: { Cookie: cookie } })).status).toBe(200);
  });

  it('cannot be used by a page of another site', async () => {
    const cookie = cookieOf(await openSession());
    for (const headers of [
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
      { Origin: 'https://evil.example' },
    ]) {
      const answer = await ask('/api/repositories', {
        method: 'POST',
        headers: { Cookie: cookie, 'Content-Type': 'application/json', ...headers } as Record<string, string>,
        body: JSON.stringify({ name: 'stolen', privacy: 'Public' }),
      });
      expect(answer.status).toBe(403);
    }
    const own = await ask('/api/account', { headers: { Cookie: cookie } });
    expect(own.headers.get('cross-origin-resource-policy')).toBe('same-origin');
  });

  it('rate-limits attempts with wrong cookies', async () => {
    const answers: Response[] = [];
    // Earlier tests of this file have already used up some attempts.
    do answers.push(await ask('/api/account', { headers: { Cookie: 'tabulary=made-up' } }));
    while (answers.length < 14 && !answers.at(-1)?.headers.has('retry-after'));
    expect(answers.every(({ status }) => status === 401)).toBe(true);
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/);
  });

  it('is deleted when its key has a hundred newer ones', async () => {
    const first = cookieOf(await openSession());
    await stage.product.sql.query(
      `INSERT INTO web_sessions (hash, key_id, expires_at)
       SELECT sha256(n::text::bytea), k.id, now() + interval '1 hour' FROM generate_series(1, 100) AS n, api_keys k
       WHERE k.account_id = $1 AND k.name = 'test'`,
      [ada.id],
    );
    const last = cookieOf(await openSession());
    expect((await ask('/api/account', { headers: { Cookie: first } })).status).toBe(401);
    expect((await ask('/api/account', { headers: { Cookie: last } })).status).toBe(200);
  });

  it('has a cookie marked as secure behind TLS', async () => {
    const { createReadSessionCookie } = await import('../../../src/http/session-cookie.js');
    expect(createReadSessionCookie('')(undefined, true).begin('x', 60)).toBe(
      '__Host-tabulary=x; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    );
    // The prefix `__Host-` requires the path `/`.
    expect(createReadSessionCookie('/tables')(undefined, true).begin('x', 60)).toBe(
      '__Secure-tabulary=x; Path=/tables; Max-Age=60; HttpOnly; SameSite=Strict; Secure',
    );
  });
});

describe('the frame', () => {
  it.each([
    ['light', 375],
    ['dark', 375],
    ['light', 1280],
    ['dark', 1280],
  ] as const)('has no axe violations, %s at %i', async (theme, width) => {
    const page = await stage.visit('/sign-in', { theme, width });
    await page.getByLabel('API key').waitFor();
    expect(await violationsOf(page)).toEqual([]);
    await page.goto('/nowhere');
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await violationsOf(page)).toEqual([]);
  });

  it('has a skip link as the first tab stop', async () => {
    const page = await stage.visit('/sign-in');
    await page.getByLabel('API key').waitFor();
    await page.keyboard.press('Tab');
    await expect.poll(() => page.evaluate('document.activeElement?.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement?.id')).toBe('main');
  });

  it('keeps the selected theme', async () => {
    const page = await stage.visit('/sign-in', { theme: 'light' });
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await page.reload();
    await page.getByLabel('API key').waitFor();
    await expect.poll(() => page.evaluate('getComputedStyle(document.body).colorScheme')).toBe('dark');
  });
});
