import type { IncomingMessage } from 'node:http';
import accepts, { type Accepts } from 'accepts';
import { type Format, formats } from '../../query/formats/formats.js';
import type { Coding } from './coding.js';

const acceptsOf = (headers: IncomingMessage['headers']): Accepts => accepts({ headers } as IncomingMessage);

const mediaTypeOf = (format: Format): string => formats[format].mediaType.replace(/;.*/, '');

/**
 * The best of the offered formats for `Accept`, by weight. Undefined if it names none, or accepts CSV as well through a wildcard: programs
 * that send a wildcard with every request do not choose by it.
 */
export const formatOfAccept = <F extends Format>(
  accept: string | undefined,
  offered: readonly F[],
): F | undefined => {
  const accepted = acceptsOf({ accept }).types();
  const types = (Array.isArray(accepted) ? accepted : []).map((type) => type.toLowerCase());
  if (types.includes('*/*') || types.includes('text/*')) return undefined;
  const formats = types.map((type) => offered.find((format) => mediaTypeOf(format) === type));
  return formats.find((format) => format !== undefined);
};

/** True for the `Accept` of browsers that open a page. Programs name the types of data, or a wildcard. */
export const prefersHtml = (accept: string | undefined): boolean =>
  /\btext\/html\b/i.test(accept ?? '') &&
  acceptsOf({ accept }).types(['text/html', 'application/json']) === 'text/html';

/** Codings of stored files of the web app, smallest first. */
export type FileCoding = 'br' | 'gzip' | 'identity';

/** The smallest coding that `Accept-Encoding` allows. */
export const chooseFileCoding = (accept: string | undefined): FileCoding => {
  const accepted = acceptsOf({ 'accept-encoding': accept }).encodings();
  const codings: readonly FileCoding[] = ['br', 'gzip'];
  return codings.find((coding) => accepted.includes(coding)) ?? 'identity';
};

/**
 * Best first for codings of equal weight. zstd is faster but is sent in several frames, and some clients take the first frame for the whole
 * (urllib3 2.0, reqwest before 0.12.13) or fail at the second (httpx). So it is used only for clients that prefer it.
 */
const codings: readonly Coding[] = ['gzip', 'zstd', 'identity'];
const names: readonly string[] = codings;

const rankOf = (item: string): number => {
  const name = item
    .trim()
    .toLowerCase()
    .replace(/[\s;].*/, '');
  const rank = names.indexOf(name);
  return rank < 0 ? codings.length : rank;
};

/** The coding of the answer, by `Accept-Encoding`. Among equal weights the first in the header wins, so ours are put first. */
export const chooseCoding = (accept: string | undefined): Coding => {
  const items = (accept ?? '').split(',').sort((a, b) => rankOf(a) - rankOf(b));
  const chosen = acceptsOf({ 'accept-encoding': items.join(',') }).encodings([...codings]);
  return codings.find((coding) => coding === chosen) ?? 'identity';
};
