import { notFound } from '../lib/errors.js';
import { pick } from '../lib/pick.js';
import type { Parameter } from '../providers/parameter.js';
import type { Provider } from '../providers/provider.js';
import type { ProviderDetail, ProviderEntry, ProviderMatch } from './answer-schema.js';

const entryMembers = [
  'slug',
  'name',
  'provider',
  'description',
  'capabilities',
  'license',
  'attribution',
] as const;

const parameterMembers = ['key', 'label', 'type', 'location', 'default', 'values'] as const;

/** The providers by slug, whatever its case. */
export interface Catalog {
  readonly providers: readonly Provider[];
  /** @throws AppError 404 for an unknown slug */
  require(slug: string): Provider;
}

export const createCatalog = (providers: readonly Provider[]): Catalog => {
  const bySlug = new Map(providers.map((provider) => [provider.slug, provider]));
  if (bySlug.size !== providers.length) throw new Error('two connectors have the same slug');
  return {
    providers: providers.toSorted((a, b) => (a.slug < b.slug ? -1 : 1)),
    require(slug) {
      const provider = bySlug.get(slug.toLowerCase());
      if (provider === undefined) throw notFound('provider_not_found', `There is no provider '${slug}'.`);
      return provider;
    },
  };
};

export const toEntry = (provider: Provider): ProviderEntry => pick(provider, entryMembers);

const toParameter = (parameter: Parameter) => pick(parameter, parameterMembers);

export const toDetail = (provider: Provider, hasUserKey: boolean): ProviderDetail => ({
  ...toEntry(provider),
  parameters: provider.parameters.map(toParameter),
  popular_series: provider.popularSeries,
  api_key_url: provider.key?.url,
  api_key_label: provider.key?.label,
  anonymous_limit_message: provider.anonymousLimitMessage,
  browse_root_label: provider.browseRootLabel,
  series_id_placeholder: provider.seriesIdPlaceholder,
  has_user_api_key: hasUserKey,
  keeps_vintages: provider.vintages !== undefined,
});

export const toMatch = (provider: Provider, hasUserKey: boolean): ProviderMatch => {
  if (provider.key?.required !== true) return toEntry(provider);
  return {
    ...toEntry(provider),
    parameters: provider.parameters.map(toParameter),
    popular_series: provider.popularSeries,
    api_key_required: true,
    has_api_key: hasUserKey,
    api_key_label: provider.key.label,
    api_key_hint: provider.key.hint,
  };
};
