import { z } from 'zod';
import { parseInstant } from '../lib/instant.js';
import { badOption } from '../query/options/option.js';

export const datasetIdField = z
  .int()
  .min(1)
  .meta({ description: 'Id of the dataset, as search_datasets returns it.' });

export const versionField = z.string().max(100).optional().meta({
  description:
    'Version of the dataset: its id, or a day (its end) or time (UTC) at which it was current. Default: the current data.',
});

/**
 * The version in an argument, as options of a download.
 * @throws AppError 400 if it is neither an id nor a day or time
 */
export const versionOptions = (
  version: string | undefined,
): { readonly versionId?: string; readonly asOf?: string } => {
  const text = version?.trim() ?? '';
  if (text === '') return {};
  if (parseInstant(text) !== undefined) return { asOf: text };
  if (/^\d+$/.test(text)) return { versionId: text };
  throw badOption('version', `must be the id of a version, a day or a time, not '${text}'`);
};
