import { z } from 'zod';
import { timeParameter } from '../parameters.js';
import { countField, idField, timeField } from './fields.js';

const linkFields = {
  id: idField('Assigned by the service.'),
  name: z.string(),
  datasetId: idField('The dataset.'),
  datasetName: z.string(),
  prefix: z.string().meta({ description: 'Start of the token in the address.' }),
  query: z.record(z.string(), z.unknown()).meta({ description: 'Options of the download.' }),
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
  .object({ ...linkFields, url: z.string().meta({ description: 'The address; shown this once.' }) })
  .meta({ id: 'CreatedReadLink' });

export const linkExample = {
  id: 4,
  name: 'Sheet of the sales team',
  datasetId: 12,
  datasetName: 'Prices',
  prefix: 'tabr_A1b2C3d4',
  query: { $select: 'GDP', $filter: "Country eq 'France'", $format: 'csv' },
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
