import { cutValue } from './cut.js';

/** Most bytes of a log line, its line end included. */
const mostLineBytes = 8 * 1024;

/** Links that are their own permission: enough stays to tell one from another, too little to use it. */
const signedLinks: readonly [RegExp, string][] = [
  [/(\/links\/[^/"\\\s]{0,8})[^/"\\\s]*/g, '$1…'],
  [/(X-Amz-(?:Signature|Credential|Security-Token)=[^&"\\\s]{0,8})[^&"\\\s]*/gi, '$1…'],
];

const withoutLinks = (line: string): string =>
  signedLinks.reduce((text, [link, shown]) => text.replace(link, shown), line);

/** Longest texts and lists that are tried, one after the other, until a line fits. */
const cuts = [
  { letters: 2_000, items: 50 },
  { letters: 500, items: 20 },
  { letters: 100, items: 5 },
] as const;

/** What stays of every line. */
const kept = ['level', 'time', 'name', 'pid', 'requestId', 'msg'];

const cutLine = (line: string): string => {
  const fields = JSON.parse(line) as Record<string, unknown>;
  const head = Object.fromEntries(
    kept.map((name) => [name, cutValue(fields[name], { letters: 100, items: 5 })]),
  );
  for (const cut of cuts) {
    const rest = cutValue(fields, cut) as object;
    const shown = `${JSON.stringify({ ...rest, ...head, cut: true })}\n`;
    if (Buffer.byteLength(shown) <= mostLineBytes) return shown;
  }
  return `${JSON.stringify({ ...head, cut: true })}\n`;
};

/** A line of the log as it is written: within bounds, whatever it was about, and without links that could be used. */
export const boundedLine = (line: string): string => {
  const shown = withoutLinks(line);
  return Buffer.byteLength(shown) <= mostLineBytes ? shown : cutLine(shown);
};
