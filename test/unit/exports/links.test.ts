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
};

describe('createLinks', () => {
  let now = 1_000_000;
  const links = createLinks({ secret: 'x'.repeat(32), ttlSeconds: 10, clock: { now: () => now } });
  const parts = (path: string): [string, string] => {
    const [, , token = '', name = ''] = path.split('/');
    return [token, decodeURIComponent(name)];
  };

  it('gives back what it signed', () => {
    expect(links.verify(...parts(links.sign(file)))).toEqual(file);
  });

  it('refuses another name, another secret, and any changed character', () => {
    const [token, name] = parts(links.sign(file));
    const refused = (given: string, givenName = name, by = links) =>
      expect(() => by.verify(given, givenName)).toThrow('The link is not valid.');
    refused(token, 'other.csv');
    refused(token, name, createLinks({ secret: 'y'.repeat(32), ttlSeconds: 10, clock: { now: () => now } }));
    for (let at = 0; at < token.length - 1; at += 1) {
      refused(`${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`);
    }
    refused('');
    refused('.');
    refused(token.split('.')[0]!);
  });

  it('refuses a link after its time', () => {
    const signed = parts(links.sign(file));
    now += 9_999;
    expect(links.verify(...signed)).toEqual(file);
    now += 1;
    expect(() => links.verify(...signed)).toThrow('expired');
  });
});
