/** Checked values of the provider's own parameters, defaults filled in. */
export type Params = Readonly<Record<string, string | number>>;

export interface ParameterValue {
  readonly code: string;
  readonly label: string;
}

export interface Parameter {
  /** Name to use in the request. By convention the bounds of the range are `start` and `end`. */
  readonly key: string;
  readonly label: string;
  readonly type: 'number' | 'text' | 'select';
  readonly location: 'body' | 'query' | 'header';
  readonly default?: string | number;
  /** The allowed values; required for `select`. */
  readonly values?: readonly ParameterValue[];
  /** Required form of a `text`: `date` is YYYY, YYYY-MM or YYYY-MM-DD. */
  readonly format?: 'date';
  /** Pattern that the whole of a `text` must match, in addition to `format`. */
  readonly pattern?: RegExp;
  /** Its values are regions: the search fills it in, so that `GDP Norway` finds GDP with Norway's code. */
  readonly regions?: true;
  /** A panel may have several of its values: a list, or `all`. Joined by semicolons. */
  readonly several?: true;
  /**
   * The upstream computes values from their neighbours (change, average of a month), so that a range differs from
   * the same part of the whole series.
   */
  readonly computes?: true;
}
