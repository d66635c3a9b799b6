import { nearest } from '../lib/nearest.js';
import { seriesNotFound } from './errors.js';
import type { Named } from './provider.js';

/** A dimension of a key; without codes it accepts any. */
export interface KeyDimension {
  readonly id: string;
  readonly label?: string;
  readonly codes: ReadonlyMap<string, string>;
}

/** Maximum codes that are compared with an unknown one; lists of cities and products are longer. */
const maxCompared = 5_000;

const titled = ({ id, label }: KeyDimension): string =>
  label === undefined || label === id ? id : `${id} (${label})`;

const unknownCode = (dimension: KeyDimension, code: string) => {
  const codes = [...dimension.codes.keys()].slice(0, maxCompared);
  const near = nearest(code, codes);
  const hint = near === undefined ? '' : ` Did you mean ${near} (${dimension.codes.get(near) ?? near})?`;
  return {
    text: `'${code}' is no code of ${titled(dimension)}.${hint}`,
    details: { dimension: dimension.id, code, ...(near === undefined ? {} : { nearest: near }) },
  };
};

/**
 * 404 for a series with the key `codes`, with the reason: a wrong number of codes, a code that its dimension does not have, or a
 * combination without data. An empty code leaves its dimension open.
 */
export const keyNotFound = (
  provider: Named,
  seriesId: string,
  dimensions: readonly KeyDimension[],
  codes: readonly string[],
) => {
  if (codes.length !== dimensions.length) {
    const ids = dimensions.map(({ id }) => id).join('.');
    const text = `Its key must have ${dimensions.length} codes (${ids}), not ${codes.length}.`;
    return seriesNotFound(provider, seriesId, text, { dimensions: dimensions.map(({ id }) => id) });
  }
  for (const [place, dimension] of dimensions.entries()) {
    const code = codes[place] ?? '';
    if (code === '' || code === '*' || dimension.codes.size === 0 || dimension.codes.has(code)) continue;
    const { text, details } = unknownCode(dimension, code);
    return seriesNotFound(provider, seriesId, text, details);
  }
  return seriesNotFound(provider, seriesId, 'Its codes are known, but their combination has no data.', {
    noData: true,
  });
};
