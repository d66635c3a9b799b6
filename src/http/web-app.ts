import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, gzip } from 'node:zlib';
import { AppError } from '../lib/errors.js';
import type { FileCoding } from './content/negotiation.js';
import { publicPathOf } from './public-path.js';

/** A file of the app in each coding. */
export interface WebFile {
  readonly contentType: string;
  /** Hash of the uncompressed bytes. */
  readonly fingerprint: string;
  readonly bytes: Readonly<Record<FileCoding, Buffer>>;
}

/** The built web app in memory: some hundred kilobytes. */
export interface WebApp {
  /** The only page; its scripts render the content of the address. */
  readonly page: WebFile;
  /** Assets by their names below `assets/`, which change with the contents. */
  readonly assets: ReadonlyMap<string, WebFile>;
  /** True for the path of a page of the app. */
  hasPage(path: string): boolean;
}

const types: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
};

const [brotli, gzipped] = [promisify(brotliCompress), promisify(gzip)];

const makeFile = async (
  name: string,
  bytes: Buffer,
  ready?: Partial<Record<FileCoding, Buffer>>,
): Promise<WebFile> => {
  const contentType = types[name.slice(name.lastIndexOf('.') + 1)];
  if (contentType === undefined) throw new Error(`the web app has a file of an unknown type: ${name}`);
  return {
    contentType,
    fingerprint: createHash('sha256').update(bytes).digest('base64url').slice(0, 22),
    bytes: {
      identity: bytes,
      br: ready?.br ?? (await brotli(bytes)),
      gzip: ready?.gzip ?? (await gzipped(bytes)),
    },
  };
};

/** `/datasets/:id` as a regular expression; `*` matches any remainder. */
const patternOf = (page: string): RegExp =>
  new RegExp(
    `^${page
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\/\*$/, '(/.*)?')}/?$`,
  );

const readAssets = async (folder: string): Promise<Map<string, WebFile>> => {
  const all = await readdir(folder);
  const names = all.filter((name) => !/\.(?:br|gz|map)$/.test(name));
  const files = names.map(async (name): Promise<[string, WebFile]> => {
    const [identity, br, gz] = await Promise.all(
      ['', '.br', '.gz'].map((end) => readFile(join(folder, name + end))),
    );
    return [name, await makeFile(name, identity!, { br: br!, gzip: gz! })];
  });
  return new Map(await Promise.all(files));
};

interface WebAppOptions {
  readonly version: string;
  /** Address at which browsers reach the service. Its path is the prefix of the app's addresses. */
  readonly publicUrl: string | undefined;
}

/**
 * Reads the built web app.
 * @throws AppError if it was not built.
 */
export const loadWebApp = async (folder: string, { version, publicUrl }: WebAppOptions): Promise<WebApp> => {
  try {
    const [html, pages, assets] = await Promise.all([
      readFile(join(folder, 'index.html'), 'utf8'),
      readFile(join(folder, 'addresses.json'), 'utf8'),
      readAssets(join(folder, 'assets')),
    ]);
    const base = publicPathOf(publicUrl);
    const text = html
      .replaceAll('"./assets/', `"${base}/assets/`)
      .replaceAll('%BASE%', base)
      .replace('%VERSION%', version);
    const patterns = Object.values(JSON.parse(pages) as Record<string, string>).map(patternOf);
    return {
      page: await makeFile('index.html', Buffer.from(text)),
      assets,
      hasPage: (path) => patterns.some((pattern) => pattern.test(path)),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new AppError('unexpected', 'web_app_missing', 'the web app is not built: npm run build makes it', {
      cause: error,
    });
  }
};
