import { timingSafeEqual } from 'node:crypto';

/** Text followed by its MAC, both as base64url: no character of it can be changed, removed or added. */
export const withMac = (text: string, macOf: (text: string) => Buffer): string =>
  `${text}.${macOf(text).toString('base64url')}`;

/**
 * Returns the text before the MAC; undefined if the MAC does not match. The MAC is compared in its encoded form, since decoders ignore
 * padding, unused bits and characters outside of the alphabet.
 */
export const textWithMac = (token: string, macOf: (text: string) => Buffer): string | undefined => {
  const [text = '', given = '', ...rest] = token.split('.');
  const sent = Buffer.from(given);
  const expected = Buffer.from(macOf(text).toString('base64url'));
  const isGenuine = sent.length === expected.length && timingSafeEqual(sent, expected);
  return isGenuine && rest.length === 0 ? text : undefined;
};
