import { expect, it } from 'vitest';
import { seriesSnippets, snippets } from '../../../web/src/lib/snippets.js';

const api = 'https://data.example.org/api';

const excel = (list: readonly { readonly name: string; readonly text: string }[]): string =>
  list.find(({ name }) => name === 'Excel, Power Query')?.text ?? '';

/** Text literals in the code, as Power Query reads them: `""` is a quote, `#(#)` is `#`, and any other `#(…)` is another character. */
const textsIn = (code: string): string[] =>
  [...code.matchAll(/"((?:[^"]|"")*)"/g)].map(([, text = '']) => {
    const plain = text.replaceAll('""', '"');
    expect(plain.replaceAll('#(#)', '')).not.toContain('#(');
    return plain.replaceAll('#(#)', '#');
  });

it('escapes column names for Power Query, and sets the types of the columns', () => {
  const names = ['Date of "it"', 'Price #(lf) in €', '#(#)', 'a,b}]'];
  const code = excel(
    snippets(api, {
      datasetId: 7,
      isPublic: true,
      query: { $filter: 'City eq \'a "b" #(cr) (x)\'' },
      columns: [
        ...names.map((name, at) => ({ name, dataType: at === 0 ? 'Date' : 'Decimal' }) as const),
        { name: 'City', dataType: 'String' },
      ],
    }),
  );
  const [url = '', ...rest] = textsIn(code);
  expect(url).toBe(
    'https://data.example.org/api/datasets/7/data?$format=csv&$filter=City%20eq%20%27a%20%22b%22%20%23%28cr%29%20%28x%29%27',
  );
  expect(rest).toEqual([',', ...names, 'en-US']);
  expect(code).toContain('{"Date of ""it""", type date}, {"Price #(#)(lf) in €", type number}');
  expect(code).not.toContain('"City"');
});

it('has no step for types if there are thousands of columns', () => {
  const columns = Array.from({ length: 5_000 }, (_, at) => ({
    name: `C${at}`,
    dataType: 'Decimal' as const,
  }));
  expect(excel(snippets(api, { datasetId: 7, isPublic: true, query: {}, columns })).length).toBeLessThan(500);
});

it('sends parameters and the key of a series unchanged', () => {
  const params = { units: 'a "b" #(lf) \\ c', limit: 3 };
  const code = excel(seriesSnippets(api, 'fred', 'GDP', params));
  const found = textsIn(code);
  expect(found).toContain(JSON.stringify({ params }));
  expect(found).toContain('https://data.example.org/api/providers/fred/series/GDP/data');
  // For a request with a body, Excel does not add credentials.
  expect(code).toContain('if Key = "" then [] else [Authorization = "Bearer " & Key]');
});
