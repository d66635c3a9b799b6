export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** Measured number; a row of the table. */
export interface Figure {
  /** Unique within its bench and stable between runs, which are compared by it. */
  readonly name: string;
  readonly value: number;
  /** `ms`, `s`, `MB`, `MB/s`, `/s`; `×` for a ratio, `%` for a share. */
  readonly unit: string;
  readonly goal?: Goal;
  /** Direction of improvement for a figure without a goal. */
  readonly better?: 'lower' | 'higher';
  /** Reference value from the same run; a ratio means nothing without one. */
  readonly yardstick?: { readonly name: string; readonly value: number; readonly unit: string };
}

export type Verdict = 'met' | 'missed' | '';

export const verdictOf = ({ value, goal }: Pick<Figure, 'value' | 'goal'>): Verdict => {
  if (goal === undefined) return '';
  // NaN misses every goal.
  const met = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return met ? 'met' : 'missed';
};

export const directionOf = ({ goal, better }: Figure): 'lower' | 'higher' | undefined => {
  if (goal === undefined) return better;
  return 'atMost' in goal ? 'lower' : 'higher';
};

/** Rounds to three significant digits, or to a whole number from 100. */
export const roundFigure = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
