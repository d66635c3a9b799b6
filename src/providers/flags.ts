import type { Observation } from './provider.js';

/** Meanings of status codes of observations. */
export type FlagMeanings = Readonly<Record<string, string>> | ReadonlyMap<string, string>;

/** Code list CL_OBS_STATUS of SDMX 2.2, for services without their own list. `A`, a normal value, is not a flag. */
export const sdmxStatuses: FlagMeanings = {
  B: 'Time series break',
  D: 'Definition differs',
  E: 'Estimated value',
  F: 'Forecast value',
  G: 'Experimental value',
  H: 'Missing value; holiday or weekend',
  I: 'Imputed value',
  J: 'Derogation',
  K: 'Data included in another category',
  L: 'Missing value; data exist but were not collected',
  M: 'Missing value; data cannot exist',
  N: 'Not significant',
  O: 'Missing value',
  P: 'Provisional value',
  Q: 'Missing value; suppressed',
  S: 'Strike and other special events',
  U: 'Low reliability',
  V: 'Unvalidated value',
  W: 'Includes data from another category',
};

/** Returns a status code of SDMX as a flag: normal values have none. */
export const sdmxFlag = (status: string | undefined): string | undefined => {
  const code = status?.trim();
  return code === undefined || code === '' || code === 'A' || code === '_Z' ? undefined : code;
};

/** Adds a flag to a parsed value. If the value is a text instead of a number, that text is already the flag. */
export const withFlag = (
  read: Pick<Observation, 'value' | 'flag'>,
  flag: string | undefined,
): Pick<Observation, 'value' | 'flag'> =>
  read.flag !== undefined || flag === undefined || flag === '' ? read : { ...read, flag };

const meaningIn = (code: string, meanings: FlagMeanings): string | undefined => {
  if (meanings instanceof Map) return meanings.get(code);
  return Object.hasOwn(meanings, code) ? (meanings as Record<string, string>)[code] : undefined;
};

/** The parts of a flag that combines several codes: `B P`; or `bd` at Eurostat, whose codes are small letters. */
const partsOf = (flag: string): string[] => {
  const words = flag.split(/[\s,;+]+/).filter((word) => word !== '');
  return /^[a-z]+$/.test(flag) ? [...flag] : words;
};

const meaningOf = (flag: string, lists: readonly FlagMeanings[]): string | undefined => {
  const meaning = (code: string) =>
    lists.map((list) => meaningIn(code, list)).find((text) => text !== undefined && text !== '');
  const whole = meaning(flag);
  if (whole !== undefined) return whole;
  const parts = partsOf(flag).map(meaning);
  return parts.includes(undefined) ? undefined : parts.join('; ');
};

/**
 * Legend of the flags in observations, for `metadata.flags`.
 * @param lists The first list with a code takes precedence.
 */
export const legendOf = (
  observations: readonly Observation[],
  ...lists: readonly FlagMeanings[]
): Readonly<Record<string, string>> => {
  const flags = new Set(observations.flatMap(({ flag }) => flag ?? []));
  return Object.fromEntries(
    [...flags].flatMap((flag): [string, string][] => {
      const meaning = meaningOf(flag, lists);
      return meaning === undefined ? [] : [[flag, meaning]];
    }),
  );
};
