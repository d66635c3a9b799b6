import { compileDateFormat } from '../../csv/column-rules.js';
import { invalid } from '../../lib/errors.js';
import { createJsonGuard } from '../../lib/json-guard.js';
import { firstItems, listed } from '../../lib/listing.js';
import { nearest } from '../../lib/nearest.js';
import type { DataType } from '../../model/column.js';
import { nameProblem, textProblem } from '../../model/names.js';

/** A column of the file as a manifest describes it. */
export interface ManifestColumn {
  /** Name in the header. */
  readonly name: string;
  /** Id of an existing column, which takes the name. */
  readonly id?: number;
  readonly dataType?: DataType;
  readonly isEntity?: boolean;
  /** How dates are written, in strptime letters. */
  readonly dateFormat?: string;
  readonly description?: string | null;
}

export interface Manifest {
  readonly columns: readonly ManifestColumn[];
  /** How columns of the file that are not listed are treated. */
  readonly unlisted: 'infer' | 'ignore' | 'reject';
}

type Problems = string[];
type Json = Readonly<Record<string, unknown>>;

const dataTypes = ['Date', 'String', 'Decimal'] as const;
const members = ['name', 'id', 'dataType', 'isEntity', 'dateFormat', 'description'] as const;
/** Maximum unknown members of an object that an error message names. */
const maxUnknownFields = 20;
const maxDescription = 10_000;
const maxDateFormat = 200;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const unknownMembers = (value: Json, known: readonly string[], where: string, problems: Problems): void => {
  const unknown = Object.keys(value).filter((name) => !known.includes(name));
  if (unknown.length > maxUnknownFields)
    problems.push(`${where}: ${unknown.length.toLocaleString('en-US')} unknown members`);
  for (const name of unknown.slice(0, maxUnknownFields)) {
    const meant = nearest(name, known);
    problems.push(
      `${where}: unknown member ${JSON.stringify(name.slice(0, 64))}${meant === undefined ? '' : `, did you mean ${meant}?`}`,
    );
  }
};

const dateFormatProblem = (format: string): string | undefined => {
  try {
    compileDateFormat(format);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
};

const checkMember = (item: Json, name: (typeof members)[number], where: string, problems: Problems): void => {
  const value = item[name];
  if (value === undefined) return;
  const complain = (message: string): void => {
    problems.push(`${where}: ${name} ${message}`);
  };
  switch (name) {
    case 'name':
      return;
    case 'id':
      if (!Number.isSafeInteger(value) || (value as number) < 1)
        complain('must be the id of a column, a whole number below 2^53');
      return;
    case 'dataType':
      if (!dataTypes.some((type) => type === value)) complain(`must be one of ${dataTypes.join(', ')}`);
      return;
    case 'isEntity':
      if (typeof value !== 'boolean') complain('must be true or false');
      return;
    case 'dateFormat': {
      const problem =
        typeof value === 'string'
          ? (textProblem(value, maxDateFormat) ?? dateFormatProblem(value))
          : 'not a string';
      if (problem !== undefined) complain(`is wrong: ${problem}`);
      if (item.dataType !== undefined && item.dataType !== 'Date') complain('needs dataType Date');
      return;
    }
    case 'description': {
      if (value === null) return;
      const problem = typeof value === 'string' ? textProblem(value, maxDescription) : 'must be a text';
      if (problem !== undefined) complain(problem);
      return;
    }
    default: {
      const never: never = name;
      throw new Error(`unknown member ${String(never)}`);
    }
  }
};

const checkColumn = (item: unknown, position: number, problems: Problems): ManifestColumn | undefined => {
  if (!isObject(item)) {
    problems.push(`columns[${position}] must be an object`);
    return undefined;
  }
  const { name } = item;
  const where =
    typeof name === 'string' ? `column ${JSON.stringify(name.slice(0, 64))}` : `columns[${position}]`;
  unknownMembers(item, members, where, problems);
  if (typeof name !== 'string' || name.trim() === '') problems.push(`${where}: name is required`);
  else if (item.id !== undefined && nameProblem(name) !== undefined)
    problems.push(`${where}: name ${nameProblem(name)}`);
  for (const member of members) checkMember(item, member, where, problems);
  return item as unknown as ManifestColumn;
};

function* listTwice(columns: readonly ManifestColumn[], problems: Problems): Generator<void, void> {
  const names = new Set<unknown>();
  const ids = new Set<unknown>();
  for (const { name, id } of columns) {
    if (names.has(name)) problems.push(`column ${JSON.stringify(String(name).slice(0, 64))} is listed twice`);
    if (id !== undefined && ids.has(id)) problems.push(`id ${id} is listed twice`);
    names.add(name);
    ids.add(id);
    yield;
  }
}

/** @throws AppError that lists all problems. */
export const refuseManifest = (problems: readonly string[]): void => {
  if (problems.length === 0) return;
  throw invalid('invalid_manifest', `The manifest is wrong: ${listed(problems, 20, '; ')}.`, {
    problems: firstItems(problems, 100),
  });
};

/** Bytes to scan per step. */
const stepBytes = 128 * 1024;
const bounds = { maxDepth: 8, maxElements: 150_000, name: 'The manifest' };

/** Limits depth and number of elements before JSON.parse, since a manifest of empty arrays would need a gigabyte of memory. */
function* guardJson(text: string): Generator<void, void> {
  const guard = createJsonGuard(bounds);
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += stepBytes) {
    guard.push(bytes.subarray(at, at + stepBytes));
    yield;
  }
}

/**
 * Reads a manifest in steps, since it may have 8 MiB and must not block the event loop.
 * @throws AppError kind `invalid` that lists the problems
 */
export function* manifestSteps(text: string): Generator<void, Manifest> {
  yield* guardJson(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid('invalid_manifest', 'The manifest is not valid JSON.');
  }
  if (!isObject(value)) throw invalid('invalid_manifest', 'The manifest must be a JSON object.');
  const problems: Problems = [];
  unknownMembers(value, ['columns', 'unlisted'], 'manifest', problems);
  const { columns: given = [], unlisted = 'infer' } = value;
  if (unlisted !== 'infer' && unlisted !== 'ignore' && unlisted !== 'reject')
    problems.push('unlisted must be one of infer, ignore, reject');
  if (!Array.isArray(given)) problems.push('columns must be an array');
  const columns: ManifestColumn[] = [];
  for (const [position, item] of (Array.isArray(given) ? given : []).entries()) {
    yield;
    const column = checkColumn(item, position, problems);
    if (column !== undefined) columns.push(column);
  }
  yield* listTwice(columns, problems);
  refuseManifest(problems);
  return { columns, unlisted: unlisted as Manifest['unlisted'] };
}
