import { z } from 'zod';
import { parsePeriod } from './dates.js';
import { ambiguousSeries } from './errors.js';
import { withFlag } from './flags.js';
import { readValue } from './numbers.js';
import type { Named, Observation } from './provider.js';
import { readShape, requireValue, written } from './shape.js';

/**
 * JSON-stat 2.0: a cube as one flat list, in row-major order of the dimensions `id` with lengths `size`. `value` is a list, or a sparse map
 * from position to value; a missing position has no value.
 */
const category = z.object({
  /** Position by code, or the codes in order; missing if there is only one code. */
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
    role: z.object({ time: z.array(z.string()).nullish() }).nullish(),
    value: cells,
    /** Status codes: by position, in order, or one for all values. */
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
  /** Dimension of periods, if the service names it. */
  readonly timeDimension: string | undefined;
  /** The cell at a position; undefined: missing. */
  cell(position: number): string | number | null | undefined;
  /** The status code at a position; undefined: none. */
  status(position: number): string | undefined;
}

const orderedCodes = ({ index, label }: z.output<typeof category>): string[] => {
  if (index === undefined || index === null) return Object.keys(label ?? {});
  return Array.isArray(index)
    ? index
    : Object.entries(index)
        .sort(([, a], [, b]) => a - b)
        .map(([code]) => code);
};

/** Parses the cube in a payload; anything else is an unexpected reply. */
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
    timeDimension: cube.role?.time?.[0],
    cell: (position) => (Array.isArray(value) ? value[position] : value[String(position)]),
    status: (position) => (typeof status === 'string' ? status : (Object(status)[position] ?? undefined)),
  };
};

/** A status may repeat the word for "no value", alone or before the reason: `:`, `:c`. */
const flagOf = (status: string | undefined, missing: readonly string[]): string | undefined =>
  missing.reduce((flag, word) => flag?.replace(word, ''), status)?.trim();

/** Eurostat counts deaths of a year whose week is not known in week 99; they have no date. */
const isUnknownWeek = (code: string): boolean => /^\d{4}-?W99$/.test(code);

export interface CubeSeries {
  /** Position of its code in each dimension; 0 for time. */
  readonly places: readonly number[];
  readonly data: readonly Observation[];
}

/** Distance of two adjacent codes of a dimension in the flat list. */
const stridesOf = (dimensions: readonly CubeDimension[]): number[] =>
  dimensions.map((_, place) =>
    dimensions.slice(place + 1).reduce((product, { codes }) => product * codes.length, 1),
  );

/** Number of cells of a cube, with or without values. */
export const cellsOf = ({ dimensions }: Cube): number =>
  dimensions.reduce((product, { codes }) => product * codes.length, 1);

/**
 * All series of a cube: one for each combination of codes of the dimensions except time. Missing positions are null. `missing` are further
 * words of the service for "no value".
 */
export const readCubeAll = (
  provider: Named,
  cube: Cube,
  timeDimension: string,
  missing: readonly string[] = [':'],
): CubeSeries[] => {
  const timePlace = cube.dimensions.findIndex(({ id }) => id === timeDimension);
  const time = requireValue(provider, `the dimension ${timeDimension}`, cube.dimensions[timePlace]);
  const strides = stridesOf(cube.dimensions);
  const dates = time.codes.map(({ code }) =>
    isUnknownWeek(code) ? undefined : requireValue(provider, 'a period', parsePeriod(code)),
  );
  const step = strides[timePlace] ?? 1;
  const combinations = cube.dimensions.reduce<number[][]>(
    (before, { codes }, place) =>
      place === timePlace
        ? before.map((places) => [...places, 0])
        : before.flatMap((places) => codes.map((_, position) => [...places, position])),
    [[]],
  );
  return combinations.map((places) => {
    const first = places.reduce((sum, position, place) => sum + position * (strides[place] ?? 1), 0);
    const data = dates.flatMap((date, index): Observation[] => {
      if (date === undefined) return [];
      const position = first + index * step;
      const value = readValue(cube.cell(position), missing);
      return [{ date, ...withFlag(value, flagOf(cube.status(position), missing)) }];
    });
    return { places, data };
  });
};

/** The only series of a cube in which every dimension except time has one code. */
export const readCubeSeries = (
  provider: Named,
  seriesId: string,
  cube: Cube,
  timeDimension: string,
): readonly Observation[] => {
  const open = cube.dimensions.filter(({ id, codes }) => id !== timeDimension && codes.length > 1);
  const hasTime = cube.dimensions.some(({ id }) => id === timeDimension);
  if (hasTime && open.length > 0) {
    throw ambiguousSeries(provider, seriesId, `give one code for ${open.map(({ id }) => id).join(', ')}`);
  }
  return readCubeAll(provider, cube, timeDimension)[0]?.data ?? [];
};
