import type { SegmentList } from '../../model/version.js';
import type { QueryParams } from './client.js';

export interface RowCondition {
  readonly sql: string;
  readonly params: QueryParams;
}

/**
 * The rows of a list of segments, as a condition that the key of the table answers.
 * @param name Start of the parameters' names, where a statement reads several lists.
 */
export const segmentRows = ({ segmentIds, cuts = [] }: SegmentList, name = 'segments'): RowCondition => ({
  sql: [
    `_seg IN {${name}:Array(UInt64)}`,
    ...cuts.map((_, at) => `(_seg != {${name}Cut${at}:UInt64} OR _row < {${name}Rows${at}:UInt64})`),
  ].join(' AND '),
  params: {
    [name]: segmentIds,
    ...Object.fromEntries(
      cuts.flatMap(({ segmentId, rows }, at) => [
        [`${name}Cut${at}`, segmentId],
        [`${name}Rows${at}`, rows],
      ]),
    ),
  },
});
