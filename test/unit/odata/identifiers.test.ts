import { describe, expect, it } from 'vitest';
import { datasetOfSet, entitySetOf, identifierOf, isIdentifier } from '../../../src/odata/identifiers.js';

/** Decodes an identifier like tools of .NET and XML Schema. */
const nameOf = (identifier: string): string =>
  identifier === '_x_'
    ? ''
    : identifier.replaceAll(/_x([0-9A-F]{4,6})_/g, (_all, code: string) =>
        String.fromCodePoint(Number.parseInt(code, 16)),
      );

const names = [
  'Country',
  'GDP (USD)',
  'Say "x"',
  "it's",
  '2020',
  '_row',
  '_column_7',
  '_x0020_',
  'a_x0020_b',
  ' x0041_',
  'a_ b',
  '_x_',
  '',
  'Größe',
  '国名',
  '😀 mood',
  'a,b;c/d',
  '_',
  '__x',
  '\u0301',
];

describe('identifiers of columns', () => {
  it('are valid in OData, and decode to the name', () => {
    for (const name of names) {
      const identifier = identifierOf(name, 1);
      expect(isIdentifier(identifier), name).toBe(true);
      expect(nameOf(identifier)).toBe(name);
    }
  });

  it('differ for different names', () => {
    const identifiers = names.map((name, id) => identifierOf(name, id));
    expect(new Set(identifiers).size).toBe(names.length);
  });

  it('keep letters, digits and underscores, and escape the rest', () => {
    expect(identifierOf('Country_2', 1)).toBe('Country_2');
    expect(identifierOf('GDP (USD)', 1)).toBe('GDP_x0020__x0028_USD_x0029_');
  });

  it('contain the id of the column if its name is too long', () => {
    expect(identifierOf('x'.repeat(128), 7)).toBe('x'.repeat(128));
    expect(identifierOf('x'.repeat(129), 7)).toBe('_column_7');
  });
});

describe('entity sets of datasets', () => {
  it('decode to the name of the dataset, or to its id', () => {
    for (const name of names) expect(datasetOfSet(entitySetOf(name, 7))).toEqual({ name });
    expect(datasetOfSet(entitySetOf('x'.repeat(129), 7))).toEqual({ id: 7 });
    expect(datasetOfSet(entitySetOf('_dataset_7', 8))).toEqual({ name: '_dataset_7' });
  });

  it('are not decoded from malformed names', () => {
    for (const set of ['', 'a b', 'a_x20_b', 'a_x0041_b', 'a_x0000_b', 'a_xFFFFFF_b', '_dataset_'])
      expect([set, datasetOfSet(set)]).toEqual([set, set === '_dataset_' ? { name: set } : undefined]);
  });
});
