import { parse } from 'yaml';
import { readSource, sourceNames } from '../lib/source-files.js';
import { toProvider } from './own/own-sources.js';
import { ownRecord } from './own/record.js';
import type { Provider } from './provider.js';

/** Providers that use the generic connectors: one file each in `sources/providers`, in the format of an operator's own sources. */
export const recordedProviders: readonly Provider[] = sourceNames('providers').map((name) => {
  // Addresses in files of the product are trusted.
  const { publicOnly: _, ...provider } = toProvider(ownRecord.parse(parse(readSource(`providers/${name}`))));
  return provider;
});
