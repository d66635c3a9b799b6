import { z } from 'zod';
import type { DeepReadonly } from '../lib/deep-readonly.js';

/** Answers of the provider gateway: their schemas for the documents, and the types that follow from them. */
type Answer<S extends z.ZodType> = DeepReadonly<z.output<S>>;

const popularSeries = z.array(z.object({ id: z.string(), label: z.string() }));

const entryFields = {
  slug: z.string().meta({ description: 'Identifies the provider in paths; case does not matter.' }),
  name: z.string(),
  provider: z.string().meta({ description: 'The organisation that publishes the data.' }),
  description: z.string(),
  capabilities: z.array(z.enum(['hierarchical', 'search', 'direct'])),
  license: z.string().optional(),
  attribution: z
    .string()
    .optional()
    .meta({ description: 'The attribution that the provider requires with its data.' }),
};

const parameterSchema = z
  .object({
    key: z.string(),
    label: z.string(),
    type: z.enum(['number', 'text', 'select']),
    location: z.enum(['body', 'query', 'header']),
    default: z.union([z.string(), z.number()]).optional(),
    values: z.array(z.object({ code: z.string(), label: z.string() })).optional(),
  })
  .meta({ id: 'ProviderParameter' });

export const providerSchema = z.object(entryFields).meta({ id: 'Provider' });
export type ProviderEntry = Answer<typeof providerSchema>;

export const providerDetailSchema = z
  .object({
    ...entryFields,
    parameters: z.array(parameterSchema),
    popular_series: popularSeries,
    api_key_url: z.string().optional(),
    api_key_label: z.string().optional(),
    anonymous_limit_message: z.string().optional(),
    browse_root_label: z.string().optional(),
    series_id_placeholder: z.string(),
    has_user_api_key: z.boolean(),
    keeps_vintages: z.boolean().meta({
      description: 'It keeps the values before each revision: a dataset can be created with `backfill`.',
    }),
  })
  .meta({ id: 'ProviderDetail' });
export type ProviderDetail = Answer<typeof providerDetailSchema>;

export const quotaSchema = z
  .object({
    slug: z.string(),
    key: z.enum(['none', 'service', 'own']).meta({
      description: 'Whose key requests carry: the one that the caller stored, that of the service, or none.',
    }),
    api_key_required: z.boolean().meta({ description: 'Full data needs a key.' }),
    per_second: z.number().nullable().meta({ description: 'Requests a second; null: no such limit.' }),
    quotas: z.array(
      z.object({
        span: z.enum(['minute', 'hour', 'day']),
        limit: z.int(),
        left: z.int().meta({ description: "Requests left: of the limit, or of the caller's share of it." }),
        next_at: z.string().meta({
          description: 'ISO 8601, UTC: when the oldest request that counts will count no longer.',
        }),
      }),
    ),
    held_until: z.string().nullable().meta({
      description: 'End of the hold that the provider requested; null: none.',
    }),
  })
  .meta({ id: 'ProviderQuota' });
export type QuotaAnswer = Answer<typeof quotaSchema>;

export const providerMatchSchema = z
  .object({
    ...entryFields,
    parameters: z.array(parameterSchema).optional(),
    popular_series: popularSeries.optional(),
    api_key_required: z.literal(true).optional(),
    has_api_key: z.boolean().optional(),
    api_key_label: z.string().optional(),
    api_key_hint: z.string().optional(),
  })
  .meta({ id: 'ProviderMatch' });
export type ProviderMatch = Answer<typeof providerMatchSchema>;

/** Folders and series have the same list format; the query determines which of them are listed. */
export const browseEntrySchema = z
  .object({
    label: z.string(),
    path: z.string().meta({ description: 'Pass it back as `path`.' }),
    get children() {
      return z.array(browseEntrySchema).optional();
    },
    series_id: z.string().optional().meta({ description: 'With `series=true`.' }),
    description: z.string().optional(),
    frequency: z.string().optional(),
    units: z.string().optional(),
  })
  .meta({ id: 'BrowseEntry' });
export type BrowseEntry = Answer<typeof browseEntrySchema>;

const foundSchema = z.object({
  id: z.string().meta({ description: 'The series id, or the code of the folder.' }),
  label: z.string(),
  kind: z.enum(['series', 'folder']),
  description: z.string().optional(),
  path: z.string().optional().meta({ description: 'Where to browse on.' }),
  frequency: z.string().optional(),
  units: z.string().optional(),
  params: z.record(z.string(), z.string()).optional().meta({
    description: 'Parameters to fetch the series with, for the country that the query names.',
  }),
  api_key_required: z.literal(true).optional().meta({ description: 'Full data needs a key.' }),
});
export type FoundItem = Answer<typeof foundSchema>;

const corrected = z.string().optional().meta({
  description: 'The corrected query that was answered, if nothing matches the original one.',
});

export const searchResultSchema = z
  .object({ query: z.string(), corrected, items: z.array(foundSchema) })
  .meta({ id: 'ProviderSearchResult' });

export const searchAllResultSchema = z
  .object({
    query: z.string(),
    corrected,
    items: z.array(z.object({ provider: z.string().meta({ description: 'Slug.' }), ...foundSchema.shape })),
    notAsked: z.array(z.string()).meta({
      description: 'Slugs of providers whose own search was not used, refused, or did not respond in time.',
    }),
  })
  .meta({ id: 'ProvidersSearchResult' });

const metadataValue = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.record(z.string(), z.string()),
]);

export const metadataField = z.record(z.string(), metadataValue).meta({
  description:
    'Metadata from the provider: frequency, source, notes … A value times `unitMultiplier` is in `unit`; `units` is the text of the provider. `flags` are the meanings of the flags of this answer, such as `{"p": "provisional"}`; `flagged_values` counts observations with one.',
});

export const seriesSchema = z
  .object({
    series_id: z.string(),
    label: z.string(),
    metadata: metadataField,
    data: z.array(
      z.object({
        date: z.string().meta({ description: 'YYYY-MM-DD, first day of the period.' }),
        value: z
          .number()
          .nullable()
          .meta({ description: 'With the digits of the provider; null where the provider has none.' }),
        flag: z.string().optional().meta({
          description:
            'Status code of the provider, such as `p` (its meaning is in `metadata.flags`), or what it wrote in place of a number, such as `Bank holiday`.',
        }),
      }),
    ),
    is_preview: z.boolean(),
    api_key_required: z.literal(true).optional(),
    has_api_key: z.boolean().optional(),
    api_key_hint: z.string().optional(),
  })
  .meta({ id: 'Series' });

export const seriesExample = {
  series_id: 'FXUSDCAD',
  label: 'USD/CAD',
  metadata: { frequency: 'Daily', units: 'CAD per USD', unit: 'CAD per USD', unitMultiplier: 1 },
  data: [
    { date: '2026-03-12', value: 1.4405 },
    { date: '2026-03-13', value: null, flag: 'Bank holiday' },
  ],
  is_preview: true,
};
