/** Limits of one filter, and options of its language. */
export interface FilterLimits {
  /** Longest text, in bytes of UTF-8. @default 65536 */
  readonly maxBytes: number;
  /** Deepest nesting of parentheses, calls, `not`, minus signs and unparenthesised arithmetic. @default 200 */
  readonly maxDepth: number;
  /** Most values in one `in (…)`. @default 1000 */
  readonly maxInTerms: number;
  /** Most steps of work that grows faster than the text, such as matching column names of many lengths. @default 1200000 */
  readonly maxWork: number;
  /** Longest generated SQL, in characters. @default 4194304 */
  readonly maxSqlLength: number;
  /**
   * Allows quoted numbers in comparisons with exact decimal columns, for protocols that show such columns as text.
   * @default false
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
