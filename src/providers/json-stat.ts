import { z } from 'zod';
import { parsePeriod } from './dates.js';
import { ambiguousSeries, unexpectedReply } from './errors.js';
import { withFlag } from './flags.js';
import { readValue } from './numbers.js';
import type { Named, Observation } from './provider.js';
import { readShape, requireValue } from './shape.js';

/**
 * JSON-stat 2.0: a cube as one flat list, in row-major order of the dimensions `id` with lengths `size`. `value` is a list, or a sparse map
 * from position to value; a missing position has no value.
 */
const category = z.object({
  /** Position by code, or the codes in order; missing if there is only one code. */
  index: z.union([z.record(z.string(), z.number().int()), z.array(z.string())]).nullish(),
  label: z.record(z.string(), z.string()).nullish(),
});

/** A list, or a map from position. A cube may have millions of cells, so a cell is validated when it is read. */
const cells = z.custom<Readonly<Record<number, unknown>>>(
  (given) => typeof given === 'object' && given !== null,
);

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
    status: z.union([z.string(), cells]).nullish(),
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
    cell: (position) => {
      const cell = value[position];
      if (cell === null || cell === undefined || typeof cell === 'string' || typeof cell === 'number')
        return cell;
      throw unexpectedReply(provider, `'value.${position}' is not as expected`);
    },
    status: (position) => {
      const code = typeof status === 'string' ? status : (status?.[position] ?? undefined);
      if (code === undefined || typeof code === 'string') return code;
      throw unexpectedReply(provider, `'status.${position}' is not as expected`);
    },
  };
};

/** A status may repeat the word for "no value", alone or before the reason: `:`, `:c`. */
const flagOf = (status: string | undefined, missing: readonly string[]): string | undefined =>
  missing.reduce((flag, word) => flag?.replace(word, ''), status)?.trim();

/** Eurostat counts deaths of a year whose week is not known in week 99; they have no date. */
const isUnknownWeek = (code: string): boolean => /^\d{4}-?W99$/.test(code);

interface CubeSeries {
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

/** Positions of the combinations of codes of all dimensions except time, whose position is 0. */
function* combinationsOf(dimensions: readonly CubeDimension[], timePlace: number): Generator<number[]> {
  const lengths = dimensions.map(({ codes }, place) => (place === timePlace ? 1 : codes.length));
  const count = lengths.reduce((product, length) => product * length, 1);
  for (let index = 0; index < count; index += 1) {
    let rest = index;
    yield lengths
      .toReversed()
      .map((length) => {
        const position = rest % length;
        rest = Math.floor(rest / length);
        return position;
      })
      .reverse();
  }
}

/** Reader of the series of a cube. */
interface CubeReader {
  /** The series at a position in each dimension; that of time is ignored. Missing cells are null. */
  seriesAt(places: readonly number[]): readonly Observation[];
  /** All series: one for each combination of codes of the dimensions except time. A cube may have millions. */
  all(): Generator<CubeSeries>;
}

/** @param missing Further words of the service for "no value". */
export const createCubeReader = (
  provider: Named,
  cube: Cube,
  timeDimension: string,
  missing: readonly string[] = [':'],
): CubeReader => {
  const timePlace = cube.dimensions.findIndex(({ id }) => id === timeDimension);
  const time = requireValue(provider, `the dimension ${timeDimension}`, cube.dimensions[timePlace]);
  const strides = stridesOf(cube.dimensions);
  const periods = cellsOf(cube) === 0 ? [] : time.codes;
  const dates = periods.map(({ code }) =>
    isUnknownWeek(code) ? undefined : requireValue(provider, 'a period', parsePeriod(code)),
  );
  const step = strides[timePlace] ?? 1;
  const seriesAt = (places: readonly number[]): Observation[] => {
    const first = places.reduce(
      (sum, position, place) => (place === timePlace ? sum : sum + position * (strides[place] ?? 1)),
      0,
    );
    return dates.flatMap((date, index): Observation[] => {
      if (date === undefined) return [];
      const position = first + index * step;
      const value = readValue(cube.cell(position), missing);
      return [{ date, ...withFlag(value, flagOf(cube.status(position), missing)) }];
    });
  };
  return {
    seriesAt,
    *all() {
      for (const places of combinationsOf(cube.dimensions, timePlace)) {
        yield { places, data: seriesAt(places) };
      }
    },
  };
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
  const [series] = createCubeReader(provider, cube, timeDimension).all();
  return series?.data ?? [];
};
