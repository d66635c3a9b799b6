import type { Provider } from '../../src/providers/provider.js';
import { recordedProviders } from '../../src/providers/records.js';

/** Provider with a record in `sources/providers`. */
export const recordedProvider = (slug: string): Provider => {
  const found = recordedProviders.find((provider) => provider.slug === slug);
  if (found === undefined) throw new Error(`no record of ${slug}`);
  return found;
};
