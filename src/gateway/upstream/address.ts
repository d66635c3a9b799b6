import { wellFormed } from '../../lib/well-formed.js';
import { upstreamNotFound } from '../../providers/errors.js';
import type { Provider, UpstreamRequest } from '../../providers/provider.js';

/** Addresses that replace those of connectors: `fred`, or `fred.public` for one of `otherBaseUrls`. */
export type BaseUrls = Readonly<Record<string, string>>;

/**
 * Characters that RFC 3986 allows in a path segment and that upstreams show unescaped in their documentation
 * (`OECD.SDD.STES,DSD_KEI@DF_KEI`). Slash, question mark, hash and per cent are escaped.
 */
const unescaped: Readonly<Record<string, string>> = {
  '%2C': ',',
  '%40': '@',
  '%3A': ':',
  '%2B': '+',
  '%3B': ';',
  '%3D': '=',
};

const encodePart = (part: string): string =>
  encodeURIComponent(wellFormed(part)).replace(/%(?:2C|40|3A|2B|3B|3D)/g, (code) => unescaped[code] ?? code);

const encodeName = (text: string): string => encodeURIComponent(wellFormed(text));

const encodeQueryValue = (text: string): string =>
  encodeURIComponent(wellFormed(text)).replace(/%(?:2C|3A)/g, (code) => unescaped[code] ?? code);

const queryPairs = (query: NonNullable<UpstreamRequest['query']>): string[] =>
  Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = Array.isArray(value) ? (value as readonly string[]) : [String(value)];
    return values.map((one) => `${encodeName(name)}=${encodeQueryValue(one)}`);
  });

const baseUrlOf = (provider: Provider, baseUrls: BaseUrls, base: string | undefined): string => {
  const own = base === undefined ? provider.baseUrl : provider.otherBaseUrls?.[base];
  const chosen = baseUrls[base === undefined ? provider.slug : `${provider.slug}.${base}`] ?? own;
  if (chosen === undefined) throw new Error(`connector ${provider.slug} has no base address '${base ?? ''}'`);
  return chosen.replace(/\/+$/, '');
};

/**
 * The address of a request without the key. No input of a caller can leave the base: every part is encoded, and `.` and `..`, which URL
 * parsers resolve, are refused.
 */
export const addressOf = (provider: Provider, baseUrls: BaseUrls, request: UpstreamRequest): URL => {
  const last = request.path.length - 1;
  const isRelative = (part: string, index: number) =>
    part === '.' || part === '..' || (part === '' && index !== last);
  if (request.path.some(isRelative)) throw upstreamNotFound(provider);
  const path = request.path.map(encodePart).join('/');
  const pairs = queryPairs(request.query ?? {});
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  return new URL(`${baseUrlOf(provider, baseUrls, request.base)}/${path}${query}`);
};
