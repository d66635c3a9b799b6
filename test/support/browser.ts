/** The web app in Chromium on the real product. Each test file has a product; a process shares one browser and its windows. */
import { randomInt } from 'node:crypto';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Config } from '../../src/config.js';
import { isFree } from '../../src/embedded/ports.js';
import { testWith } from './optional-tools.js';
import { patienceMs } from './patience.js';
import type { PrefixProxy } from './prefix-proxy.js';
import { startProduct, type TestProduct } from './product.js';
import { programOf } from './tools.js';

export interface VisitOptions {
  /** Signs in with this key first. */
  readonly key?: string;
  readonly width?: number;
  readonly height?: number;
  readonly theme?: 'light' | 'dark';
}

export interface Stage {
  readonly product: TestProduct;
  /** Base URL of the app, without a trailing slash. */
  readonly root: string;
  /** Opens a window with its own cookies and storage, at a path of the app or a URL below `root`. */
  visit(path: string, options?: VisitOptions): Promise<Page>;
  /**
   * Resets every window opened since the last call and returns it to the pool.
   * @throws if a script failed in one of them or the content security policy blocked something.
   */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Vitest's `test` for tests that open a page. */
export const browserTest = await testWith('chromium');

// Keeps the browser itself from calling hosts on the internet.
const launchArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium logs every answer that is not a success; tests provoke those. */
const isFailedRequest = (text: string): boolean => text.startsWith('Failed to load resource');

/** Port shared by the successive products of this process: a window can be reused at the same origin only. */
let port = 0;
/** Pool of windows. A new window starts a process that loads and compiles the app again: seconds on a busy machine. */
const idle: Page[] = [];

let launched: Promise<Browser> | undefined;
/** Browser shared by the test files of this process. Playwright closes it with the process. */
const sharedBrowser = async (): Promise<Browser> => {
  launched ??= chromium.launch({ executablePath: await programOf('chromium'), args: launchArgs });
  const browser = await launched;
  if (browser.isConnected()) return browser;
  launched = undefined;
  idle.length = 0;
  return sharedBrowser();
};

/** Answers of the next product may have the same URL and the same ETag. */
const clearCache = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.detach();
};

const closeIdle = async (): Promise<void> => {
  await Promise.all(idle.splice(0).map((page) => page.context().close()));
};

/** Port of the previous product of this process, or a new one if it is in use by now. */
const choosePort = async (): Promise<string> => {
  while (port === 0 || !(await isFree(port))) {
    await closeIdle();
    // Outside the ephemeral ports and the ports of the embedded components.
    port = randomInt(10_000, 20_000);
  }
  return String(port);
};

const signIn = async (page: Page, root: string, key: string): Promise<void> => {
  const authorization = `Basic ${Buffer.from(`${key}:`).toString('base64')}`;
  const answer = await page.request.post(`${root}/api/session`, {
    headers: { Authorization: authorization },
  });
  expect(answer.status()).toBe(200);
};

/** @param proxy runs in front of the product, whose `PUBLIC_URL` is its address. */
export const startStage = async (
  settings: Partial<Record<keyof Config, string>> = {},
  proxy?: PrefixProxy,
): Promise<Stage> => {
  const product = await startProduct({
    port: await choosePort(),
    ...(proxy && { publicUrl: proxy.url }),
    ...settings,
  });
  const { origin } = new URL(product.baseUrl);
  proxy?.serve(origin);
  const root = proxy?.url ?? origin;
  const browser = await sharedBrowser();
  // Idle windows show the previous product, whose origin is not that of the proxy.
  if (proxy !== undefined) await closeIdle();
  const open = new Set<Page>();
  const faults: string[] = [];

  const openWindow = async (): Promise<Page> => {
    const context = await browser.newContext({ baseURL: root, reducedMotion: 'reduce' });
    return context.newPage();
  };

  const listen = (page: Page): void => {
    page.on('pageerror', (error) => faults.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      if (message.type() === 'error' && !isFailedRequest(message.text()))
        faults.push(`${page.url()}: ${message.text()}`);
    });
  };

  const clearStorage = async (page: Page): Promise<void> => {
    await page.evaluate('sessionStorage.clear()');
    const session = await page.context().newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', {
      origin: new URL(root).origin,
      storageTypes: 'all',
    });
    await session.detach();
  };

  /** Undoes everything that a test did to a window. */
  const reset = async (page: Page): Promise<void> => {
    const context = page.context();
    if (page.isClosed()) return context.close();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await context.clearPermissions();
    // A page of the same origin without the app: for another origin the browser starts a process, and one more on return.
    await page.goto(`${root}/healthz`);
    await context.clearCookies();
    await clearStorage(page);
    page.removeAllListeners();
    idle.push(page);
  };

  return {
    product,
    root,
    async visit(path, { key, width = 1280, height = 800, theme = 'light' } = {}) {
      const page = idle.pop() ?? (await openWindow());
      open.add(page);
      listen(page);
      page.setDefaultTimeout(patienceMs);
      await page.setViewportSize({ width, height });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      if (key !== undefined) await signIn(page, root, key);
      await page.goto(path.startsWith(root) ? path : root + path);
      return page;
    },
    async leave() {
      await Promise.all([...open].map(reset));
      open.clear();
      const found = faults.splice(0);
      expect(found).toEqual([]);
    },
    async close() {
      await Promise.all([...open].map((page) => page.context().close()));
      await (proxy === undefined ? Promise.all(idle.map(clearCache)) : closeIdle());
      await product.close();
    },
  };
};

/** Accessibility violations that axe finds on a page. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // The script stays loaded when the app switches views.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: Pick<typeof axe, 'run'> };
    // Passed checks would be most of the answer.
    return (await run.run({ resultTypes: ['violations'] })).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
};
