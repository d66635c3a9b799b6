import { z } from 'zod';
import { parseInstant } from '../lib/instant.js';

export const datasetIdField = z
  .int()
  .min(1)
  .meta({ description: 'Id of the dataset, as search_datasets returns it.' });

export const versionField = z.string().max(100).optional().meta({
  description:
    'Version of the dataset: its id, or a day (its end) or time (UTC) at which it was current. Default: the current data.',
});

/** The version in an argument, as options of a download. */
export const versionOptions = (
  version: string | undefined,
): { readonly versionId?: string; readonly asOf?: string } => {
  const text = version?.trim() ?? '';
  if (text === '') return {};
  return parseInstant(text) === undefined ? { versionId: text } : { asOf: text };
};
