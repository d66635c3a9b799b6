import { expect, it } from 'vitest';
import type { Column } from '../../../web/src/lib/types.js';
import { areYears, holdsYears } from '../../../web/src/lib/years.js';
import { firstQuestion } from '../../../web/src/pages/chart/question.js';

const column = (name: string, dataType: Column['dataType'], id = 1): Column => ({
  id,
  name,
  dataType,
  isEntity: dataType !== 'Decimal',
  description: null,
});

it.each(['Year', 'year', 'Fiscal year', 'année', 'Jahr', 'year_built'])('%s is a column of years', (name) => {
  expect(holdsYears(column(name, 'Decimal'))).toBe(true);
  expect(holdsYears(column(name, 'String'))).toBe(false);
});

it.each(['Yearly change', 'Anode', 'Value'])('%s is not a column of years', (name) => {
  expect(holdsYears(column(name, 'Decimal'))).toBe(false);
});

it('distinguishes years from other numbers', () => {
  expect(areYears(['1998', '', undefined, '2024'])).toBe(true);
  expect(areYears(['1998', '12'])).toBe(false);
  expect(areYears(['1998.5'])).toBe(false);
  expect(areYears(['', undefined])).toBe(false);
});

it('draws a line over numeric years for each entity', () => {
  const columns = [
    column('Country', 'String', 1),
    column('Year', 'Decimal', 2),
    column('Value', 'Decimal', 3),
  ];
  expect(firstQuestion({ columns })).toMatchObject({
    kind: 'line',
    rows: 'Year',
    columns: ['Country'],
    measures: [{ method: 'sum', column: 'Value' }],
  });
});

it('counts rows if years are the only numbers', () => {
  const columns = [column('Country', 'String', 1), column('Year', 'Decimal', 2)];
  expect(firstQuestion({ columns }).measures).toEqual([{ method: 'count', column: '' }]);
});
