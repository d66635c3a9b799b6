import { AppError } from '../../lib/errors.js';
import { ambiguousSeries, seriesNotFound } from '../errors.js';
import type { Named } from '../provider.js';
import { keyNotFound } from '../series-key.js';
import type { Structure } from './structure.js';

type Key = Readonly<Record<string, string>>;

/** Refuses an id of no series or of several, naming the open dimensions. */
export const requireOneSeries = (
  provider: Named,
  seriesId: string,
  keys: readonly Key[],
  dimensions: readonly string[],
): void => {
  const [first] = keys;
  if (first === undefined) throw seriesNotFound(provider, seriesId);
  const open = dimensions.filter((id) => keys.some((key) => key[id] !== first[id]));
  if (open.length > 0) throw ambiguousSeries(provider, seriesId, `give one code for ${open.join(', ')}`);
};

/** The 404 of a series that the service does not have. It explains the fault in the key if the structure of the flow can be read. */
export const missingSeries = async (
  provider: Named,
  seriesId: string,
  key: string,
  load: () => Promise<Structure | undefined>,
): Promise<AppError> => {
  const structure = await load().catch((error: unknown) => {
    if (error instanceof AppError) return undefined;
    throw error;
  });
  return structure === undefined
    ? seriesNotFound(provider, seriesId)
    : keyNotFound(provider, seriesId, structure.dimensions, key.split('.'));
};
