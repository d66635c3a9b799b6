import { describe, expect, it } from 'vitest';
import { isWholeTable, isWholeTransposed, parseOptions } from '../../../src/query/options.js';

const messageOf = (source: Record<string, unknown>): string => {
  try {
    parseOptions(source);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('was accepted');
};

describe('parseOptions', () => {
  it('takes every option with and without its dollar', () => {
    const dollar = {
      $format: 'json',
      $select: 'a',
      $top: '3',
      $skip: '1',
      $last: '2',
      $orderby: 'a',
      $filter: 'a eq 1',
    };
    const plain = Object.fromEntries(Object.entries(dollar).map(([name, value]) => [name.slice(1), value]));
    expect(parseOptions(plain)).toEqual(parseOptions(dollar));
    expect(parseOptions(dollar)).toMatchObject({ format: 'json', top: 3, skip: 1, last: 2, orderBy: 'a' });
  });

  it('refuses an option that is given in both spellings', () => {
    expect(messageOf({ $top: '1', top: '1' })).toBe('$top is given more than once.');
  });

  it.each([
    ['$fliter', 'Did you mean $filter?'],
    ['transposed', 'Did you mean transpose?'],
    ['$slect', 'Did you mean $select?'],
  ])('names the nearest option for %s', (name, hint) => {
    expect(messageOf({ [name]: 'x' })).toContain(hint);
  });

  it('leaves alone what is not its own: keys, and names that begin with _', () => {
    expect(parseOptions({ apiKey: 'k', _: '1', _cacheBuster: 'x' })).toEqual(parseOptions({}));
  });

  it.each(['-1', '1.5', '1e3', '', ' 1', '+1', '0x1', 'ten'])('refuses $top=%j', (text) => {
    expect(messageOf({ $top: text })).toContain('$top must be a whole number');
  });

  it('takes limits of any length as more than there is', () => {
    expect(parseOptions({ $top: '9'.repeat(300) }).top).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseOptions({ $top: '0' }).top).toBe(0);
  });

  it.each(['yes', '2', '', 'truee', ' true'])('refuses the flag %j', (text) => {
    expect(messageOf({ dropNA: text })).toBe('dropNA must be true or false.');
  });

  it('reads flags in any case', () => {
    expect(parseOptions({ dropNA: '1', transpose: 0 })).toMatchObject({ dropNA: true, transpose: false });
    expect(parseOptions({ dropNA: 'TRUE', transpose: 'False' })).toMatchObject({
      dropNA: true,
      transpose: false,
    });
  });

  it('lists the formats when another is asked for', () => {
    expect(messageOf({ $format: 'xml' })).toBe(
      '$format must be one of csv, json, xlsx, tsv, parquet, arrow.',
    );
    expect(parseOptions({ $format: 'JSON' }).format).toBe('json');
  });

  it.each(['$filter', '$select', '$orderby'])('refuses an empty %s: it might mean everything', (name) => {
    expect(messageOf({ [name]: ' ' })).toBe(`${name} must not be empty.`);
  });

  it('takes JSON values as a body holds them', () => {
    const options = parseOptions({ $select: ['a', 7], $top: 5, dropNA: true, versionId: 12 });
    expect(options).toMatchObject({ select: ['a', '7'], top: 5, dropNA: true, versionId: 12 });
    expect(parseOptions(JSON.parse('{"$top":1e21,"$skip":1e999,"$last":-0}'))).toMatchObject({
      top: Number.MAX_SAFE_INTEGER,
      skip: Number.MAX_SAFE_INTEGER,
      last: 0,
    });
    expect(messageOf({ $top: 1.5 })).toContain('$top must be a whole number');
    expect(messageOf({ $top: -1 })).toContain('$top must be a whole number');
    expect(messageOf({ $select: [{}] })).toContain('$select must list names or ids');
    expect(messageOf({ $top: true })).toContain('$top must be a whole number');
  });

  it('quotes the id of a version beyond every id', () => {
    expect(messageOf({ versionId: '9'.repeat(30) })).toBe(`The dataset has no version ${'9'.repeat(30)}.`);
    expect(messageOf({ versionId: '1e9' })).toContain('versionId must be the id of a version');
  });

  it.each([
    [{ $distinct: 'true' }, '$distinct needs $select'],
    [{ transpose: 'true', $count: 'true' }, '$count can not be combined with transpose'],
    [{ transpose: 'true', $distinct: 'true', $select: 'a' }, '$distinct can not be combined with transpose'],
    [{ transpose: 'true', $orderby: 'a' }, '$orderby with transpose needs $top or $skip'],
  ])('says why %j makes no sense', (source, reason) => {
    expect(messageOf(source)).toContain(reason);
  });
});

describe('whole files', () => {
  it('are those with nothing but format and version', () => {
    expect(isWholeTable(parseOptions({ $format: 'csv', versionId: '3' }))).toBe(true);
    expect(isWholeTransposed(parseOptions({ transpose: 'true' }))).toBe(true);
    expect(isWholeTable(parseOptions({ transpose: 'true' }))).toBe(false);
  });

  it.each([
    { $select: 'a' },
    { $filter: 'a eq 1' },
    { $top: '5' },
    { $skip: '0' },
    { $last: '1' },
    { $orderby: 'a' },
    { $count: 'true' },
    { combineEntities: 'true' },
    { includeIds: 'true' },
    { dropNA: 'true' },
  ])('are not those with %j', (source) => {
    expect(isWholeTable(parseOptions(source))).toBe(false);
    expect(isWholeTransposed(parseOptions({ ...source }))).toBe(false);
  });
});
