import { unexpectedReply, unknownPath } from '../errors.js';
import type { Folder, Named } from '../provider.js';
import type { Dimension, Spell, Structure } from './structure.js';

/** A path after a flow: codes for the first dimensions of its key. */
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
 * The key of a path. Open dimensions have the sign of the protocol: nothing or a star. Without any code the key is `all`, since a segment
 * of an address must not be only dots, which mean the folder itself or its parent.
 */
export const keyOf = ({ codes, structure }: FlowPath, open: '' | '*'): string =>
  codes.length === 0 && open === ''
    ? 'all'
    : structure.dimensions.map((_, index) => codes[index] ?? open).join('.');

/**
 * Codes of a dimension that have data, in the order of its list; for a dimension without a list, the available ones.
 * @param available Undefined: not known.
 */
export const codesOf = (
  provider: Named,
  dimension: Dimension,
  available: Iterable<string> | undefined,
): readonly string[] => {
  const all = [...dimension.codes.keys()];
  if (available === undefined) {
    // Without a list and a constraint the path could not be continued, which differs from a path without data.
    if (all.length === 0) throw unexpectedReply(provider, `no codes of ${dimension.id}`);
    return all;
  }
  const wanted = new Set(available);
  return all.length === 0 ? [...wanted] : all.filter((code) => wanted.has(code));
};

export const foldersOf = ({ codes: labels }: Dimension, codes: readonly string[], leaf: boolean): Folder[] =>
  codes.map((segment) => ({ segment, label: labels.get(segment) ?? segment, leaf: leaf || undefined }));

/** Title of a series: the labels of the codes in its key. `_Z`, not applicable, is omitted. */
export const titleOf = (key: Readonly<Record<string, string>>, spell: Spell): string =>
  Object.entries(key)
    .flatMap(([id, code]) => (code === '' || code === '_Z' ? [] : [spell(id, code) ?? code]))
    .join(' - ');
