/** Checked values of the provider's own parameters, with defaults. */
export type Params = Readonly<Record<string, string | number>>;

export interface ParameterValue {
  readonly code: string;
  readonly label: string;
}

export interface Parameter {
  /** Name for use in the request. By convention the bounds of the range are `start` and `end`. */
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
  /** Its values are regions: the search sets it, so that `GDP Norway` finds GDP with Norway's code. */
  readonly regions?: true;
  /** True: a panel may have several of its values, as a list or `all`. Joined with semicolons. */
  readonly several?: true;
  /**
   * The upstream computes values from neighbouring ones (change, monthly average), so a range differs from the same part of the whole
   * series.
   */
  readonly computes?: true;
}
