/** Bounds on what one filter may ask for, each with a clear error, and what its language allows. */
export interface FilterLimits {
  /** Longest text, in bytes of UTF-8. @default 65536 */
  readonly maxBytes: number;
  /** Deepest nesting of parentheses, calls, `not`, minus signs and unparenthesised arithmetic. @default 200 */
  readonly maxDepth: number;
  /** Most values in one `in (…)`. @default 1000 */
  readonly maxInTerms: number;
  /** Most steps of work that grows faster than the text, such as telling names of very many lengths apart. @default 1200000 */
  readonly maxWork: number;
  /** Longest SQL that may come out, in characters. @default 4194304 */
  readonly maxSqlLength: number;
  /**
   * Whether numbers that are compared with a column beyond the digits of a double may be quoted, for protocols that show such
   * columns as texts. @default false
   */
  readonly numbersInQuotes: boolean;
}

export const defaultLimits: FilterLimits = {
  maxBytes: 65_536,
  maxDepth: 200,
  maxInTerms: 1_000,
  maxWork: 1_200_000,
  maxSqlLength: 4_194_304,
  numbersInQuotes: false,
};
