import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { allProviders } from '../../../src/providers/registry.js';
import { browserTest as it, type Stage, startStage, violationsOf } from '../../support/browser.js';
import { call, json } from '../../support/datasets.js';
import {
  type Exchange,
  fixture,
  type ReplayUpstream,
  startReplayUpstream,
} from '../../support/replay-upstream.js';

/** Markup that runs a script unless it is escaped. */
const hostile = `<img src=x onerror="globalThis.hacked=1">'"><script>globalThis.hacked=1</script>{{7*7}}`;

/** Observations in the bank's format. */
const observations = (id: string, label: string, values: Readonly<Record<string, string | null>>) => ({
  terms: { url: 'https://www.bankofcanada.ca/terms/' },
  seriesDetail: { [id]: { label, description: label, dimension: { key: 'd', name: 'Date' } } },
  observations: Object.entries(values).map(([d, v]) => ({ d, [id]: { v } })),
});

const newest = { '2026-03-11': '1.4400', '2026-03-12': '1.4405', '2026-03-13': null, '2026-03-16': '1.40' };
const rates = observations('FXUSDCAD', 'USD/CAD', newest);
const hostileSeries = observations('FXAUDCAD', hostile, { '2026-03-12': '1.1', '2026-03-13': hostile });
const list = (name: string): string => fixture(`providers/bankofcanada/${name}.json`);

/** Enough groups that the page has a filter, one of them with a hostile name. */
const groups = {
  groups: {
    FX_RATES_DAILY: { label: 'Daily exchange rates', description: null },
    HOSTILE: { label: hostile, description: hostile },
    ...Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [`GROUP_${at}`, { label: `Bonds of ${at} years` }]),
    ),
  },
};
const manySeries = {
  groupDetails: {
    groupSeries: Object.fromEntries(
      Array.from({ length: 70 }, (_, at) => [`V${100 + at}`, { label: `Bond ${100 + at}` }]),
    ),
  },
};

const bankExchanges: readonly Exchange[] = [
  { path: '/lists/groups/json', reply: groups },
  { path: '/groups/FX_RATES_DAILY/json', reply: list('groups-FX_RATES_DAILY') },
  { path: '/groups/GROUP_1/json', reply: manySeries },
  {
    path: '/groups/HOSTILE/json',
    reply: { groupDetails: { groupSeries: { FXAUDCAD: { label: hostile } } } },
  },
  ...[{ recent: '24' }, {}].map((query) => ({ path: '/observations/FXUSDCAD/json', query, reply: rates })),
  {
    path: '/observations/FXUSDCAD/json',
    query: { start_date: '2026-03-13' },
    reply: observations('FXUSDCAD', 'USD/CAD', { '2026-03-13': null, '2026-03-16': '1.40' }),
  },
  { path: '/observations/FXAUDCAD/json', query: { recent: '24' }, reply: hostileSeries },
  {
    path: '/observations/LIMITED/json',
    query: { recent: '24' },
    status: 429,
    // Longer than the test, but short enough to be shown in seconds.
    headers: { 'retry-after': '88' },
    reply: {},
  },
  { path: '/observations/EMPTY/json', query: { recent: '24' }, reply: observations('EMPTY', 'Nothing', {}) },
  { path: '/observations/NOPE/json', query: { recent: '24' }, status: 404, reply: { message: 'not found' } },
];

const asJson = { file_type: 'json' };
const fredExchanges: readonly Exchange[] = [
  {
    path: '/series',
    query: { series_id: 'GDP', ...asJson },
    reply: fixture('providers/fred/series-GDP.json'),
  },
  {
    path: '/series/tags',
    query: { series_id: 'GDP', ...asJson },
    reply: fixture('providers/fred/series-tags-GDP.json'),
  },
  {
    path: '/series/observations',
    query: { series_id: 'GDP', units: 'lin', sort_order: 'desc', limit: '24', ...asJson },
    reply: fixture('providers/fred/observations-GDP.json'),
  },
];

