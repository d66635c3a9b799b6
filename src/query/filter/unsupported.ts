import type { AppError } from '../../lib/errors.js';
import { excerpt, type Failures } from './failure.js';

/** Valid OData that is not supported, recognised in the position of an operand so that the error can name it. */
const constructs: readonly (readonly [pattern: RegExp, what: (match: string) => string, hint?: string])[] = [
  [/\$(?:it|this|root)\b/y, (match) => `${match} is`, 'write the column name alone'],
  [/@[\p{L}_][\p{L}\p{N}_.]*/uy, (match) => `parameter aliases and annotations (${match}) are`],
  [/geo\.\w+(?=\()/iy, (match) => `the geographic function ${match} is`],
  [
    /(?:geography|geometry|binary|duration|date|datetime|datetimeoffset|time|timeofday|guid|X)(?=')/iy,
    (match) => `${match}'…' literals are`,
    "write text as '…' and dates as 2020-01-31",
  ],
  [
    /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+(?=')/uy,
    (match) => `enumeration literals (${match}'…') are`,
  ],
  [/(?:cast|isof)(?=\s*\()/iy, (match) => `${match} is`],
  [/(?:any|all)(?=\s*\()/iy, (match) => `the lambda operator ${match} is`],
  [
    /[\p{L}_$][\p{L}\p{N}_.$/]*\/(?:any|all)(?=\s*\()/iuy,
    (match) => `lambda operators (${match}) are`,
    'a column whose name holds a slash is written in brackets: [a/b]',
  ],
  [/case(?=\s*\()/iy, (match) => `the function ${match} is`],
  [
    /(?:hour|minute|second|fractionalseconds?|date|time|totaloffsetminutes|totalseconds|now|maxdatetime|mindatetime)(?=\s*\()/iy,
    (match) => `the time function ${match} is`,
    'dates have no time of day: ask for year, quarter, month, week or day',
  ],
  [/(?:hassubset|hassubsequence)(?=\()/iy, (match) => `the collection function ${match} is`],
  [/matchespattern(?=\()/iy, (match) => `the function ${match} is`, 'use contains, startswith or endswith'],
  [/substringof(?=\()/iy, (match) => `the function ${match} of OData 3 is`, 'use contains(text, part)'],
  [/-?INF\b|NaN\b/y, (match) => `the number ${match} is`],
  [
    /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}_][\p{L}\p{N}_]*)+(?=\()/uy,
    (match) => `functions of a service's own (${match}) are`,
  ],
  [/\{/y, () => 'complex values (JSON objects) are'],
  [/[\dA-Fa-f]{8}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{4}-[\dA-Fa-f]{12}/y, () => 'GUID literals are'],
  [/[+-]?\d{4,}-\d{2}-\d{2}T/y, () => 'date-time literals are', 'write the day alone, as 2020-01-31'],
  [/\d{4}-\d{2}-\d{2}[+-]/y, () => 'dates with a time zone are'],
  [/[+-]\d{4,}-\d{2}-\d{2}/y, () => 'dates outside of the years 1 to 9999 are'],
  [
    /[+-]?P(?=\d+D|T\d)(?:\d+D)?(?:T(?:\d+H)?(?:\d+M)?(?:\d+(?:\.\d+)?S)?)?(?![\p{L}\p{N}_])/uy,
    () => 'duration literals are',
  ],
  [/\d{1,2}:\d{2}/y, () => 'times of day are'],
  [
    /[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?[dDfFlLmM](?![\p{L}\p{N}_])/uy,
    (match) => `the number suffix in ${match} is`,
    'write the number without it',
  ],
  [
    /[\p{L}_$][\p{L}\p{N}_.$]*(?:\/[@$\p{L}_][\p{L}\p{N}_.$@]*)+/uy,
    (match) => `navigation paths (${match}) are`,
    'a column whose name holds a slash is written in brackets: [a/b]',
  ],
];

/** Characters that are searched: enough to name the construct. */
const longestConstruct = 300;

export const diagnoseOperand = (text: string, offset: number, failures: Failures): AppError | undefined => {
  const piece = text.slice(offset, offset + longestConstruct);
  for (const [pattern, what, hint] of constructs) {
    pattern.lastIndex = 0;
    const match = pattern.exec(piece);
    if (match) return failures.unsupported(offset, what(excerpt(match[0])), hint);
  }
  return undefined;
};
