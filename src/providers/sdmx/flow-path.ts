import { unexpectedReply, unknownPath } from '../errors.js';
import type { Folder, Named } from '../provider.js';
import type { Dimension, Spell, Structure } from './structure.js';

/** A path below a flow: codes for the first dimensions of its key. */
export interface FlowPath<S extends Structure = Structure> {
  readonly flow: readonly string[];
  readonly codes: readonly string[];
  readonly structure: S;
}

/** Parses a path. @throws AppError 404 for codes that the structure does not have. */
export const flowPathOf = <S extends Structure>(
  provider: Named,
  path: readonly string[],
  flowSegments: number,
  structure: S | undefined,
): FlowPath<S> => {
  const codes = path.slice(flowSegments);
  const known = codes.every((code, index) => {
    const list = structure?.dimensions[index]?.codes;
    return list !== undefined && (list.size === 0 || list.has(code));
  });
  if (structure === undefined || !known) throw unknownPath(provider, path);
  return { flow: path.slice(0, flowSegments), codes, structure };
};

/**
 * The key of a path; open dimensions have the sign of the protocol, nothing or a star. Without any code it is `all`:
 * a part of an address cannot be dots alone, which mean the folder itself or the one above.
 */
export const keyOf = ({ codes, structure }: FlowPath, open: '' | '*'): string =>
  codes.length === 0 && open === ''
    ? 'all'
    : structure.dimensions.map((_, index) => codes[index] ?? open).join('.');

/**
 * Codes of a dimension that have data, in the order of its list; a dimension without a list has those that are
 * available.
 * @param available undefined: not known
 */
export const codesOf = (
  provider: Named,
  dimension: Dimension,
  available: Iterable<string> | undefined,
): readonly string[] => {
  const all = [...dimension.codes.keys()];
  if (available === undefined) {
    // Without a list and a constraint there would be no way on: not the same as a path without data.
    if (all.length === 0) throw unexpectedReply(provider, `no codes of ${dimension.id}`);
    return all;
  }
  const wanted = new Set(available);
  return all.length === 0 ? [...wanted] : all.filter((code) => wanted.has(code));
};

export const foldersOf = ({ codes: labels }: Dimension, codes: readonly string[], leaf: boolean): Folder[] =>
  codes.map((segment) => ({ segment, label: labels.get(segment) ?? segment, ...(leaf ? { leaf } : {}) }));

/** Title of a series: the codes of its key spelled out. `_Z`, not applicable, is noise in a title. */
export const titleOf = (key: Readonly<Record<string, string>>, spell: Spell): string =>
  Object.entries(key)
    .flatMap(([id, code]) => (code === '' || code === '_Z' ? [] : [spell(id, code) ?? code]))
    .join(' - ');