let stage: Stage;
let bank: ReplayUpstream;
let fred: ReplayUpstream;
let emptyUpstream: ReplayUpstream;
let ada: { id: number; key: string };

beforeAll(async () => {
  bank = await startReplayUpstream(bankExchanges);
  fred = await startReplayUpstream(fredExchanges, { ignoredQuery: ['api_key'] });
  emptyUpstream = await startReplayUpstream([]);
  stage = await startStage({
    providerUrls: [
      ...allProviders.map(({ slug }) => `${slug}=${emptyUpstream.baseUrl}`),
      `bankofcanada=${bank.baseUrl}`,
      `fred=${fred.baseUrl}`,
      `fred.public=${fred.otherBaseUrl('public')}`,
    ].join(','),
    masterKeys: `test:${randomBytes(32).toString('base64')}`,
  });
  ada = await stage.product.createAccount('ada');
});
/** Closes the circuit that a failed test may have opened. */
const closeCircuit = async (): Promise<void> => {
  bank.answerAll({ reply: observations('PROBE', 'Probe', newest) });
  const path = '/providers/bankofcanada/series/PROBE';
  const client = { baseUrl: stage.product.baseUrl, key: ada.key };
  await expect.poll(async () => (await call(client, 'GET', path)).status, { interval: 500 }).toBe(200);
};

afterEach(async ({ task }) => {
  // Pages are closed first, because they may still send requests.
  await stage.leave();
  await stage.product.sql.query('DELETE FROM gateway_holds');
  if (task.result?.state === 'fail') await closeCircuit();
  bank.answerAll(undefined);
});
afterAll(async () => {
  await stage?.close();
  await Promise.all([bank, fred, emptyUpstream].map((upstream) => upstream?.close()));
});

const visit = (path: string, more: Parameters<Stage['visit']>[1] = {}): Promise<Page> =>
  stage.visit(path, { key: ada.key, ...more });
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name });

describe('providers', () => {
  it('are listed, and their series are searched while typing, with the query in the URL', async () => {
    const page = await stage.visit('/');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Providers' }).click();
    await page.getByRole('link', { name: 'Bank of Canada Valet' }).waitFor();
    await expect.poll(() => page.locator('.provider-card').count()).toBe(allProviders.length);
    await page.getByRole('searchbox').fill('overnight rate');
    await page.getByRole('link', { name: 'Target for the overnight rate' }).waitFor();
    expect(page.url()).toBe(`${stage.root}/providers?q=overnight+rate`);
    await page.getByRole('searchbox').fill('zzz nothing');
    await page.getByText('No series found').waitFor();
    await page.goBack();
    await page.locator('.provider-card').first().waitFor();
  });

  it('are found on the first page, with links to the preview', async () => {
    const page = await visit('/?q=FXUSDCAD');
    await page.getByRole('link', { name: 'USD/CAD daily exchange rate' }).click();
    await heading(page, 'USD/CAD').waitFor();
    expect(page.url()).toBe(`${stage.root}/providers/bankofcanada/series/FXUSDCAD`);
  });

  it('are searched for text that was typed while the URL changed', async () => {
    const page = await visit('/providers');
    await page.getByRole('searchbox').waitFor();
    await page.evaluate(`(() => {
      const push = history.pushState;
      history.pushState = function (...given) {
        history.pushState = push;
        push.apply(history, given);
        const input = document.querySelector('input[type=search]');
        input.value = 'overnight rate';
        input.dispatchEvent(new Event('input', { bubbles: true }));
      };
    })()`);
    await page.getByRole('searchbox').fill('overnight');
    await page.waitForURL(/q=overnight\+rate/);
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('overnight rate');
  });

  it('that do not exist are shown as not found', async () => {
    const page = await visit('/providers/nope');
    await heading(page, 'Not found').waitFor();
    await page.getByRole('link', { name: 'All providers' }).click();
    await heading(page, 'Data providers').waitFor();
  });
});

