import type { TestColumn } from './odata-tree.js';

/** Columns of every physical type, with names that are hard to tokenize. */
export const testColumns: readonly TestColumn[] = [
  { id: 11, name: 'City', dataType: 'String', physical: 's' },
  { id: 12, name: 'City of birth', dataType: 'String', physical: 's' },
  { id: 13, name: 'Speed IAS in knots', dataType: 'Decimal', physical: 'f' },
  { id: 14, name: 'not [a] keyword', dataType: 'Decimal', physical: 'f' },
  { id: 15, name: 'Price', dataType: 'Decimal', physical: 'n38_2' },
  { id: 16, name: 'Total', dataType: 'Decimal', physical: 'n76_0' },
  { id: 17, name: '2020-01-01', dataType: 'Decimal', physical: 'n76_70' },
  { id: 18, name: 'Date', dataType: 'Date', physical: 'd' },
  { id: 19, name: `O'Neil "x"`, dataType: 'Date', physical: 't' },
];

/** Columns that can only be named in brackets. */
export const needsBrackets = new Set(['2020-01-01']);
