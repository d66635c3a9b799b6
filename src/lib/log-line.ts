import { limitValue } from './limit-value.js';

/** Maximum bytes of a log line, with its line end. */
const maxLineBytes = 8 * 1024;

/**
 * Secrets that grant access by themselves: a link, its token, an API key, the token of a read link. They are shortened: enough is left to
 * tell them apart, too little to use them.
 */
const secrets: readonly [RegExp, string][] = [
  [/(\/links\/+[^/"\\\s]{0,8})[^/"\\\s]*/gi, '$1…'],
  [/\b(WzE[\w-]{5})[\w-]*\.[\w-]{20,}/g, '$1…'],
  [/(tabr?_[\w-]{8})[\w-]{16,}/g, '$1…'],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=[^&"\\\s]{0,8})[^&"\\\s]*/gi, '$1…'],
];

export const withoutSecrets = (line: string): string =>
  secrets.reduce((text, [secret, shown]) => text.replace(secret, shown), line);

/** Limits of texts and lists, which are tried one after another until a line fits. */
const limits = [
  { characters: 2_000, items: 50 },
  { characters: 500, items: 20 },
  { characters: 100, items: 5 },
] as const;

/** Fields that every line keeps. */
const kept = ['level', 'time', 'name', 'pid', 'requestId', 'msg'];

const shortLine = (line: string): string => {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const head = Object.fromEntries(
    kept.map((name) => [name, limitValue(fields[name], { characters: 100, items: 5 })]),
  );
  for (const limit of limits) {
    const rest = limitValue(fields, limit) as object;
    const shown = `${JSON.stringify({ ...rest, ...head, cut: true })}\n`;
    if (Buffer.byteLength(shown) <= maxLineBytes) return shown;
  }
  return `${JSON.stringify({ ...head, cut: true })}\n`;
};

/** A log line, limited in length and without usable links and keys. */
export const boundedLine = (line: string): string => {
  const shown = withoutSecrets(line);
  return Buffer.byteLength(shown) <= maxLineBytes ? shown : shortLine(shown);
};
