import { describe, expect, it } from 'vitest';
import { indexGroups } from '../../../../src/providers/sdmx/groups.js';
import { readXmlData } from '../../../../src/providers/sdmx21/data.js';
import { readSeries } from '../../../../src/providers/sdmx30/data.js';
import { parseXml } from '../../../../src/providers/xml.js';
import { expectShortTurns } from '../../../support/pauses.js';

const provider = { slug: 'x', name: 'X Statistics' };
const count = 1_500;
const numbers = Array.from({ length: count }, (_, at) => at);
const expected = numbers.map((at) => [`C${at}`, `Title ${at}`, 'thousands']);

describe('the groups of a series', () => {
  it('are those whose codes it has, on any set of dimensions', () => {
    const attributesOf = indexGroups([
      { fixed: [], attributes: { SOURCE: 'office' } },
      { fixed: [['AREA', 'NO']], attributes: { TITLE: 'Norway' } },
      { fixed: [['AREA', 'SE']], attributes: { TITLE: 'Sweden' } },
      {
        fixed: [
          ['UNIT', 'NOK'],
          ['AREA', 'NO'],
        ],
        attributes: { UNIT_MULT: '3' },
      },
      { fixed: [['AREA', 'NO']], attributes: { NOTE: 'revised' } },
    ]);
    const of = (key: Record<string, string>) => attributesOf((id) => key[id]);
    expect(of({ AREA: 'NO', UNIT: 'NOK' })).toEqual({
      SOURCE: 'office',
      TITLE: 'Norway',
      UNIT_MULT: '3',
      NOTE: 'revised',
    });
    expect(of({ AREA: 'SE', UNIT: 'NOK' })).toEqual({ SOURCE: 'office', TITLE: 'Sweden' });
    expect(of({ UNIT: 'NOK' })).toEqual({ SOURCE: 'office' });
  });
});

describe('a reply with as many groups as series', () => {
  const payload = {
    data: {
      dataSets: [
        {
          series: Object.fromEntries(numbers.map((at) => [`${at}:0`, { observations: { '0': ['1.5'] } }])),
          dimensionGroupAttributes: {
            ...Object.fromEntries(numbers.map((at) => [`${at}:`, [null, `Title ${at}`]])),
            ':0': ['thousands'],
          },
        },
      ],
      structures: [
        {
          dimensions: {
            series: [
              { id: 'CODE', values: numbers.map((at) => ({ id: `C${at}` })) },
              { id: 'FREQ', values: [{ id: 'A' }] },
            ],
            observation: [{ id: 'TIME_PERIOD', values: [{ value: '2024' }] }],
          },
          attributes: { dimensionGroup: [{ id: 'UNIT' }, { id: 'TITLE' }] },
        },
      ],
    },
  };
  const values = (given: Record<string, string>): string =>
    Object.entries(given)
      .map(([id, value]) => `<Value id="${id}" value="${value}"/>`)
      .join('');
  const group = (key: Record<string, string>, attributes: Record<string, string>): string =>
    `<Group><GroupKey>${values(key)}</GroupKey><Attributes>${values(attributes)}</Attributes></Group>`;
  const root = parseXml(
    `<GenericData><DataSet>${numbers.map((at) => group({ CODE: `C${at}` }, { TITLE: `Title ${at}` })).join('')}
    ${group({ FREQ: 'A' }, { UNIT: 'thousands' })}
    ${numbers.map((at) => `<Series><SeriesKey>${values({ CODE: `C${at}`, FREQ: 'A' })}</SeriesKey></Series>`).join('')}
    </DataSet></GenericData>`,
  );

  it.each([
    ['SDMX-JSON', () => readSeries(provider, payload)],
    ['generic XML', () => readXmlData(root)],
  ])('takes time that grows with their number alone, in %s', async (_form, read) => {
    expect(read().map(({ key, attributes }) => [key.CODE, attributes.TITLE, attributes.UNIT])).toEqual(
      expected,
    );
    await expectShortTurns(async () => read());
  });
});
