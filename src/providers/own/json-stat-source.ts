import { ambiguousSeries, seriesNotFound } from '../errors.js';
import { legendOf } from '../flags.js';
import { type Cube, createCubeReader, readCube } from '../json-stat.js';
import { toMetadata } from '../metadata.js';
import type { Observation, Provider } from '../provider.js';
import { unitOfText } from '../units.js';
import { type Base, createListedSource } from './listed-source.js';
import type { JsonStatRecord } from './record.js';

type JsonStatSeries = JsonStatRecord['series'][number];

/** The series selected by the record's codes, or the only one of the cube. */
const readChosen = (
  base: Base,
  { missing, timeDimension }: JsonStatRecord,
  { id, codes }: JsonStatSeries,
  cube: Cube,
): readonly Observation[] => {
  const time = timeDimension ?? cube.timeDimension ?? 'time';
  const wanted = new Map(
    Object.entries(codes).map(([name, code]) => {
      const found = cube.dimensions.find((dimension) => dimension.id === name);
      return [name, found?.codes.findIndex((one) => one.code === code) ?? -1];
    }),
  );
  if ([...wanted.values()].includes(-1)) throw seriesNotFound(base, id);
  const open = cube.dimensions.filter(
    ({ id: name, codes: all }) => name !== time && all.length > 1 && codes[name] === undefined,
  );
  if (open.length > 0) {
    const names = open.map(({ id: name }) => name).join(', ');
    throw ambiguousSeries(base, id, `its record must name a code for ${names}`);
  }
  return createCubeReader(base, cube, time, missing).seriesAt(
    cube.dimensions.map(({ id: name }) => wanted.get(name) ?? 0),
  );
};

/** A source whose series are in JSON-stat cubes at fixed addresses. */
export const createJsonStatSource = (base: Base, record: JsonStatRecord): Provider =>
  createListedSource(base, record.series, async (series, { http }) => {
    const payload = await http.json({
      path: series.path.split('/'),
      query: series.query,
      // Several series are in one cube, and the range is selected here.
      keep: 'series',
    });
    const cube = readCube(base, payload);
    const data = readChosen(base, record, series, cube);
    return {
      label: series.label,
      metadata: toMetadata({
        frequency: series.frequency,
        ...unitOfText(series.unit),
        source: record.provider,
        dataset: cube.label,
        notes: series.description,
        last_update: cube.updated,
        flags: legendOf(data, record.flags),
      }),
      data,
    };
  });
