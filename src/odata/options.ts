/** System query options of a request, as options of a download. */
import { invalid } from '../lib/errors.js';
import { type DownloadOptions, parseOptions } from '../query/options/options.js';
import { rowKey } from './identifiers.js';
import { type EntityOptions, type MetadataLevel, mostPageRows } from './rows.js';

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

/** `$select` without the key, which is no column. */
const selectOf = (select: string | undefined) => {
  const items = (select ?? '*').split(',').map((item) => item.trim());
  if (items.includes('*')) return { columns: undefined, selects: { key: true, columns: true } };
  const columns = items.filter((item) => item !== rowKey);
  return {
    columns: columns.length === 0 ? undefined : columns,
    selects: { key: columns.length < items.length, columns: columns.length > 0 },
  };
};

/** Rows are in the order of their keys already, and so are those that are equal in the order that is asked for. */
const orderOf = (orderBy: string | undefined): string | undefined => {
  const order = orderBy?.replace(new RegExp(`(?:^|,)\\s*${rowKey}(?:\\s+asc)?\\s*$`), '');
  if (order !== undefined && new RegExp(`(?:^|,)\\s*${rowKey}\\b`).test(order))
    throw invalid('bad_option', `$orderby: ${rowKey} can only be the last item, and ascending.`, {
      option: 'orderby',
    });
  return order === '' ? undefined : order;
};

/** @param maxPageSize Of `Prefer`; undefined: the service's own. */
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
    $orderby: orderOf($orderby),
    $format: 'json',
    entities: 'selected',
    $pagesize: Math.min(maxPageSize ?? mostPageRows, mostPageRows),
  });
  return { options, selects };
};

/** Level that `$format` or `Accept` names, whatever other types there are: the answer is always JSON. */
export const metadataLevel = (format: string | undefined, accept: string | undefined): MetadataLevel => {
  const named = /odata\.metadata=(minimal|full|none)/i.exec(format ?? accept ?? '')?.[1]?.toLowerCase();
  return named === 'full' || named === 'none' ? named : 'minimal';
};

/** `odata.maxpagesize` of `Prefer`; undefined where it is not given or cannot be read. */
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
const mostPosition = 2n ** 64n - 1n;

const rowAddress = new RegExp(`^([^()]*)\\((?:${rowKey}\\s*=\\s*)?'?(\\d{1,20})'?\\)$`);

/** @param segments Decoded. @returns undefined for what no service has */
export const resourceOf = (segments: readonly string[]): Resource | undefined => {
  const [first, second, ...others] = segments;
  if (first === undefined || first === '') return { kind: 'document' };
  if (others.length > 0) return undefined;
  if (second !== undefined) return second === '$count' ? { kind: 'count', set: first } : undefined;
  if (first === '$metadata') return { kind: 'metadata' };
  const [, set = '', key] = rowAddress.exec(first) ?? [];
  if (key === undefined) return { kind: 'rows', set: first };
  return BigInt(key) > mostPosition ? undefined : { kind: 'row', set, key };
};
