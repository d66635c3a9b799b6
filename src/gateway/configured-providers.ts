import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../lib/errors.js';
import { readOwnSources } from '../providers/own/own-sources.js';
import type { Provider } from '../providers/provider.js';
import { allProviders } from '../providers/registry.js';
import { withKeyedRate } from './limits/rate-text.js';

/** Settings of providers, by slug. */
export interface ProviderSettings {
  readonly providerKeys?: Readonly<Record<string, string>> | undefined;
  /** By slug, or `slug.name` for another address of the provider. */
  readonly providerUrls?: Readonly<Record<string, string>> | undefined;
  /** Rates with a key, such as `75/minute`. */
  readonly providerLimits?: Readonly<Record<string, string>> | undefined;
  readonly feedProvider: string;
  readonly paidProviders?: readonly string[] | undefined;
  /** File of the operator's own sources. */
  readonly providersFile?: string | undefined;
}

export interface ConfiguredProviders {
  readonly providers: readonly Provider[];
  readonly feedProvider: string;
  readonly paidProviders: readonly string[];
}

const misconfigured = (setting: string, message: string): AppError =>
  new AppError('invalid', 'bad_configuration', `${setting}: ${message}`);

const readFile = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw misconfigured('PROVIDERS_FILE', messageOf(error));
  }
};

const ownSources = (path: string | undefined): Provider[] => {
  if (path === undefined) return [];
  const taken = allProviders.map(({ slug }) => slug);
  return readOwnSources(readFile(path), taken);
};

const withLimits = (provider: Provider, text: string | undefined): Provider => {
  try {
    return withKeyedRate(provider, text);
  } catch (error) {
    throw misconfigured('PROVIDER_LIMITS', messageOf(error));
  }
};

/**
 * Providers of the product and of the operator, with their configured limits.
 * @throws AppError that names the setting in error, such as one with an unknown slug.
 */
export const configuredProviders = (settings: ProviderSettings): ConfiguredProviders => {
  const { providerKeys = {}, providerUrls = {}, providerLimits = {} } = settings;
  const providers = [...allProviders, ...ownSources(settings.providersFile)];
  const feedProvider = settings.feedProvider.toLowerCase();
  const paidProviders = (settings.paidProviders ?? []).map((slug) => slug.toLowerCase());
  const known = providers.map(({ slug }) => slug);
  const named = {
    PROVIDER_KEYS: Object.keys(providerKeys),
    PROVIDER_URLS: Object.keys(providerUrls).map((name) => name.split('.', 1)[0] ?? ''),
    PROVIDER_LIMITS: Object.keys(providerLimits),
    FEED_PROVIDER: [feedProvider],
    PAID_PROVIDERS: paidProviders,
  };
  for (const [setting, slugs] of Object.entries(named)) {
    const unknown = slugs.filter((slug) => !known.includes(slug));
    if (unknown.length > 0)
      throw misconfigured(
        setting,
        `there is no provider ${unknown.join(', ')}; there are ${known.join(', ')}`,
      );
  }
  return {
    providers: providers.map((provider) => withLimits(provider, providerLimits[provider.slug])),
    feedProvider,
    paidProviders,
  };
};
