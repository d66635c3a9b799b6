import { z } from 'zod';
import { pick } from '../../lib/pick.js';
import { parsePeriod } from '../dates.js';
import { sdmxFlag, withFlag } from '../flags.js';
import { readValue } from '../numbers.js';
import type { Named, Observation } from '../provider.js';
import { indexGroups } from '../sdmx/groups.js';
import { newestUnit, unitIds } from '../sdmx/newest-unit.js';
import { listOf, readShape, requireValue, written } from '../shape.js';

/**
 * Data of SDMX-JSON 2.0. Keys are positions: `"0:2:1"` are the first value of the first dimension, the third of the
 * second …; an observation is its value, then one cell per attribute, each a position or the value itself.
 */
/** Positions, values, or other structures (several values, texts by language), which are ignored. */
const attributeCells = listOf(z.unknown());
const text = z.union([z.string(), z.number().transform(String)]).nullish();
const component = z.object({
  id: z.string(),
  values: listOf(z.object({ id: text, value: text.catch(undefined) }).nullable()),
});
const components = listOf(component);

/** The value, then attributes. */
const observation = z.tuple([written], z.unknown());
export const statusIds = ['OBS_STATUS', 'STATUS'] as const;
const observations = z.record(z.string().regex(/^\d+$/), observation);

const dataReply = z.object({
  data: z.object({
    dataSets: z.array(
      z.object({
        structure: z.number().int().nullish(),
        attributes: attributeCells,
        // Missing if nothing matches a valid query.
        series: z
          .record(
            z.string().regex(/^\d+(:\d+)*$/),
            z.object({
              attributes: attributeCells,
              observations: observations.nullish().transform((rows) => rows ?? {}),
            }),
          )
          .nullish()
          .transform((series) => series ?? {}),
        dimensionGroupAttributes: z
          .record(z.string(), attributeCells)
          .nullish()
          .transform((groups) => groups ?? {}),
      }),
    ),
    structures: z.array(
      z.object({
        dimensions: z.object({ series: z.array(component), observation: z.array(component).length(1) }),
        attributes: z
          .object({
            dataSet: components,
            series: components,
            dimensionGroup: components,
            observation: components,
          })
          .nullish()
          .transform((found) => found ?? { dataSet: [], series: [], dimensionGroup: [], observation: [] }),
      }),
    ),
  }),
});

type Component = z.output<typeof component>;

export interface KeyedSeries {
  /** Codes by dimension id. */
  readonly key: Readonly<Record<string, string>>;
  /** Codes or texts by attribute id; missing ones are absent. Unit and exponent may be those of the observations. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly observations: readonly Observation[];
}

const wordOf = (part: Component | undefined, position: number): string | undefined => {
  const found = part?.values[position];
  return found?.id ?? found?.value ?? undefined;
};

const readAttributes = (parts: readonly Component[], cells: readonly unknown[]): Record<string, string> =>
  Object.fromEntries(
    parts.flatMap((part, index): [string, string][] => {
      const at = cells[index];
      const word = typeof at === 'number' ? wordOf(part, at) : at;
      return typeof word === 'string' && word !== '' ? [[part.id, word]] : [];
    }),
  );

const statusOf = (attributes: Readonly<Record<string, string>>): string | undefined =>
  sdmxFlag(statusIds.map((id) => attributes[id]).find((code) => code !== undefined));

/** A group's key has a position for each fixed dimension, and nothing for the others: `":::0::"`. */
const fixedBy = (group: string): [index: number, position: string][] =>
  group.split(':').flatMap((part, index): [number, string][] => (part === '' ? [] : [[index, part]]));

/** Every series of a reply. */
export const readSeries = (provider: Named, payload: unknown): KeyedSeries[] => {
  const { dataSets, structures } = readShape(provider, dataReply, payload).data;
  return dataSets.flatMap(({ structure, attributes: cellsOfAll, series, dimensionGroupAttributes }) => {
    const keyed = Object.entries(series);
    if (keyed.length === 0) return [];
    const { dimensions, attributes: found } = requireValue(
      provider,
      'a structure',
      structures[structure ?? 0],
    );
    const groupAttributes = indexGroups(
      Object.entries(dimensionGroupAttributes).map(([group, cells]) => ({
        fixed: fixedBy(group),
        attributes: readAttributes(found.dimensionGroup, cells),
      })),
    );
    const common = readAttributes(found.dataSet, cellsOfAll);
    const time = dimensions.observation[0];
    return keyed.map(([positions, { attributes, observations: rows }]): KeyedSeries => {
      const parts = positions.split(':');
      requireValue(provider, 'a key', parts.length === dimensions.series.length ? parts : undefined);
      const shared: Record<string, string> = {
        ...common,
        ...groupAttributes((index) => parts[index]),
        ...readAttributes(found.series, attributes),
      };
      const sharedUnit = pick(shared, unitIds);
      const read = Object.entries(rows).map(([position, [value, ...cellsOfRow]]) => {
        const own = readAttributes(found.observation, cellsOfRow);
        const date = requireValue(provider, 'a period', parsePeriod(wordOf(time, Number(position)) ?? ''));
        return {
          observation: { date, ...withFlag(readValue(value), statusOf(own)) },
          unit: pick({ ...sharedUnit, ...own }, unitIds),
        };
      });
      const observed = read.map(({ observation }) => observation);
      const units = read.map(({ unit }) => unit);
      const dates = observed.map(({ date }) => date);
      return {
        key: Object.fromEntries(
          dimensions.series.map((part, index) => [
            part.id,
            requireValue(provider, `a code of ${part.id}`, wordOf(part, Number(parts[index]))),
          ]),
        ),
        attributes: { ...shared, ...newestUnit(provider, units, dates) },
        observations: observed,
      };
    });
  });
};
