/** The web app in Chromium, on the real product: a product for each test file, a browser and its windows for each process. */
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
  /** Address of the app, without a slash at its end. */
  readonly root: string;
  /** A window with cookies and storage of its own, at a path of the app or at an address below `root`. */
  visit(path: string, options?: VisitOptions): Promise<Page>;
  /**
   * Empties every window that was opened since the last call, for those that come next.
   * @throws when a script of one of them failed, or something was refused by the content security policy.
   */
  leave(): Promise<void>;
  close(): Promise<void>;
}

/** Vitest's `test` for tests that open a page. */
export const browserTest = await testWith('chromium');

// Nothing of the browser itself asks hosts of the internet.
const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--in-process-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Chromium writes a line for each answer that is no success; tests provoke those. */
const isAnswer = (text: string): boolean => text.startsWith('Failed to load resource');

/** Port of the products of this process, one after the other: a window can be used again at the same address only. */
let port = 0;
/** Windows for the next test. A new one starts a process that loads and compiles the app again: seconds on a busy machine. */
const idle: Page[] = [];

let launched: Promise<Browser> | undefined;
/** The browser of this process, for all of its files. Playwright ends it with the process. */
const sharedBrowser = async (): Promise<Browser> => {
  launched ??= chromium.launch({ executablePath: await programOf('chromium'), args: quiet });
  const browser = await launched;
  if (browser.isConnected()) return browser;
  launched = undefined;
  idle.length = 0;
  return sharedBrowser();
};

/** Answers of another product may have the same address, and the same tag. */
const clearCache = async (page: Page): Promise<void> => {
  const session = await page.context().newCDPSession(page);
  await session.send('Network.clearBrowserCache');
  await session.detach();
};

const closeIdle = async (): Promise<void> => {
  await Promise.all(idle.splice(0).map((page) => page.context().close()));
};

/** The port that the last product of this process had, or another one if somebody else has it now. */
const choosePort = async (): Promise<string> => {
  while (port === 0 || !(await isFree(port))) {
    await closeIdle();
    // Below those that systems take for outgoing connections, and not among those of the embedded components.
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

/** @param proxy Stands in front of the product, whose `PUBLIC_URL` is its address. */
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
  // Idle windows show the last product, which has a different address from the proxy.
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
      if (message.type() === 'error' && !isAnswer(message.text()))
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

  /** Nothing of what a test did to a window may reach the next one. */
  const empty = async (page: Page): Promise<void> => {
    const context = page.context();
    if (page.isClosed()) return context.close();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.setOffline(false);
    await context.clearPermissions();
    // A page without the app, and of its origin: for any other one the browser starts a process, and one more on the way back.
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
      await Promise.all([...open].map(empty));
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

/** Findings of axe on a page, in words. */
export const violationsOf = async (page: Page): Promise<string[]> => {
  // It stays with the document, from view to view of the app.
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: run } = globalThis as unknown as { axe: Pick<typeof axe, 'run'> };
    // Without the passed checks, which are most of an answer.
    return (await run.run({ resultTypes: ['violations'] })).violations;
  });
  return found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' | ')}`);
};
