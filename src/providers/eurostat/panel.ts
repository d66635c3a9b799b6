import { invalid } from '../../lib/errors.js';
import { runSliced, type Steps } from '../../lib/time-slicing.js';
import { isSeriesMissing } from '../errors.js';
import { type Cube, cellsOf, createCubeReader, readCube } from '../json-stat.js';
import type { Params } from '../parameter.js';
import type { Context, PanelData } from '../provider.js';
import { withinBounds } from '../range.js';
import { isOpen, namedCodes } from '../sdmx/open-key.js';
import type { Dimension } from '../sdmx/structure.js';
import { keyNotFound } from '../series-key.js';
import { metadataOf, withoutEmptyTwins } from './cube.js';
import { hasCode, openId } from './dimensions.js';
import { named, timeDimension } from './named.js';

/** Maximum cells of a cube that are searched for values. */
const maxCells = 1_000_000;

/** A few codes contain a plus. */
const isOpenIn = (dimension: Dimension, part: string): boolean =>
  isOpen(part) && !(dimension.codes.size > 0 && dimension.codes.has(part));

/** Series that have values, with their codes in the dimensions at `places`. */
function* seriesOf(
  cube: Cube,
  places: readonly number[],
  params: Params,
): Steps<PanelData['series'][number][]> {
  const series = [];
  for (const one of createCubeReader(named, cube, timeDimension).all()) {
    yield;
    // Most combinations of codes have no data.
    if (one.data.every(({ value }) => value === null)) continue;
    const chosen = places.map((place) => cube.dimensions[place]?.codes[one.places[place] ?? 0]);
    const data = withoutEmptyTwins(one.data);
    series.push({
      codes: chosen.map((code) => code?.code ?? ''),
      labels: chosen.map((code) => code?.label ?? ''),
      data: withinBounds({ label: '', metadata: {}, data }, params).data,
    });
  }
  return series;
}

/** Several series from one request: positions of the key that are empty, a star, or codes joined with `+` are open. */
export const panel = async (seriesId: string, params: Params, ctx: Context): Promise<PanelData> => {
  const { dataset, dimensions, codes } = await openId(seriesId, ctx);
  const parts = dimensions.map((dimension, place) => {
    const part = codes[place] ?? '';
    const open = isOpenIn(dimension, part);
    return { dimension, open, named: open ? namedCodes(part) : [part] };
  });
  for (const [place, { dimension, named: wanted = [] }] of parts.entries()) {
    const unknown = wanted.find((code) => !hasCode(dimension, code));
    if (unknown !== undefined) throw keyNotFound(named, seriesId, dimensions, codes.with(place, unknown));
  }
  const nothing = () =>
    keyNotFound(
      named,
      seriesId,
      dimensions,
      codes.map(() => ''),
    );
  const query = Object.fromEntries(parts.map(({ dimension, named: wanted }) => [dimension.id, wanted]));
  const payload = await ctx.http
    .json({
      path: ['statistics', '1.0', 'data', dataset],
      query: { format: 'JSON', lang: 'EN', ...query },
    })
    .catch((error: unknown) => {
      throw isSeriesMissing(error) ? nothing() : error;
    });
  const cube = readCube(named, payload);
  const cells = cellsOf(cube);
  if (cells > maxCells) {
    throw invalid(
      'panel_too_large',
      `'${seriesId}' of ${named.name} has ${cells} cells; a panel has at most ${maxCells}. Name fewer codes.`,
      { provider: named.slug, cells, limit: maxCells },
    );
  }
  const open = parts.flatMap(({ dimension, open: isOne }) => (isOne ? [dimension] : []));
  const places = open.map(({ id }) => cube.dimensions.findIndex((one) => one.id === id));
  const series = await runSliced(seriesOf(cube, places, params));
  if (series.length === 0) throw nothing();
  const fixed = cube.dimensions.flatMap(({ id, codes: [one] }) =>
    one === undefined || id === timeDimension || open.some((dimension) => dimension.id === id)
      ? []
      : [one.label],
  );
  return {
    label: [cube.label ?? dataset, fixed.join(' - ')].filter((text) => text !== '').join(': '),
    metadata: metadataOf(
      cube,
      payload,
      series.flatMap(({ data }) => data),
    ),
    dimensions: open.map(({ id, label }) => ({ id, label })),
    series,
  };
};
