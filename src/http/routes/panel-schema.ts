import { z } from 'zod';
import { metadataField } from '../../gateway/answer-schema.js';

const date = z.string().meta({ description: 'YYYY-MM-DD, first day of the period.' });
const value = z.number().nullable();

const longRow = z.looseObject({
  date,
  value: value.meta({ description: 'With the digits of the provider; null where the provider has none.' }),
  flag: z.string().optional(),
});

const wideRow = z.object({
  date,
  values: z.record(z.string(), value).meta({ description: 'By name of the series; null where it has none.' }),
});

export const panelSchema = z
  .object({
    series_id: z.string(),
    label: z.string(),
    metadata: metadataField,
    dimensions: z.array(z.object({ id: z.string(), label: z.string() })).meta({
      description: 'The open dimensions. A long row has the code of each by its id, and `{id}_label`.',
    }),
    series: z.array(
      z.object({
        name: z.string(),
        codes: z.array(z.string()),
        labels: z.array(z.string()),
        observations: z.number().int(),
      }),
    ),
    missing: z.array(z.string()).optional().meta({
      description: 'Ids of the request that the provider does not know; left out if it knows all of them.',
    }),
    shape: z.enum(['long', 'wide']),
    data: z.array(z.union([wideRow, longRow])),
  })
  .meta({ id: 'Panel' });

export const panelExample = {
  series_id: 'SP.POP.TOTL',
  label: 'Population, total',
  metadata: { frequency: 'Annual', source: 'World Development Indicators' },
  dimensions: [{ id: 'country', label: 'Country' }],
  series: [{ name: 'NOR', codes: ['NOR'], labels: ['Norway'], observations: 1 }],
  shape: 'long',
  data: [{ date: '2024-01-01', country: 'NOR', country_label: 'Norway', value: 5572279 }],
};
