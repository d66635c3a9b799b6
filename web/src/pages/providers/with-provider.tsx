import type { ComponentChildren } from 'preact';
import { Waiting } from '../../components/states.js';
import { api } from '../../lib/api.js';
import { useLoad } from '../../lib/load.js';
import { Failure } from './failure.js';
import type { ProviderDetail, Quota } from './types.js';

/** Path of a provider's endpoints, below the API. */
export const providerPath = (slug: string): string => `/providers/${encodeURIComponent(slug)}`;

/** Content of a page about a provider once its record is loaded, or the reason why it is not. */
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

/** Rest of a provider's limits; loaded again when one of `keys` changes, as requests use it up. */
export const useQuota = (slug: string, keys: readonly unknown[]): Quota | undefined =>
  useLoad((signal) => api.get<Quota>(`${providerPath(slug)}/quota`, { signal }), [slug, ...keys]).data;
