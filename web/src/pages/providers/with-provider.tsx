import type { ComponentChildren } from 'preact';
import { Waiting } from '../../components/states.js';
import { api } from '../../lib/api.js';
import { useLoad } from '../../lib/load.js';
import { Failure } from './failure.js';
import type { ProviderDetail, Quota } from './types.js';

/** Path of a provider in the API. */
export const providerPath = (slug: string): string => `/providers/${encodeURIComponent(slug)}`;

/** Loads a provider, then renders the page. */
export const WithProvider = ({
  slug,
  children,
}: {
  slug: string;
  children: (provider: ProviderDetail, reload: () => void) => ComponentChildren;
}) => {
  const found = useLoad((signal) => api.get<ProviderDetail>(providerPath(slug), { signal }), [slug]);
  if (found.state === 'error')
    return <Failure error={found.error} provider={undefined} retry={found.reload} />;
  if (found.data === undefined) return <Waiting />;
  return <>{children(found.data, found.reload)}</>;
};

/** Remaining quota of a provider. Reloads when one of `keys` changes, because requests consume it. */
export const useQuota = (slug: string, keys: readonly unknown[]): Quota | undefined =>
  useLoad((signal) => api.get<Quota>(`${providerPath(slug)}/quota`, { signal }), [slug, ...keys]).data;
