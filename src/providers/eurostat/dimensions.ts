import { AppError } from '../../lib/errors.js';
import { ambiguousSeries, malformedSeriesId, seriesNotFound, unexpectedReply } from '../errors.js';
import type { Context } from '../provider.js';
import { isOpen } from '../sdmx/open-key.js';
import type { Dimension } from '../sdmx/structure.js';
import { readStructure } from '../sdmx21/structure.js';
import { keyNotFound } from '../series-key.js';
import { readXml } from '../xml.js';
import { named, seriesIdPlaceholder } from './named.js';

const idForm = /^([\w$-]+)\/([\w+*-]*(?:\.[\w+*-]*)*)$/;

/** The dimensions of a dataset in the order of its key, each with the codes that the dataset uses. */
export const fetchDimensions = async (dataset: string, { http }: Context): Promise<readonly Dimension[]> => {
  const { text } = await http.text({
    path: ['sdmx', '2.1', 'dataflow', 'ESTAT', dataset, '1.0'],
    query: { references: 'descendants', detail: 'referencepartial' },
    keep: 'structure',
    timeoutMs: 60_000,
  });
  const structure = readStructure(readXml(named, text));
  if (structure === undefined || structure.dimensions.length === 0) {
    throw unexpectedReply(named, 'a dataset without dimensions');
  }
  return structure.dimensions;
};

/** A dimension whose list is missing in the reply accepts any code; the service checks it. */
export const hasCode = (dimension: Dimension | undefined, code: string): boolean =>
  dimension !== undefined && (dimension.codes.size === 0 || dimension.codes.has(code));

/** Splits an id, according to the dimensions of its dataset. */
export const openId = async (seriesId: string, ctx: Context) => {
  const [, dataset, key = ''] = idForm.exec(seriesId) ?? [];
  if (dataset === undefined) throw malformedSeriesId(named, seriesId, seriesIdPlaceholder);
  const dimensions = await fetchDimensions(dataset, ctx).catch((error: unknown) => {
    throw error instanceof AppError && error.code === 'path_not_found'
      ? seriesNotFound(named, seriesId)
      : error;
  });
  const codes = key.split('.');
  if (codes.length !== dimensions.length) throw keyNotFound(named, seriesId, dimensions, codes);
  return { dataset, dimensions, codes };
};

/** Request for a series after all of its codes were checked. */
export const selectionOf = async (seriesId: string, ctx: Context) => {
  const { dataset, dimensions, codes } = await openId(seriesId, ctx);
  const unknown = codes.some(
    (code, index) => code === '' || code === '*' || !hasCode(dimensions[index], code),
  );
  if (unknown && codes.some(isOpen)) {
    throw ambiguousSeries(named, seriesId, 'give one code for each dimension');
  }
  if (unknown) throw keyNotFound(named, seriesId, dimensions, codes);
  const query = Object.fromEntries(dimensions.map(({ id }, index) => [id, codes[index] ?? '']));
  return { dataset, query };
};
