/** System query options of a request, as options of a download. */
import { invalid } from '../lib/errors.js';
import { type DownloadOptions, parseOptions } from '../query/options/options.js';
import { rowKey } from './identifiers.js';
import { type EntityOptions, type MetadataLevel, maxPageRows } from './rows.js';

export interface SystemOptions {
  readonly $select?: string | undefined;
  readonly $filter?: string | undefined;
  readonly $search?: string | undefined;
  readonly $orderby?: string | undefined;
  readonly $top?: string | undefined;
  readonly $skip?: string | undefined;
  readonly $apply?: string | undefined;
  readonly $skiptoken?: string | undefined;
}

/** `$select` without the key, which is not a column. */
const selectOf = (select: string | undefined) => {
  const items = (select ?? '*').split(',').map((item) => item.trim());
  if (items.includes('*')) return { columns: undefined, selects: { key: true, columns: true } };
  const columns = items.filter((item) => item !== rowKey);
  return {
    columns: columns.length === 0 ? undefined : columns,
    selects: { key: columns.length < items.length, columns: columns.length > 0 },
  };
};

/** Rows are already sorted by their keys, and so are rows that are equal in the requested order. */
const orderOf = (orderBy: string | undefined): string | undefined => {
  const order = orderBy?.replace(new RegExp(`(?:^|(?<=\\S)\\s*,)\\s*${rowKey}(?:\\s+asc)?\\s*$`), '');
  if (order !== undefined && new RegExp(`(?:^|,)\\s*${rowKey}(?![\\p{L}\\p{N}_])`, 'u').test(order))
    throw invalid('bad_option', `$orderby: ${rowKey} can only be the last item, and ascending.`, {
      option: 'orderby',
    });
  // An order by the key alone needs no option; an empty order is refused like other empty options.
  return order === '' && orderBy?.trim() !== '' ? undefined : order;
};

/** @param maxPageSize From the header `Prefer`; undefined: the default. */
export const downloadOptions = (
  system: SystemOptions,
  maxPageSize: number | undefined,
): { readonly options: DownloadOptions; readonly selects: EntityOptions['selects'] } => {
  const { $select, $orderby, ...others } = system;
  const { columns, selects } = selectOf($select);
  if (others.$apply !== undefined && $select?.split(',').some((item) => item.trim() === rowKey))
    throw invalid('bad_option', `$select: the rows that $apply makes have no ${rowKey}.`, {
      option: 'select',
    });
  const options = parseOptions({
    ...others,
    $select: columns,
    // Rows that $apply makes have no key, but may have a column of that name.
    $orderby: others.$apply === undefined ? orderOf($orderby) : $orderby,
    $format: 'json',
    entities: 'selected',
    $pagesize: Math.min(maxPageSize ?? maxPageRows, maxPageRows),
  });
  return { options, selects };
};

const jsonFormat = /^(?:json|application\/json)\s*(?:;.*)?$/i;
const xmlFormat = /^(?:xml|application\/xml)\s*(?:;.*)?$/i;

/**
 * Refuses a `$format` that the resource does not have. `Accept` only lists preferences, of which clients send many; `$format` names one.
 * @throws AppError 400
 */
export const requireFormat = (format: string | undefined, kind: Resource['kind']): void => {
  if (format === undefined || kind === 'count') return;
  const text = format.trim();
  if (jsonFormat.test(text) || (kind === 'metadata' && xmlFormat.test(text))) return;
  const offered = kind === 'metadata' ? 'json or xml' : 'json';
  throw invalid('bad_option', `$format: must be ${offered}, found ${JSON.stringify(text.slice(0, 64))}.`, {
    option: 'format',
  });
};

/** Answers have version 4.0. @throws AppError 400 for a client that accepts only earlier versions. */
export const requireVersion = (maxVersion: string | undefined): void => {
  const major = /^\s*(\d{1,4})(?:\.\d+)?\s*$/.exec(maxVersion ?? '')?.[1];
  if (major !== undefined && Number(major) < 4)
    throw invalid('unsupported_version', 'OData-MaxVersion: this service answers by OData 4.0.');
};

/** Media types of `Accept`, by preference. */
const byWish = (accept: string): string =>
  accept
    .split(',')
    .map((type) => ({ type, wish: Number(/;\s*q\s*=\s*([\d.]{1,5})/i.exec(type)?.[1] ?? 1) }))
    .toSorted((one, other) => other.wish - one.wish)
    .map(({ type }) => type)
    .join(',');

/** Level of metadata in `$format` or `Accept`. Other types are ignored, since the answer is always JSON. */
export const metadataLevel = (format: string | undefined, accept = ''): MetadataLevel => {
  const named = /\bodata\.metadata\s*=\s*"?(minimal|full|none)/i.exec(format ?? byWish(accept))?.[1];
  const level = named?.toLowerCase();
  return level === 'full' || level === 'none' ? level : 'minimal';
};

/** True for a client that requests JSON numbers as texts, since it would round them. */
export const wantsNumbersAsText = (format: string | undefined, accept: string | undefined): boolean =>
  /IEEE754Compatible\s*=\s*"?true/i.test(format ?? accept ?? '');

/** `odata.maxpagesize` of `Prefer`; undefined if absent or invalid. */
export const maxPageSizeOf = (prefer: string | undefined): number | undefined => {
  const text = /(?:^|[,;\s])(?:odata\.)?maxpagesize\s*=\s*"?(\d{1,9})\b/i.exec(prefer ?? '')?.[1];
  return text === undefined || Number(text) === 0 ? undefined : Number(text);
};

/** A resource of a service, by its path below the root. */
export type Resource =
  | { readonly kind: 'document' | 'metadata' }
  | { readonly kind: 'rows' | 'count'; readonly set: string }
  | { readonly kind: 'row'; readonly set: string; readonly key: string };

/** Largest position of a row, as a 64-bit number. */
const maxPosition = 2n ** 64n - 1n;

const rowAddress = new RegExp(`^([^()]*)\\((?:${rowKey}\\s*=\\s*)?'?(0|[1-9]\\d{0,19})'?\\)$`);

/** @param segments Decoded. @returns undefined for an unknown resource */
export const resourceOf = (segments: readonly string[]): Resource | undefined => {
  const [first, second, ...others] = segments;
  if (first === undefined || first === '') return { kind: 'document' };
  if (others.length > 0) return undefined;
  if (second !== undefined) return second === '$count' ? { kind: 'count', set: first } : undefined;
  if (first === '$metadata') return { kind: 'metadata' };
  const [, set = '', key] = rowAddress.exec(first) ?? [];
  if (key === undefined) return { kind: 'rows', set: first };
  return BigInt(key) > maxPosition ? undefined : { kind: 'row', set, key };
};