describe('the tree of a provider', () => {
  it('can be browsed, filtered and shared as a URL', async () => {
    const page = await visit('/providers/bankofcanada');
    await page.getByText('22 of 22 folders').waitFor();
    await page.getByLabel('Filter folders').fill('bonds 1 years');
    await page.getByRole('link', { name: /Bonds of 1 years/ }).click();
    await page.getByRole('link', { name: 'Bond 100', exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('path')).toBe('GROUP_1');
    await page.getByText('1–50 of 70').waitFor();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText('51–70 of 70').waitFor();
    await page.getByRole('link', { name: 'Bond 169' }).waitFor();
    await page.goBack();
    await page.getByText('1–50 of 70').waitFor();
    const other = await visit(page.url());
    const way = other.getByRole('navigation', { name: 'Position in the tree' });
    await way.getByText('Bonds of 1 years').waitFor();
    await way.getByRole('link', { name: 'Groups of series' }).click();
    await other.getByText('22 of 22 folders').waitFor();
  });

  it('shows that names of folders could not be loaded, and retries', async () => {
    const page = await visit('/providers');
    const names = (url: URL): boolean => url.pathname.endsWith('/bankofcanada/browse') && url.search === '';
    await page.route(names, (route) =>
      route.fulfill({ status: 503, json: { error: 'Away for a moment.', code: 'unavailable' } }),
    );
    await page.goto('/providers/bankofcanada?path=GROUP_1');
    await page.getByText('names of the folders above could not be loaded: Away for a moment.').waitFor();
    const way = page.getByRole('navigation', { name: 'Position in the tree' });
    await way.getByText('GROUP_1').waitFor();
    await page.unroute(names);
    await page.getByRole('button', { name: 'Try again' }).click();
    await way.getByText('Bonds of 1 years').waitFor();
  });

  it('can be searched', async () => {
    const page = await visit('/providers/bankofcanada');
    await page.getByRole('searchbox', { name: 'Search the series of' }).fill('mortgage');
    await page.waitForURL(/q=mortgage/);
    await page.getByRole('heading', { name: 'Series found' }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Conventional mortgage, 5-year' }).waitFor();
  });

  it('asks for a key if the provider needs one, and stores and deletes it', async () => {
    const person = await stage.product.createAccount('keys');
    const page = await stage.visit('/providers/fred', { key: person.key });
    await heading(page, 'This needs a key').waitFor();
    const aside = page.getByRole('complementary');
    await aside.getByRole('button', { name: 'Store a key' }).click();
    await aside.locator('input[type=password]').fill('a-key-of-keys');
    await aside.getByRole('button', { name: 'Store', exact: true }).click();
    await aside.getByText('Your key is stored and sent').waitFor();
    await aside.getByText(/ of 120$/).waitFor();
    await aside.getByRole('button', { name: 'Delete the key' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click();
    await aside.getByText('You have not stored a key').waitFor();
    const kept = await call({ baseUrl: stage.product.baseUrl, key: person.key }, 'GET', '/user-keys');
    expect(await json(kept)).toEqual({});
  });
});

describe('a series', () => {
  it('is previewed as chart and table with exact digits, then fetched with parameters', async () => {
    const page = await visit('/providers/bankofcanada/series/FXUSDCAD');
    await heading(page, 'USD/CAD').waitFor();
    await page.getByText('Preview: the newest 4 observations').waitFor();
    await page.locator('.plot canvas').waitFor();
    const rows = () => page.locator('.observations tbody tr').allInnerTexts();
    await expect
      .poll(async () => (await rows()).map((row) => row.split('\t')))
      .toEqual([
        ['2026-03-16', '1.40'],
        ['2026-03-13', 'no value'],
        ['2026-03-12', '1.4405'],
        ['2026-03-11', '1.4400'],
      ]);
    await page.getByLabel('First date').fill('2026-03-13');
    await page.getByRole('button', { name: 'Show all observations' }).click();
    await page.getByText('2 observations').waitFor();
    expect(new URL(page.url()).search).toBe('?start=2026-03-13&all=true');
    await expect.poll(() => rows()).toHaveLength(2);
    const other = await stage.visit(page.url());
    await other.getByText('2 observations').waitFor();
    await expect.poll(() => other.getByLabel('First date').inputValue()).toBe('2026-03-13');
    await page.getByLabel('First date').fill('soon');
    await page.getByRole('button', { name: 'Apply' }).click();
    await heading(page, 'The provider refused the request').waitFor();
    await page.getByText(/start/).first().waitFor();
    await page.getByRole('button', { name: 'Back to the preview' }).click();
    await page.getByText('Preview: the newest 4 observations').waitFor();
  });

  it('is read out by the arrow keys', async () => {
    const page = await visit('/providers/bankofcanada/series/FXUSDCAD');
    await page.locator('.plot canvas').waitFor();
    await page.locator('.plot').focus();
    await page.keyboard.press('End');
    await page.locator('.readout').getByText('1.40', { exact: true }).waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.locator('.readout').getByText('null', { exact: true }).waitFor();
  });

  it('is downloaded as CSV', async () => {
    const page = await visit('/providers/bankofcanada/series/FXUSDCAD?all=true');
    await page.getByText('4 observations').waitFor();
    await page.getByRole('button', { name: 'Download' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'CSV', exact: true }).click(),
    ]);
    expect(await readFile((await download.path()) ?? '', 'utf8')).toBe(
      'Date,Value\r\n2026-03-11,1.4400\r\n2026-03-12,1.4405\r\n2026-03-13,\r\n2026-03-16,1.40\r\n',
    );
  });

  it('is kept as a dataset with a refresh schedule and the rows of the provider', async () => {
    const page = await visit('/providers/bankofcanada/series/FXUSDCAD');
    await page.getByRole('button', { name: 'Keep as dataset' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill('The dollar in Canada');
    await dialog.getByLabel('Refresh').selectOption('Custom schedule …');
    await dialog.getByLabel('Cron expression').fill('61 * * * *');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Cron expression').fill('30 6 * * 1-5');
    await dialog.getByRole('button', { name: 'Keep' }).click();
    await heading(page, 'The dollar in Canada').waitFor();
    await page.locator('[data-row="0"]').first().waitFor();
    const [, id] = /datasets\/(\d+)/.exec(page.url()) ?? [];
    const kept = await call({ baseUrl: stage.product.baseUrl, key: ada.key }, 'GET', `/datasets/${id}`);
    expect(await json(kept)).toMatchObject({ rowCount: 4, refresh: { schedule: '30 6 * * 1-5' } });
  });

  it('cannot be kept by anonymous visitors, who are asked to sign in', async () => {
    const page = await stage.visit('/providers/bankofcanada/series/FXUSDCAD');
    await page.getByRole('link', { name: 'Sign in to keep it' }).waitFor();
    await expect.poll(() => page.getByRole('button', { name: 'Keep as dataset' }).count()).toBe(0);
  });

  it('of a rate-limited provider shows the remaining quota', async () => {
    const person = await stage.product.createAccount('limits');
    await call({ baseUrl: stage.product.baseUrl, key: person.key }, 'PUT', '/user-keys/fred', {
      api_key: 'limits-key-1',
    });
    const page = await stage.visit('/providers/fred/series/GDP', { key: person.key });
    await heading(page, 'Gross Domestic Product').waitFor();
    await page.getByText(/^11\d of 120$/).waitFor();
    await page.getByText('With your own key.').waitFor();
    await page.getByLabel('Units').waitFor();
    await page.getByRole('button', { name: 'Keep as dataset' }).click();
    await page.getByLabel('Also fetch past revisions').waitFor();
  });
});

describe('a failure of a provider', () => {
  it.each([
    ['EMPTY', 'No observations'],
    ['NOPE', 'No such series'],
  ])('is shown for series %s: %s', async (id, title) => {
    const page = await visit(`/providers/bankofcanada/series/${id}`);
    await heading(page, title).waitFor();
  });

  it('is not blamed on the provider if the service itself is away', async () => {
    const page = await visit('/providers');
    await page.route('**/api/providers/bankofcanada/**', (route) =>
      route.fulfill({ status: 503, json: { error: 'Away for a moment.', code: 'unavailable' } }),
    );
    await page.goto('/providers/bankofcanada/series/FXUSDCAD');
    await page.getByText('Away for a moment.').first().waitFor();
    await heading(page, 'Something went wrong').first().waitFor();
    expect(await heading(page, /The provider/).count()).toBe(0);
  });

  it('is shown with a button that retries', async () => {
    bank.answerAll({ status: 500, reply: 'out of order' });
    const page = await visit('/providers/bankofcanada/series/V39079');
    await heading(page, /The provider (answered with an error|does not respond)/).waitFor();
    expect(await violationsOf(page)).toEqual([]);
    bank.answerAll({ reply: observations('V39079', 'Overnight', newest) });
    // The circuit may be open after several failures, so each click is answered with the series or another failure.
    const again = page.getByRole('button', { name: 'Try again' });
    const isSeries = (url: string): boolean => url.includes('/series/V39079');
    const status = async (): Promise<number> => {
      const answer = page.waitForResponse((response) => isSeries(response.url()));
      await again.click();
      return (await answer).status();
    };
    await expect.poll(status, { interval: 500 }).toBe(200);
    await heading(page, 'Overnight').waitFor();
  });

  it('is shown for a reached limit, with the time until the next request', async () => {
    const page = await visit('/providers/bankofcanada/series/LIMITED');
    await heading(page, 'The limit is reached').waitFor();
    await page.getByText(/The next request can be made in \d+ seconds/).waitFor();
    await expect.poll(() => page.getByRole('button', { name: /Try again in \d+ s/ }).isDisabled()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);
    await page.reload();
    await page.getByText('The provider asked not to be called until').waitFor();
    // Waits for the automatic request: its answer would otherwise put the provider on hold in the next test.
    await heading(page, 'The limit is reached').waitFor();
  });
});

describe('text of a provider with markup', () => {
  it('is escaped in folders, titles and notes', async () => {
    const page = await visit('/providers/bankofcanada');
    await page.getByRole('link', { name: hostile }).click();
    await page.getByRole('link', { name: hostile }).click();
    await heading(page, hostile).waitFor();
    await page.locator('.observations').getByText(hostile).waitFor();
    await page.getByRole('button', { name: 'Copy as code' }).click();
    await expect.poll(() => page.evaluate('globalThis.hacked')).toBeUndefined();
  });
});

describe('every page', () => {
  it.each([
    ['light', 375],
    ['dark', 1280],
  ] as const)('has no axe violations and fits the width, %s at %i', async (theme, width) => {
    const page = await visit('/providers', { theme, width });
    const check = async (): Promise<void> => {
      expect(await violationsOf(page)).toEqual([]);
      expect([page.url(), await page.evaluate('document.documentElement.scrollWidth')]).toEqual([
        page.url(),
        width,
      ]);
    };
    await page.locator('.provider-card').first().waitFor();
    await check();
    await page.goto('/providers?q=exchange');
    await page.locator('.hits').waitFor();
    await check();
    await page.goto('/providers/bankofcanada');
    await page.getByText('22 of 22 folders').waitFor();
    await check();
    await page.goto('/providers/bankofcanada?path=FX_RATES_DAILY');
    await page.locator('.hits').waitFor();
    await check();
    await page.goto('/providers/fred');
    await heading(page, 'This needs a key').waitFor();
    await check();
    await page.goto('/providers/bankofcanada/series/FXUSDCAD?all=true');
    await page.locator('.plot canvas').waitFor();
    await check();
    await page.getByRole('button', { name: 'Keep as dataset' }).click();
    await page.getByRole('dialog').getByLabel('Name').waitFor();
    await check();
  });
});
