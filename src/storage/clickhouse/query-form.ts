import { randomBytes } from 'node:crypto';

/** A value bound to `{name:Type}`. Numbers beyond 2^53 and decimals travel as text. */
export type BoundValue = string | number | boolean | readonly BoundItem[];
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

/** ClickHouse reads the text of a parameter as one TabSeparated field. */
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
  // The array literal is itself one field: its backslashes are escaped once more.
  return escapeField(formatItem(value));
};

export interface QueryForm {
  readonly contentType: string;
  readonly body: Buffer;
}

/**
 * A query and its parameters as `multipart/form-data`. In the URL, where they usually travel, a filter with a
 * long list of values would exceed the server's limit on addresses.
 */
export const buildQueryForm = (sql: string, values: BoundValues): QueryForm => {
  const boundary = `q${randomBytes(24).toString('hex')}`;
  const part = (name: string, text: string): string =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
  const parts = Object.entries(values).map(([name, value]) => part(`param_${name}`, formatValue(value)));
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: Buffer.from(`${parts.join('')}${part('query', sql)}--${boundary}--\r\n`),
  };
};
