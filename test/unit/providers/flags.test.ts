import { describe, expect, it } from 'vitest';
import { readSample, sampleOf, samples } from './samples.js';

/** Any text in place of one value, for every connector: the value is null with the text as its flag. */
describe.each(samples.map((sample) => [sample.provider.slug, sample] as const))('%s', (_slug, sample) => {
  const { written, quote = '' } = sample;
  const asText = (text: string) => (reply: string) => {
    if (!reply.includes(written)) throw new Error(`${written} is not in the reply`);
    return reply.replace(written, `${quote}${text}${quote}`);
  };

  it.each(['Bank holiday', 'n.a.', 'p', '1 234', '12.5%', '#N/A', '≈ 3'])(
    'keeps %j as a flag',
    async (text) => {
      const whole = await readSample(sample);
      const { data } = await readSample(sample, asText(text));
      const flagged = data.filter(({ flag }) => flag === text);
      expect(flagged).toEqual([{ date: flagged[0]?.date, value: null, flag: text }]);
      const others = (list: typeof data) => list.filter(({ date }) => date !== flagged[0]?.date);
      expect(others(data)).toEqual(others(whole.data));
    },
  );

  it.each(['', 'NaN'])('reads %j as missing, without a flag', async (text) => {
    const { data } = await readSample(sample, asText(text));
    const before = (await readSample(sample)).data;
    const flagsOf = (list: typeof data) => list.flatMap(({ flag }) => flag ?? []);
    expect(flagsOf(data)).toEqual(flagsOf(before));
    expect(data.filter(({ value }) => value === null).length).toBeGreaterThan(0);
  });
});

/** Slug, change of the reply, flags by date, legend. The change is empty if the recorded reply has flags. */
const statuses: readonly (readonly [
  slug: string,
  from: string | RegExp,
  to: string,
  flags: Readonly<Record<string, string>>,
  legend: Readonly<Record<string, string>>,
])[] = [
  ['bis', '2025-12,A,', '2025-12,B,', { '2025-12-01': 'B' }, { B: 'Time series break' }],
  [
    'bls',
    '',
    '',
    { '2025-10-01': '9', '2026-02-01': 'P' },
    { 9: 'Data unavailable due to the 2025 lapse in appropriations.', P: 'Preliminary.' },
  ],
  [
    'bls',
    '"footnotes":[{"code":"P","text":"Preliminary."}]',
    '"footnotes":[{"code":"P","text":"Preliminary."},{"code":"C","text":"Corrected."},{"text":"See note."}]',
    { '2025-10-01': '9', '2026-02-01': 'P, C, See note.' },
    {
      9: 'Data unavailable due to the 2025 lapse in appropriations.',
      'P, C, See note.': 'Preliminary. Corrected. See note.',
    },
  ],
  ['ecb', '1.1850,A,F', '1.1850,P,F', { '2026-02-17': 'P' }, { P: 'Provisional value' }],
  [
    'ecb',
    '1.1850,A,F',
    '1.1850,B P,F',
    { '2026-02-17': 'B P' },
    { 'B P': 'Time series break; Provisional value' },
  ],
  ['ecb', '1.1850,A,F', '1.1850,?,F', { '2026-02-17': '?' }, {}],
  ['eurostat', '{"2": ":"}', '{"0":"p","2":":"}', { '2025-09-01': 'p' }, { p: 'provisional' }],
  [
    'eurostat',
    '{"2": ":"}',
    '{"1":"bd","2":":c"}',
    { '2025-10-01': 'bd', '2025-11-01': 'c' },
    { bd: 'break in time series; definition differs (see metadata)', c: 'confidential' },
  ],
  [
    'eurostat',
    /"status":\{"2": ":"\}(.*)"lang": "EN"/s,
    '"status":["e",null]$1"status":{"label":{"e":"estimated by us"}},"lang":"EN"',
    { '2025-09-01': 'e' },
    { e: 'estimated by us' },
  ],
  ['ilo', '5996.080,,', '5996.080,U,', { '2022-01-01': 'U' }, { U: 'Low reliability' }],
  ['norgesbank', '', '', { '2026-03-16': 'M' }, { M: 'Missing value; data cannot exist' }],
  ['undata', '', '', { '2023-01-01': 'M' }, { M: 'Missing value; data cannot exist' }],
  ['oecd', '3.5638,A,', '3.5638,E,', { '2023-03-01': 'E' }, { E: 'Estimated value' }],
  [
    'worldbank',
    '457510482317.48300,"unit":"","obs_status":""',
    '457510482317.48300,"unit":"","obs_status":"F"',
    { '2023-01-01': 'F' },
    { F: 'Forecast value' },
  ],
];

describe('status of observations', () => {
  it.each(statuses)('of %s: %s to %s', async (slug, from, to, flags, legend) => {
    const sample = sampleOf(slug);
    const plain = await readSample(sample);
    const { data, metadata } = await readSample(sample, (reply) =>
      from === '' ? reply : reply.replace(from, to),
    );
    const flagged = data.flatMap(({ date, flag }): [string, string][] =>
      flag === undefined ? [] : [[date, flag]],
    );
    expect(Object.fromEntries(flagged)).toMatchObject(flags);
    expect(metadata.flags ?? {}).toMatchObject(legend);
    const unexplained = Object.entries(flags).filter(([, flag]) => !(flag in legend));
    for (const [, flag] of unexplained) expect(metadata.flags ?? {}).not.toHaveProperty(flag);
    const valuesOf = (list: typeof data) => list.map(({ date, value }) => [date, value]);
    expect(valuesOf(data)).toEqual(valuesOf(plain.data));
  });

  it('is not a flag if a value is normal', async () => {
    for (const slug of ['bis', 'ecb', 'oecd']) {
      const { data } = await readSample(sampleOf(slug));
      expect(data.filter(({ value, flag }) => value !== null && flag === 'A')).toEqual([]);
    }
  });

  it('of the IMF is read as text or by position', async () => {
    const sample = sampleOf('imf');
    const flagsOf = async (change?: (reply: string) => string) =>
      (await readSample(sample, change)).data.flatMap(({ flag }) => flag ?? []);
    expect(await flagsOf()).toEqual(['NP']);
    expect(
      await flagsOf((reply) => {
        const { data } = JSON.parse(reply);
        data.structures[0].attributes.observation[1].values = [{ id: 'E' }];
        const [series] = Object.values<{ observations: Record<string, unknown[]> }>(data.dataSets[0].series);
        for (const row of Object.values(series?.observations ?? {})) row[2] = 0;
        return JSON.stringify({ data });
      }),
    ).toEqual(['E', 'E', 'E', 'E']);
  });

  it.each([
    ['pairs', [['OBS_STATUS', ['E', 'A']]]],
    ['an object', { obs_status: ['E', null] }],
  ])('of DBnomics is read from %s', async (_form, attributes) => {
    const { data, metadata } = await readSample(sampleOf('dbnomics'), (reply) => {
      const payload = JSON.parse(reply);
      payload.series.docs[0].observations_attributes = attributes;
      return JSON.stringify(payload);
    });
    expect(data.map(({ flag }) => flag).slice(0, 3)).toEqual(['E', undefined, undefined]);
    expect(metadata.flags).toEqual({ E: 'Estimated value' });
  });
});
