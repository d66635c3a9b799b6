import { storableText } from '../../lib/well-formed.js';

/** Removes secrets from a text. */
export type Redact = (text: string) => string;

/** A shorter key could be an ordinary word or number of the data, so it is removed from messages only. */
export const shortestKeyInData = 8;

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

const spellings = (key: string): string[] => [
  ...new Set([
    key,
    encodeURIComponent(key),
    JSON.stringify(key).slice(1, -1),
    encodeURIComponent(key).replaceAll('%20', '+'),
  ]),
];

/** Replaces the key in every encoding in which an upstream could repeat it, case-insensitively. */
export const keyRedaction = (key: string | undefined): Redact => {
  if (key === undefined || key === '') return (text) => text;
  const pattern = new RegExp(spellings(key).map(escapeRegExp).join('|'), 'gi');
  return (text) => text.replace(pattern, '[key]');
};

const address = /\bhttps?:\/\/[^\s"'<>)\]]+/gi;
const markup = /<[^>]{0,500}>/g;

/** Makes a message safe for callers: no key, no address, no markup, one line, limited length. */
export const messageRedaction = (key: string | undefined): Redact => {
  const withoutKey = keyRedaction(key);
  return (text) =>
    storableText(
      withoutKey(text).replace(address, '[address]').replace(markup, ' ').replace(/\s+/g, ' ').trim(),
      500,
    );
};
