/** Finds every logger call in the source, with its levels, fields and event name. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LogEvent {
  /** Undefined if the name is not a literal. */
  readonly name: string | undefined;
  readonly levels: readonly string[];
  readonly fields: readonly string[];
  readonly file: string;
}

const call =
  /\b(?:log|requestLog|ctx\.state\.log|request\.log)(?:\.(debug|info|warn|error|fatal)|\[([^\]]+)\])\(/g;

/** Splits a text at commas outside of brackets and strings. */
const topLevelParts = (text: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  let quote = '';
  let part = '';
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at] ?? '';
    if (quote !== '') {
      if (sign === '\\') {
        at += 1;
        part += sign + (text[at] ?? '');
        continue;
      }
      if (sign === quote) quote = '';
    } else if (`'"\``.includes(sign)) quote = sign;
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    if (depth < 0) break;
    if (sign === ',' && depth === 0 && quote === '') {
      parts.push(part.trim());
      part = '';
    } else part += sign;
  }
  return [...parts, part.trim()].filter((one) => one !== '');
};

const fieldsOf = (argument: string | undefined): string[] =>
  argument?.startsWith('{') === true
    ? topLevelParts(argument.slice(1, -1))
        .filter((part) => !part.startsWith('...'))
        .map((part) => /^\w+/.exec(part)?.[0] ?? part)
    : [];

// Levels that are computed elsewhere, such as by `levelOf`, are not found.
const levelWords = /'(debug|info|warn|error|fatal)'/g;

const withoutComments = (source: string): string =>
  source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/[^\n]*/g, '$1');

export const logEventsOf = (file: string, text: string): LogEvent[] => {
  const source = withoutComments(text);
  return [...source.matchAll(call)].map((match) => {
    const [whole, level, choice = ''] = match;
    const args = topLevelParts(source.slice(match.index + whole.length));
    const last = args.at(-1) ?? '';
    return {
      file,
      name: /^'[^']*'$/.test(last) ? last.slice(1, -1) : undefined,
      levels: level === undefined ? [...choice.matchAll(levelWords)].map(([, word = '']) => word) : [level],
      fields: fieldsOf(args.length > 1 ? args[0] : undefined),
    };
  });
};

export const allLogEvents = (root: string): LogEvent[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => logEventsOf(file, readFileSync(join(root, file), 'utf8')));
