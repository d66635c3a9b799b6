import type { SeriesMetadata } from './provider.js';

/** Metadata of what the upstream told; what it left out or left empty is not there. */
export const toMetadata = (
  facts: Readonly<Record<string, string | number | boolean | null | undefined>>,
): SeriesMetadata =>
  Object.fromEntries(
    Object.entries(facts).filter(([, fact]) => fact !== undefined && fact !== null && fact !== ''),
  );
