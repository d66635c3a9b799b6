import { describe, expect, it } from 'vitest';
import { createOpenApi } from '../../../src/http/openapi.js';
import { ok, route } from '../../../src/http/route.js';
import { downloadQuery } from '../../../src/http/routes/download-schema.js';
import type { StoredColumn } from '../../../src/model/column.js';
import { applyPipeline } from '../../../src/query/apply/apply.js';
import { formatNames, formats } from '../../../src/query/formats/formats.js';
import { parseOptions, wholeFileOf } from '../../../src/query/options/options.js';
import { optionKeys, options } from '../../../src/query/options/table.js';
import { planDownload } from '../../../src/query/plan.js';
import { createRequestFilters } from '../../../src/query/request-filters.js';
import { placeOf } from '../../../src/rows/place.js';
import { versionSource } from '../../../src/rows/source.js';

const messageOf = (source: Record<string, unknown>): string => {
  try {
    parseOptions(source);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('was accepted');
};

describe('parseOptions', () => {
  it('accepts every option with and without its dollar', () => {
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

  it('rejects an option that is given in both spellings', () => {
    expect(messageOf({ $top: '1', top: '1' })).toBe('$top is given more than once.');
  });

  it.each([
    ['$fliter', 'Did you mean $filter?'],
    ['transposed', 'Did you mean transpose?'],
    ['$slect', 'Did you mean $select?'],
  ])('suggests the nearest option for %s', (name, hint) => {
    expect(messageOf({ [name]: 'x' })).toContain(hint);
  });

  it('ignores apiKey and names that begin with _', () => {
    expect(parseOptions({ apiKey: 'k', _: '1', _cacheBuster: 'x' })).toEqual(parseOptions({}));
  });

  it.each(['-1', '1.5', '1e3', '', ' 1', '+1', '0x1', 'ten'])('rejects $top=%j', (text) => {
    expect(messageOf({ $top: text })).toContain('$top must be a whole number');
  });

  it('clamps a limit that is larger than every safe integer', () => {
    expect(parseOptions({ $top: '9'.repeat(300) }).top).toBe(Number.MAX_SAFE_INTEGER);
    expect(parseOptions({ $top: '0' }).top).toBe(0);
  });

  it.each(['yes', '2', '', 'truee', ' true'])('rejects the flag %j', (text) => {
    expect(messageOf({ dropNA: text })).toBe('dropNA must be true or false.');
  });

  it('reads flags in any case', () => {
    expect(parseOptions({ dropNA: '1', transpose: 0 })).toMatchObject({ dropNA: true, transpose: false });
    expect(parseOptions({ dropNA: 'TRUE', transpose: 'False' })).toMatchObject({
      dropNA: true,
      transpose: false,
    });
  });

  it('lists the formats if an unknown one is requested', () => {
    expect(messageOf({ $format: 'xml' })).toBe(
      '$format must be one of csv, json, xlsx, tsv, parquet, arrow.',
    );
    expect(parseOptions({ $format: 'JSON' }).format).toBe('json');
  });

  it.each(['$filter', '$select', '$orderby'])('rejects an empty %s: it might mean everything', (name) => {
    expect(messageOf({ [name]: ' ' })).toBe(`${name} must not be empty.`);
  });

  it('accepts the JSON values of a request body', () => {
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

  it('reports a version id that is too large as an unknown version', () => {
    expect(messageOf({ versionId: '9'.repeat(30) })).toBe(`The dataset has no version ${'9'.repeat(30)}.`);
    expect(messageOf({ versionId: '1e9' })).toContain('versionId must be the id of a version');
  });

  it.each([
    [{ $distinct: 'true' }, '$distinct needs $select'],
    [{ entities: 'none' }, 'entities must be one of all, selected'],
    [{ transpose: 'true', $count: 'true' }, '$count cannot be combined with transpose'],
    [{ transpose: 'true', $distinct: 'true', $select: 'a' }, '$distinct cannot be combined with transpose'],
    [{ transpose: 'true', $orderby: 'a' }, '$orderby with transpose needs $top or $skip'],
  ])('rejects %j with a reason', (source, reason) => {
    expect(messageOf(source)).toContain(reason);
  });
});

describe('whole files', () => {
  it('are used if only format and version are given', () => {
    expect(wholeFileOf(parseOptions({ $format: 'csv', versionId: '3' }))).toBe('table');
    expect(wholeFileOf(parseOptions({ transpose: 'true' }))).toBe('transposed');
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
    { entities: 'selected' },
    { dropNA: 'true' },
  ])('are not used for %j', (source) => {
    expect(wholeFileOf(parseOptions(source))).toBeUndefined();
  });
});

describe('each option', () => {
  const columns: readonly StoredColumn[] = (['Country', 'Date', 'GDP', 'People'] as const).map(
    (name, index) => ({
      id: index + 1,
      storageId: index + 1,
      name,
      physical: ({ Country: 's', Date: 'd', GDP: 'f', People: 'f' } as const)[name],
      dataType: ({ Country: 'String', Date: 'Date', GDP: 'Decimal', People: 'Decimal' } as const)[name],
      isEntity: index < 2,
      description: null,
    }),
  );
  const version = {
    versionId: 1,
    datasetId: 1,
    place: placeOf({ storeId: 1, shard: 1, pool: null }),
    columns,
    segmentIds: [1],
    rowCount: 3,
    byteSize: 30,
    createdAt: '2026-01-31T00:00:00.000Z',
  };

  const tagOf = (source: Record<string, unknown>, from = columns): string => {
    const parsed = parseOptions(source);
    const filter = createRequestFilters().compile({ options: parsed }, from);
    const format = parsed.format ?? 'json';
    const read = { ...version, columns: from };
    const applied =
      parsed.apply === undefined
        ? undefined
        : applyPipeline({
            text: parsed.apply,
            version: read,
            rows: versionSource('d', read),
            ranges: new Map(),
          });
    return planDownload({
      version: read,
      rows: versionSource('d', read),
      applied,
      options: parsed,
      format,
      filter,
    }).fingerprint;
  };

  /** Other options that an option needs to have an effect. */
  const needed: Readonly<Record<string, Record<string, string>>> = {
    $distinct: { $select: 'Country' },
    $format: { $format: 'csv' },
    // An option of some formats is tested with the first of them.
    ...Object.fromEntries(
      optionKeys.flatMap((key) => {
        const { name, appearance } = options[key];
        const taking = formatNames.find((format) =>
          formats[format].takes.some((one) => one === appearance?.key),
        );
        return taking === undefined ? [] : [[name, { $format: taking }]];
      }),
    ),
  };

  /** They name the version, which is in every ETag. `asOf` is resolved to a version before planning. */
  const namesVersion = ['versionId', 'asOf'];

  it.each(optionKeys.filter((key) => !namesVersion.includes(key)).map((key) => options[key]))(
    'changes the ETag: $name',
    ({ name, example }) => {
      expect(tagOf({ ...needed[name], [name]: example })).not.toBe(tagOf(needed[name] ?? {}));
      expect(tagOf({ ...needed[name], [name]: example })).toBe(tagOf({ ...needed[name], [name]: example }));
    },
  );

  it('changes the ETag if a column of its version is renamed', () => {
    const renamed = columns.map((column) => (column.id === 3 ? { ...column, name: 'Product' } : column));
    expect(tagOf({}, renamed)).not.toBe(tagOf({}));
  });

  it.each(optionKeys.map((key) => options[key]))(
    'is read with and without a dollar: $name',
    ({ name, example }) => {
      const plain = name.replace('$', '');
      const more = name === '$distinct' ? { $select: 'Country' } : {};
      expect(parseOptions({ ...more, [plain]: example })).toEqual(
        parseOptions({ ...more, [`$${plain}`]: example }),
      );
      expect(parseOptions({ ...more, [plain]: example })).not.toEqual(parseOptions(more));
    },
  );
});

describe('the documents of a download', () => {
  it('list each option once, in the spelling of the specification', () => {
    const shown = createOpenApi({
      version: '1',
      base: '/api',
      routes: [
        route({
          method: 'GET',
          path: '/data',
          summary: 'Rows',
          tags: [],
          auth: 'none',
          query: downloadQuery,
          responses: {},
          handler: () => ok({}),
        }),
      ],
    });
    const names = JSON.stringify(shown).match(/"name":"[^"]+","in":"query"/g) ?? [];
    expect(names.filter((name) => !name.includes('"apiKey"')).sort()).toEqual(
      optionKeys
        .map((key) => options[key].name)
        // Described in words: a parameter of this name breaks generated Python clients.
        .filter((name) => name !== '$quote')
        .map((name) => `"name":"${name}","in":"query"`)
        .sort(),
    );
  });
});
