import { randomUUID } from 'node:crypto';
import { invalid } from '../../lib/errors.js';

/** A value bound to `{name:Type}`. Numbers beyond 2^53 and decimals are sent as text. */
type BoundValue = string | number | boolean | readonly BoundItem[];
type BoundItem = string | number | readonly BoundItem[];
export type BoundValues = Readonly<Record<string, BoundValue>>;

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '\0': '\\0',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  "'": "\\'",
};

/** ClickHouse parses a text as a TabSeparated field, but an array as a literal, which is unescaped only once. */
const escapeField = (text: string): string =>
  text.replace(/[\\\0\b\t\n\f\r]/g, (character) => escapes[character]!);

const quoteItem = (text: string): string =>
  `'${text.replace(/[\\\0\b\t\n\f\r']/g, (character) => escapes[character]!)}'`;

const formatItem = (item: BoundItem): string => {
  if (typeof item === 'string') return quoteItem(item);
  return typeof item === 'number' ? String(item) : `[${item.map(formatItem).join(',')}]`;
};

export const formatValue = (value: BoundValue): string => {
  if (typeof value === 'string') return escapeField(value);
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return formatItem(value);
};

/**
 * How a query and its values are sent. ClickHouse limits each form field, in the address or in the body, to 128 KiB, and an address to 1
 * MiB, before it reads any setting; only a plain body has no limit. So
 *   a longer array   becomes several, joined in the SQL
 *   short SQL        is a field of a form, with any number of values
 *   long SQL         is the plain body, and the values are query parameters
 */
interface QueryForm {
  readonly contentType: string;
  readonly body: string;
  /** Values that are sent in the address. */
  readonly search: readonly (readonly [name: string, text: string])[];
}

/** Maximum bytes of the SQL as a field. */
const sqlBytes = 120_000;
/** Maximum bytes of an array as a field: percent-encoding in an address makes them up to three times as long. */
const fieldBytes = 40_000;
/** Maximum bytes of all values in an address, percent-encoded. */
const addressBytes = 900_000;

/** Parts of an array, each short enough for a field. A single item that is too long stays alone. */
const splitArray = (items: readonly BoundItem[]): readonly (readonly BoundItem[])[] => {
  const pieces: BoundItem[][] = [[]];
  let bytes = 0;
  for (const item of items) {
    const length = Buffer.byteLength(formatItem(item)) + 1;
    if (bytes + length > fieldBytes && bytes > 0) {
      pieces.push([]);
      bytes = 0;
    }
    pieces.at(-1)!.push(item);
    bytes += length;
  }
  return pieces;
};

/** A quoted identifier or text, which is not changed, or the placeholder of an array. */
const placeholders = /`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\])*'|\{(\w+):(Array\([^{}]*\))\}/gs;

interface Fields {
  readonly sql: string;
  readonly fields: readonly (readonly [name: string, text: string])[];
}

const createFields = (sql: string, values: BoundValues): Fields => {
  const fields: (readonly [string, string])[] = [];
  const split = new Map<string, number>();
  for (const [name, value] of Object.entries(values)) {
    const text = formatValue(value);
    if (!Array.isArray(value) || Buffer.byteLength(text) <= fieldBytes) {
      fields.push([`param_${name}`, text]);
      continue;
    }
    const pieces = splitArray(value as readonly BoundItem[]);
    split.set(name, pieces.length);
    for (const [index, piece] of pieces.entries())
      fields.push([`param_${name}_${index}`, formatValue(piece)]);
  }
  if (split.size === 0) return { sql, fields };
  const joined = sql.replace(placeholders, (whole, name: string | undefined, type: string | undefined) => {
    const count = name === undefined ? undefined : split.get(name);
    if (count === undefined) return whole;
    return `arrayConcat(${Array.from({ length: count }, (_, index) => `{${name}_${index}:${type}}`).join(', ')})`;
  });
  return { sql: joined, fields };
};

const asForm = ({ sql, fields }: Fields): QueryForm => {
  const boundary = `q${randomUUID()}`;
  const parts = [...fields, ['query', sql] as const].map(
    ([name, text]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`,
  );
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: `${parts.join('')}--${boundary}--\r\n`,
    search: [],
  };
};

/** @throws AppError `invalid` if both the SQL and the values are longer than a request may have. */
export const buildQueryForm = (sql: string, values: BoundValues): QueryForm => {
  const query = createFields(sql, values);
  if (Buffer.byteLength(query.sql) <= sqlBytes) return asForm(query);
  const bytes = query.fields.reduce(
    (sum, [name, text]) => sum + name.length + encodeURIComponent(text).length,
    0,
  );
  if (bytes > addressBytes) {
    throw invalid(
      'query_complexity_limit',
      'The filter and the number of columns are too large together; use fewer values or fewer columns.',
    );
  }
  return { contentType: 'text/plain; charset=utf-8', body: query.sql, search: query.fields };
};
