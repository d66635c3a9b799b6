import { z } from 'zod';
import { chartKinds, chartThemes } from '../../query/chart/chart.js';
import { timeParameter } from '../parameters.js';
import { countField, idField, nameField, timeField } from './fields.js';

const chartFields = {
  kind: z.enum(chartKinds).meta({
    description:
      'The first date of the answer is the axis, otherwise its first column; texts name the series, numbers are drawn. For `scatter` the first number is the axis.',
  }),
  theme: z
    .enum(chartThemes)
    .default('auto')
    .meta({ description: 'Colours; `auto` follows the system of the reader.' }),
};
export const chartBody = z
  .object({
    ...chartFields,
    title: nameField('Above the chart. @default the name of the dataset').optional(),
  })
  .meta({ id: 'ReadLinkChart', description: 'Answers with a chart instead of rows.' });

const linkFields = {
  id: idField('Assigned by the service.'),
  name: z.string(),
  datasetId: idField('The dataset.'),
  datasetName: z.string().nullable().meta({ description: 'Null if the account may no longer see it.' }),
  prefix: z.string().meta({ description: 'Start of the token in the address.' }),
  query: z.record(z.string(), z.unknown()).meta({ description: 'Options of the download.' }),
  chart: z
    .object({ ...chartFields, title: z.string() })
    .nullable()
    .meta({ description: 'How the answer is drawn; null: it is rows.' }),
  keyId: z
    .int()
    .nullable()
    .meta({ description: 'The key that limits the link, and with which it ends; null: none.' }),
  createdAt: timeField,
  expiresAt: timeField.nullable(),
  maxBytesPerDay: z.int().positive().nullable().meta({ description: 'Null: no limit of its own.' }),
  lastUsedAt: timeField.nullable().meta({ description: 'Exact to a minute.' }),
  reads: countField('Answers with rows.'),
  bytes: countField('Bytes of these answers.'),
  bytesToday: countField('Bytes of this day (UTC).'),
  refusedBecause: z.string().nullable().meta({
    description: 'Why the link is refused at this moment, such as a permission that ended; null: it works.',
  }),
};
export const linkSchema = z.object(linkFields).meta({ id: 'ReadLink' });
export const createdLinkSchema = z
  .object({
    ...linkFields,
    url: z.string().meta({ description: 'The address; shown this once.' }),
    pageUrl: z
      .string()
      .nullable()
      .meta({ description: 'The chart as a page for an `<iframe>`; null: it is rows.' }),
  })
  .meta({ id: 'CreatedReadLink' });

export const linkExample = {
  id: 4,
  name: 'Sheet of the sales team',
  datasetId: 12,
  datasetName: 'Prices',
  prefix: 'tabr_A1b2C3d4',
  query: { $select: 'GDP', $filter: "Country eq 'France'", $format: 'csv' },
  chart: null,
  keyId: null,
  createdAt: '2026-01-31T12:00:00.000',
  expiresAt: null,
  maxBytesPerDay: null,
  lastUsedAt: null,
  reads: 0,
  bytes: 0,
  bytesToday: 0,
  refusedBecause: null,
};

export const linkBounds = {
  expiresAt: timeParameter('From then on the link is refused; null: it does not expire.')
    .nullable()
    .optional(),
  maxBytesPerDay: z
    .int()
    .positive()
    .nullable()
    .optional()
    .meta({ description: 'Bytes that the link may send in a day (UTC); null: no limit of its own.' }),
};
