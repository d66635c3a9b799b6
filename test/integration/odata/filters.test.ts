/** OData filters: quoted numbers of columns that are strings in OData, `$search`, and names created by `$apply`. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, call, createDataset, json, upload } from '../../support/datasets.js';
import { odataService, queryOf } from '../../support/odata-service.js';
import { startProduct, type TestProduct } from '../../support/product.js';

let product: TestProduct;
let owner: Client;
let dataset: number;
let service: ReturnType<typeof odataService>;

const table = `Id,Big,Price,Note,Town
a,12345678901234567.5,1.5,Dark Red,Paris
b,123456789012345678901234567890.25,-2,"say ""x"" 50%",Größe
c,-123456789012345678901234567890.25,,,PARIS
d,0,3,red_wine,
e,,4,,Rome
`;

beforeAll(async () => {
  product = await startProduct();
  owner = { baseUrl: product.baseUrl, key: (await product.createAccount('filtering')).key };
  dataset = await createDataset(owner);
  expect(await upload(owner, dataset, table)).toMatchObject({ status: 'completed' });
  service = odataService(owner, dataset);
});

afterAll(() => product?.close());

const ids = async (options: Readonly<Record<string, string>>): Promise<string> =>
  (await service.page(options)).value.map(({ Id }) => Id).join('');

describe('numbers of a column that $metadata calls Edm.String', () => {
  it('are compared digit for digit, in quotes or without', async () => {
    const cases = {
      "Big eq '12345678901234567.5'": 'a',
      "Big eq '12345678901234567.50'": 'a',
      "Big eq '12345678901234567.6'": '',
      "'12345678901234567.5' eq Big": 'a',
      'Big eq 12345678901234567.5': 'a',
      "Big ne '12345678901234567.5'": 'bcde',
      "Big gt '123456789012345678901234567890.24'": 'b',
      "Big ge '123456789012345678901234567890.25'": 'b',
      "Big gt '123456789012345678901234567890.25'": '',
      "Big lt '-123456789012345678901234567890.24'": 'c',
      "Big le '-123456789012345678901234567890.26'": '',
      "Big lt '0'": 'c',
      "Big in ('0','12345678901234567.5',null)": 'ade',
      "not (Big gt '0')": 'cde',
      'Big eq null': 'e',
      "Big eq '1e400'": '',
      "Big eq '0' or Price gt 3": 'de',
    };
    for (const [$filter, found] of Object.entries(cases))
      expect([$filter, await ids({ $filter })]).toEqual([$filter, found]);
    expect(await ids({ $apply: "filter(Big gt '12345678901234567')" })).toBe('ab');
    const total = await service.page({
      $apply: 'groupby((Id),aggregate(Big with sum as Total))',
      $filter: "Total eq '123456789012345678901234567890.25'",
    });
    expect(total.value).toEqual([{ Id: 'b', Total: '123456789012345678901234567890.25' }]);
  });

  it('are refused in quotes if they are malformed or compared with other columns', async () => {
    for (const $filter of [
      "Big eq 'abc'",
      "Big eq ''",
      "Big eq ' 5'",
      "Big in ('0','x')",
      `Big eq '${'1'.repeat(1_001)}'`,
      "Price eq '1.5'",
      "Big add 1 eq '1'",
    ])
      expect([$filter, ...(await service.refusal({ $filter }))]).toEqual([$filter, 400, 'filter_type']);
  });

  it('must be unquoted in the API', async () => {
    const path = (filter: string) =>
      `/datasets/${dataset}/data?${queryOf({ $filter: filter, $format: 'json' })}`;
    expect((await call(owner, 'GET', path("Big eq '0'"))).status).toBe(400);
    expect((await call(owner, 'GET', path('Big eq 0'))).status).toBe(200);
  });
});

describe('the key', () => {
  it('is compared as a number, in quotes or without', async () => {
    const { value } = await service.page({});
    const keys = value.map(({ _row }) => String(_row));
    const [first = '', second = '', third = ''] = keys;
    const cases = {
      [`_row eq '${second}'`]: 'b',
      [`_row eq ${second}`]: 'b',
      [`_row ne '${second}'`]: 'acde',
      [`_row gt '${second}'`]: 'cde',
      [`_row le '${second}' and Price gt 0`]: 'a',
      [`_row in ('${first}','${third}','99')`]: 'ac',
      [`_row lt '${BigInt(first) - 1n}'`]: '',
      [`_row eq '${2n ** 64n}'`]: '',
      "_row gt '-1'": 'abcde',
      '_row eq null': '',
      '_row ne null': 'abcde',
    };
    for (const [$filter, found] of Object.entries(cases))
      expect([$filter, await ids({ $filter })]).toEqual([$filter, found]);
    const counted = await service.get(`/Rows/$count?${queryOf({ $filter: `_row ge '${third}'` })}`);
    expect(await counted.text()).toBe('3');
    const page = await service.page({ $filter: `_row gt '${first}'`, $search: 'paris', $count: 'true' });
    expect([page['@odata.count'], page.value.map(({ Id }) => Id)]).toEqual([1, ['c']]);
  });

  it('is not a string, and not a column of the API or of $apply results', async () => {
    expect(await service.refusal({ $filter: "_row eq 'x'" })).toEqual([400, 'filter_type']);
    expect(await service.refusal({ $filter: "contains(_row,'1')" })).toEqual([400, 'filter_type']);
    const $apply = 'groupby((Town))';
    expect(await service.refusal({ $apply, $filter: '_row gt 0' })).toEqual([400, 'unknown_column']);
    expect(await service.refusal({ $apply: 'filter(_row gt 0)' })).toEqual([400, 'unknown_column']);
    const path = `/datasets/${dataset}/data?${queryOf({ $filter: '_row gt 0' })}`;
    expect((await call(owner, 'GET', path)).status).toBe(400);
  });

  it('is distinct from a column with that name', async () => {
    const id = await createDataset(owner);
    await upload(owner, id, '_row,n\nx,1\ny,2\n');
    const named = odataService(owner, id);
    expect((await named.page({ $filter: "_x005F_row eq 'y'" })).value).toMatchObject([{ n: 2 }]);
    expect((await named.page({ $filter: "_row gt '0'" })).value).toHaveLength(2);
  });
});

describe('$search', () => {
  it('finds words in strings, regardless of case', async () => {
    const cases = {
      red: 'ad',
      'RED paris': 'a',
      'größe OR rome': 'be',
      'NOT red': 'bce',
      '"dark red"': 'a',
      '"say \\"x\\""': 'b',
      '50%': 'b',
      _: 'd',
      'NOT (paris OR rome)': 'bd',
      nowhere: '',
    };
    for (const [$search, found] of Object.entries(cases))
      expect([$search, await ids({ $search })]).toEqual([$search, found]);
    expect(await ids({ $search: 'paris', $filter: 'Price eq null' })).toBe('c');
    const counted = await service.get(`/Rows/$count?${queryOf({ $search: 'paris' })}`);
    expect(await counted.text()).toBe('2');
    const groups = await service.page({
      $apply: 'groupby((Town),aggregate($count as Rows))',
      $search: 'paris',
    });
    expect(groups.value).toHaveLength(2);
  });

  it('searches thousands of text columns', async () => {
    const wide = await createDataset(owner);
    const names = Array.from({ length: 2_000 }, (_, at) => `T${at}`);
    const row = (id: string, filled: Readonly<Record<number, string>>): string =>
      [id, ...names.map((_, at) => filled[at] ?? '')].join();
    const lines = [
      ['Id', ...names].join(),
      row('a', { 0: 'Größe', 1999: 'x' }),
      row('b', { 999: 'GRÖSSE', 1999: 'red' }),
      row('c', { 1999: 'größer' }),
    ];
    expect(await upload(owner, wide, `${lines.join('\n')}\n`)).toMatchObject({ status: 'completed' });
    const wideService = odataService(owner, wide);
    const found = async ($search: string): Promise<string> =>
      (await wideService.page({ $search, $select: 'Id' })).value.map(({ Id }) => Id).join('');
    expect(await found('größe')).toBe('ac');
    expect(await found('NOT größe')).toBe('b');
    expect(await found('größe OR RED')).toBe('abc');
  });

  it('refuses a syntax error with search_syntax', async () => {
    expect(await service.refusal({ $search: 'red AND' })).toEqual([400, 'search_syntax']);
    expect(await service.refusal({ $search: '(' })).toEqual([400, 'search_syntax']);
  });

  it('finds the same rows in the API', async () => {
    const path = `/datasets/${dataset}/data?${queryOf({ $search: 'paris', $format: 'json', $select: 'Id' })}`;
    const rows = await json<readonly { Id: string }[]>(await call(owner, 'GET', path));
    expect(rows.map(({ Id }) => Id)).toEqual(['a', 'c']);
    const tags = await Promise.all(
      ['paris', 'rome'].map(async (word) =>
        (await call(owner, 'GET', path.replace('paris', word))).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).toBe(2);
  });
});

describe('names that $apply creates', () => {
  it('are refused if two become the same property', async () => {
    const names = [
      ['[a b]', 'a_x0020_b'],
      [`[${'x'.repeat(200)}]`, `[${'y'.repeat(200)}]`],
    ] as const;
    for (const [one, other] of names) {
      const $apply = `aggregate(Price with sum as ${one},Price with max as ${other})`;
      expect(await service.refusal({ $apply })).toEqual([400, 'bad_option']);
      const counted = await service.get(`/Rows/$count?${queryOf({ $apply })}`);
      expect(counted.status).toBe(400);
    }
    const { value } = await service.page({ $apply: 'aggregate(Price with sum as [a b])' });
    expect(value).toEqual([{ a_x0020_b: 6.5 }]);
  });

  it('are used by the other options as the answer has them', async () => {
    const $apply = 'filter(Town ne null)/groupby((tolower(Town)),aggregate(Price with sum as [Total in €]))';
    const [town, total] = ['tolower_x0028_Town_x0029_', 'Total_x0020_in_x0020__x20AC_'];
    const { value } = await service.page({ $apply, $orderby: `${town} desc` });
    expect(value.length).toBeGreaterThan(1);
    expect(Object.keys(value[0] ?? {})).toEqual([town, total]);
    const towns = value.map((row) => row[town]);
    const ascending = await service.page({ $apply, $orderby: town });
    expect(ascending.value.map((row) => row[town]).toReversed()).toEqual(towns);
    const selected = await service.page({ $apply, $select: total, $filter: `${town} eq '${towns[0]}'` });
    expect(selected.value).toEqual([{ [total]: value[0]?.[total] }]);
    expect(await service.refusal({ $apply, $orderby: '[Total in €]' })).toEqual([400, 'unknown_column']);
  });
});
