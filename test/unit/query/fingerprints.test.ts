/**
 * Issued ETags and page tokens must stay valid, so each request keeps the fingerprints of the golden file. If the bytes of answers
 * change, raise `formatRevision` and update the file. A new option adds lines and changes none.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseOptions, tagsOf } from '../../../src/query/options/options.js';
import { optionKeys, options } from '../../../src/query/options/table.js';
import { downloadsOf, own, requestOf } from './recorded-downloads.js';

interface Fingerprints {
  /** Part of the ETag. */
  readonly answer: string;
  /** Part of page tokens. */
  readonly question: string;
}

const golden = JSON.parse(
  readFileSync(new URL('../../fixtures/fingerprints.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, Fingerprints>>;

const fingerprintsOf = async (address: string): Promise<Fingerprints> => {
  const query = Object.fromEntries(new URLSearchParams(address));
  const { fingerprint, question } = await downloadsOf(own).downloads.plan(requestOf(query));
  return { answer: fingerprint, question };
};

const addresses = Object.keys(golden);

describe('fingerprints', () => {
  it.each(addresses)('stay as they were issued: %s', async (address) => {
    expect(await fingerprintsOf(address)).toEqual(golden[address]);
  });

  it('differ for all requests of the golden file', () => {
    const answers = Object.values(golden).map(({ answer }) => answer);
    expect(answers.length).toBeGreaterThanOrEqual(40);
    expect(answers).toEqual([...new Set(answers)]);
  });

  it('are in the golden file for every option that is part of them', () => {
    // The version is part of every fingerprint, and a page token keeps the fingerprint of its request.
    const apart = ['versionId', 'asOf', 'skipToken'];
    const missing = optionKeys.filter(
      (key) =>
        !apart.includes(key) &&
        !addresses.some((address) => new URLSearchParams(address).has(options[key].name)),
    );
    expect(missing).toEqual([]);
  });

  it('contain nothing about an option that is not given', () => {
    const nothing = { chosen: own.columns, filter: undefined, order: [] };
    expect(tagsOf(parseOptions({}), nothing)).toEqual({});
    expect(tagsOf(parseOptions({}), nothing, 'rows')).toEqual({});
  });

  it('do not change if an option is given with its default value', async () => {
    const plain = await fingerprintsOf('$format=json');
    for (const address of [
      'entities=all',
      'dropNA=false',
      '$decimals=number',
      'transpose=false',
      'versionId=7',
    ])
      expect(await fingerprintsOf(`$format=json&${address}`), address).toEqual(plain);
  });
});
