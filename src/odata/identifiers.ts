/**
 * Converts names of columns and datasets to OData identifiers, and back. Letters, digits and `_` stay; every other character becomes `_x`,
 * its code point in hexadecimal, and `_`, as in .NET and XML Schema tools: `GDP (USD)` is `GDP_x0020__x0028_USD_x0029_`.
 */
import { rowOrder } from '../rows/index.js';

/** Key property of a row, its position in the dataset. Clients store the name, so a test pins it. */
export const rowKey = rowOrder;

/** Longest identifier that OData allows, in characters. */
const maxLength = 128;

const plain = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Nd}_]*$/u;
/** Identifiers with another meaning. */
const reserved = new RegExp(`^${rowKey}$|^_(?:column|dataset)_\\d+$`);

const escaped = (character: string): string =>
  `_x${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}_`;

const encoded = (name: string): string => {
  if (name === '') return '_x_';
  // A `_x` of the name itself would be parsed as an escape.
  const marked = reserved.test(name)
    ? `${escaped('_')}${name.slice(1)}`
    : name.replaceAll(/_(?=x)/g, escaped('_'));
  return marked.replace(/^\p{Nd}/u, escaped).replaceAll(/[^\p{L}\p{Nl}\p{Nd}_]/gu, escaped);
};

/** True for a text that is a valid identifier without escapes. */
export const isIdentifier = (text: string): boolean => plain.test(text) && text.length <= maxLength;

const identifierOr = (name: string, other: string): string => {
  // Escapes only make it longer.
  if (name.length > maxLength) return other;
  const identifier = encoded(name);
  return isIdentifier(identifier) ? identifier : other;
};

/** @param id Id of the column, for names whose identifier would be too long. */
export const identifierOf = (name: string, id: number): string => identifierOr(name, `_column_${id}`);

/** Name of the entity set of a dataset, in the service of its repository. */
export const entitySetOf = (name: string, id: number): string => identifierOr(name, `_dataset_${id}`);

const decoded = (identifier: string): string =>
  identifier === '_x_'
    ? ''
    : identifier.replaceAll(/_x([\dA-F]{4,6})_/g, (whole, code: string) => {
        const point = Number.parseInt(code, 16);
        return point > 0x10ffff ? whole : String.fromCodePoint(point);
      });

/** The dataset of an entity set; undefined for a text that is not the name of a set. */
export const datasetOfSet = (
  set: string,
): { readonly id: number } | { readonly name: string } | undefined => {
  const id = /^_dataset_(\d{1,15})$/.exec(set)?.[1];
  if (id !== undefined) return { id: Number(id) };
  const name = decoded(set);
  // No name contains NUL, and PostgreSQL does not accept it.
  return entitySetOf(name, 0) === set && !name.includes('\0') ? { name } : undefined;
};
