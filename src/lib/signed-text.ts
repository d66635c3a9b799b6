import { timingSafeEqual } from 'node:crypto';

/** Text with its MAC behind it, both as base64url: no character of it can be changed, left out or added. */
export const withMac = (text: string, macOf: (text: string) => Buffer): string =>
  `${text}.${macOf(text).toString('base64url')}`;

/**
 * Returns the text in front of the MAC, or undefined when the MAC is not the one of this text. The MAC is compared as it is
 * written: decoders ignore padding, unused bits and characters outside of the alphabet.
 */
export const textWithMac = (token: string, macOf: (text: string) => Buffer): string | undefined => {
  const [text = '', given = '', ...rest] = token.split('.');
  const sent = Buffer.from(given);
  const expected = Buffer.from(macOf(text).toString('base64url'));
  const isGenuine = sent.length === expected.length && timingSafeEqual(sent, expected);
  return isGenuine && rest.length === 0 ? text : undefined;
};
