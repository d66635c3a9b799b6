/** Goal of a figure. */
export type Goal = { readonly atMost: number } | { readonly atLeast: number };

/** One measured number, a row of the table. */
export interface Figure {
  /** Unique within its bench and kept from run to run: a later run is compared by it. */
  readonly name: string;
  readonly value: number;
  /** `ms`, `s`, `MB`, `MB/s`, `/s`; `×` for a ratio, `%` for a share. */
  readonly unit: string;
  readonly goal?: Goal;
  /** Direction of improvement where there is no goal to tell it. */
  readonly better?: 'lower' | 'higher';
  /** Yardstick of the same run; a ratio without one means nothing. */
  readonly yardstick?: { readonly name: string; readonly value: number; readonly unit: string };
}

export type Verdict = 'met' | 'missed' | '';

export const verdictOf = ({ value, goal }: Pick<Figure, 'value' | 'goal'>): Verdict => {
  if (goal === undefined) return '';
  // A value that is not a number has met nothing.
  const met = 'atMost' in goal ? value <= goal.atMost : value >= goal.atLeast;
  return met ? 'met' : 'missed';
};

export const directionOf = ({ goal, better }: Figure): 'lower' | 'higher' | undefined => {
  if (goal === undefined) return better;
  return 'atMost' in goal ? 'lower' : 'higher';
};

/** Three significant digits, whole numbers above 100. */
export const roundFigure = (value: number): number =>
  Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
