import { z } from 'zod';
import { parsePeriod } from './dates.js';
import { ambiguousSeries } from './errors.js';
import { withFlag } from './flags.js';
import { readValue } from './numbers.js';
import type { Observation, Provider } from './provider.js';
import { readShape, requireValue, written } from './shape.js';

/**
 * JSON-stat 2.0: a cube as one flat list in row-major order of the dimensions `id` with lengths `size`. `value`
 * is a list, or a sparse map from flat position to value; a position that is not there is missing.
 */
const category = z.object({
  /** Code → position, or the codes in order; left out when there is one code only. */
  index: z.union([z.record(z.string(), z.number().int()), z.array(z.string())]).nullish(),
  label: z.record(z.string(), z.string()).nullish(),
});

const cells = z.union([z.record(z.string().regex(/^\d+$/), written), z.array(written)]);

const cubeShape = z
  .object({
    class: z.literal('dataset').nullish(),
    label: z.string().nullish(),
    updated: z.string().nullish(),
    id: z.array(z.string()).min(1),
    size: z.array(z.number().int().nonnegative()),
    dimension: z.record(z.string(), z.object({ label: z.string().nullish(), category })),
    value: cells,
    /** Status codes: by position, in order, or one for all. */
    status: z
      .union([z.record(z.string(), z.string().nullable()), z.array(z.string().nullable()), z.string()])
      .nullish(),
  })
  .refine(({ id, size, dimension }) => id.length === size.length && id.every((name) => name in dimension));

export interface CubeDimension {
  readonly id: string;
  readonly label: string;
  /** In the order of their positions. */
  readonly codes: readonly { readonly code: string; readonly label: string }[];
}

export interface Cube {
  readonly label: string | undefined;
  /** As the service wrote it. */
  readonly updated: string | undefined;
  readonly dimensions: readonly CubeDimension[];
  /** The cell at a flat position; undefined when it is not there. */
  cell(position: number): string | number | null | undefined;
  /** The status code at a flat position; undefined for none. */
  status(position: number): string | undefined;
}

type Named = Pick<Provider, 'slug' | 'name'>;

const orderedCodes = ({ index, label }: z.output<typeof category>): string[] => {
  if (index === undefined || index === null) return Object.keys(label ?? {});
  return Array.isArray(index)
    ? index
    : Object.entries(index)
        .sort(([, a], [, b]) => a - b)
        .map(([code]) => code);
};

/** The cube of a payload; anything else is an unexpected reply. */
export const readCube = (provider: Named, payload: unknown): Cube => {
  const { value, status, ...cube } = readShape(provider, cubeShape, payload);
  const dimensions = cube.id.map((id, place): CubeDimension => {
    const { label, category: list } = requireValue(provider, id, cube.dimension[id]);
    const codes = orderedCodes(list).map((code) => ({ code, label: list.label?.[code] ?? code }));
    return requireValue(
      provider,
      `the size of ${id}`,
      codes.length === cube.size[place] ? { id, label: label ?? id, codes } : undefined,
    );
  });
  return {
    label: cube.label ?? undefined,
    updated: cube.updated ?? undefined,
    dimensions,
    cell: (position) => (Array.isArray(value) ? value[position] : value[String(position)]),
    status: (position) => (typeof status === 'string' ? status : (Object(status)[position] ?? undefined)),
  };
};

/** A status may repeat the word for "no value", alone or before the reason: `:`, `:c`. */
const flagOf = (status: string | undefined, missing: readonly string[]): string | undefined =>
  missing.reduce((flag, word) => flag?.replace(word, ''), status)?.trim();

/**
 * The one series of a cube: every dimension but time has one code. Positions that are not there are null.
 * `missing` are further words of the service for "no value".
 */
export const readCubeSeries = (
  provider: Named,
  seriesId: string,
  cube: Cube,
  timeDimension: string,
  missing: readonly string[] = [':'],
): Observation[] => {
  const time = requireValue(
    provider,
    `the dimension ${timeDimension}`,
    cube.dimensions.find(({ id }) => id === timeDimension),
  );
  const open = cube.dimensions.filter((dimension) => dimension !== time && dimension.codes.length > 1);
  if (open.length > 0) {
    throw ambiguousSeries(provider, seriesId, `give one code for ${open.map(({ id }) => id).join(', ')}`);
  }
  // With one code elsewhere, the position in time is the flat position, whatever the order of dimensions.
  return time.codes.map(({ code }, position) => ({
    date: requireValue(provider, 'a period', parsePeriod(code)),
    ...withFlag(readValue(cube.cell(position), missing), flagOf(cube.status(position), missing)),
  }));
};
