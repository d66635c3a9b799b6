import type { Sdmx21Record } from './record.js';

/** A code, or `*` for all of them. */
const codeOf = (text: string): string => (text === '' || text === 'all' ? '*' : text);

/** Agency, id and version of a flow; `+` means the newest one. */
const flowOf = ({ agency }: Sdmx21Record, flow: string): readonly string[] => {
  const parts = flow.split(',');
  const [owner = agency, id = '', version = '+'] = parts.length === 1 ? [agency, flow] : parts;
  return ['dataflow', owner, id, version];
};

const keyOf = (key: string): string => key.split('.').map(codeOf).join('.');

/**
 * Path of a call in the configured version of the REST interface; `path` is that of version 1. Documentation:
 * https://github.com/sdmx-twg/sdmx-rest/tree/master/doc
 */
export const pathOf = (record: Sdmx21Record, path: readonly string[]): readonly string[] => {
  if (record.rest !== 2) return path;
  const [call = '', first = '', second = '', third = '', fourth = ''] = path;
  if (call === 'data') return ['data', ...flowOf(record, first), keyOf(second)];
  if (call === 'availableconstraint') {
    return ['availability', ...flowOf(record, first), keyOf(second), fourth];
  }
  return ['structure', call, codeOf(first), codeOf(second), third === 'latest' ? '+' : third];
};

/** Query for the keys of series without their observations. */
export const keysOnly = ({ rest }: Sdmx21Record): Readonly<Record<string, string>> =>
  rest === 2 ? { attributes: 'none', measures: 'none' } : { detail: 'serieskeysonly' };
