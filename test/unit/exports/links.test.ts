import { describe, expect, it } from 'vitest';
import { createLinks, type FileRef } from '../../../src/exports/links.js';

const file: FileRef = {
  datasetId: 7,
  versionId: 12,
  variant: 'transposed',
  format: 'parquet',
  presentNames: true,
  fingerprint: 'tag',
  fileName: 'Zürich 1.csv',
  keyId: 7,
  sessionId: 3,
};

describe('createLinks', () => {
  let now = 1_000_000;
  const links = createLinks({ secret: 'x'.repeat(32), ttlSeconds: 10, now: () => now });
  const parts = (path: string): [string, string] => {
    const [, , token = '', name = ''] = path.split('/');
    return [token, decodeURIComponent(name)];
  };

  it('verifies what it signed', () => {
    expect(links.verify(...parts(links.sign(file)))).toEqual(file);
  });

  it('refuses another name, another secret, and any changed character', () => {
    const [token, name] = parts(links.sign(file));
    const refused = (given: string, givenName = name, by = links) =>
      expect(() => by.verify(given, givenName)).toThrow('The link is not valid.');
    refused(token, 'other.csv');
    refused(token, name, createLinks({ secret: 'y'.repeat(32), ttlSeconds: 10, now: () => now }));
    for (let at = 0; at < token.length - 1; at += 1) {
      refused(`${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`);
    }
    refused('');
    refused('.');
    // Other spellings of the same bytes: decoders ignore padding, unused bits and anything after the signature.
    for (const end of ['=', '==', '.', '.x', ' ', '\n', '+', '%3D', 'A']) refused(token + end);
    const sameBytes = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
      .map((last) => token.slice(0, -1) + last)
      .filter((other) => other !== token);
    for (const other of sameBytes) refused(other);
    refused(token.split('.')[0]!);
  });

  it('refuses an expired link', () => {
    const signed = parts(links.sign(file));
    now += 9_999;
    expect(links.verify(...signed)).toEqual(file);
    now += 1;
    expect(() => links.verify(...signed)).toThrow('expired');
  });
});
