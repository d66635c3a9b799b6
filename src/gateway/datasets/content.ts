import { AppError, invalid } from '../../lib/errors.js';
import { orAborted } from '../../lib/or-aborted.js';
import type { GatewayCaller } from '../caller.js';
import type { Gateway } from '../gateway.js';
import type { SeriesAnswer } from '../series-answer.js';
import type { DescribedAnswer } from './described-series.js';
import { panelColumns, panelCsv, type SeriesColumn, seriesColumns, seriesCsv } from './series-csv.js';
import type { SeriesSource } from './series-dataset-records.js';
import type { WantedSeries } from './wanted-series.js';

/** The series of a dataset. */
export type Wanted = Pick<SeriesSource, 'series' | 'withFlags' | 'isPanel'> & {
  readonly slug: string;
};

/** Content of a dataset made of series. */
export interface Content {
  readonly csv: Buffer;
  readonly columns: readonly SeriesColumn[];
  readonly hasRows: boolean;
  /** One for each series. */
  readonly answers: readonly (DescribedAnswer & Pick<SeriesAnswer, 'stale' | 'ageSeconds'>)[];
}

/** Runs the work until the process stops. The upstream's answer is then only cached. */
const unlessStopped = <T>(work: () => Promise<T>, stop: AbortSignal | undefined): Promise<T> =>
  stop === undefined ? work() : orAborted(work, stop);

/** Requests the series one by one, so that a dataset of many waits for its turns like every caller. */
export const fetchContent = async (
  gateway: Pick<Gateway, 'fullSeries' | 'panel'>,
  caller: GatewayCaller,
  { slug, series, withFlags, isPanel }: Wanted,
  stop?: AbortSignal,
): Promise<Content> => {
  if (isPanel) {
    const [one, ...others] = series;
    if (one === undefined || others.length > 0) {
      throw invalid('invalid_parameter', `A panel is made of one id; leave 'seriesIds' out.`, {
        parameter: 'seriesIds',
      });
    }
    const answer = await unlessStopped(() => gateway.panel(caller, slug, one.id, one.params), stop);
    const { label, metadata, missing } = answer.panel;
    // A version without a series would look as if its rows had been deleted.
    if (missing !== undefined) {
      const text = `A panel that is kept must have all of its series: ${slug} does not know '${missing.join("', '")}'.`;
      throw new AppError('not_found', 'series_not_found', text, { details: { provider: slug, missing } });
    }
    return {
      csv: panelCsv(answer.panel, withFlags),
      columns: panelColumns(answer.panel, withFlags),
      hasRows: answer.panel.series.some(({ data }) => data.length > 0),
      answers: [{ ...answer, name: one.name, label, metadata }],
    };
  }
  const answers: (SeriesAnswer & Pick<WantedSeries, 'name'>)[] = [];
  for (const { name, id, params } of series) {
    const answer = await unlessStopped(() => gateway.fullSeries(caller, slug, id, params), stop);
    answers.push({ ...answer, name });
  }
  const hasRows = answers.some(({ data }) => data.length > 0);
  return { csv: seriesCsv(answers, withFlags), columns: seriesColumns(withFlags), hasRows, answers };
};
