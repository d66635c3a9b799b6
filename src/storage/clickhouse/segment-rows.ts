import type { SegmentList } from '../../model/version.js';

export interface RowCondition {
  readonly sql: string;
  readonly params: Readonly<Record<string, number | readonly number[]>>;
}

/**
 * The rows of a list of segments, as a condition that the key of the table answers.
 * @param name Start of the parameters' names, where a statement reads several lists.
 * @param list Makes the list that rows must stand in out of the one that is a parameter.
 */
export const segmentRows = (
  { segmentIds, cuts = [] }: SegmentList,
  name = 'segments',
  list = (parameter: string): string => parameter,
): RowCondition => ({
  sql: [
    `_seg IN ${list(`{${name}:Array(UInt64)}`)}`,
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
