/** A series that a dataset is made of, as its provider described it with the last refresh. */
export interface DescribedSeries {
  /** Value of the column Series. */
  readonly name: string;
  /** Slug. */
  readonly provider: string;
  readonly seriesId: string;
  /** Given parameters and the defaults of the provider, such as country and units. */
  readonly params: Readonly<Record<string, string | number>>;
  readonly label: string;
  /** Unit of a value times `unitMultiplier`; null: the provider does not say. */
  readonly unit: string | null;
  readonly unitMultiplier: number | null;
  readonly source: string;
  readonly license: string | null;
  /** The sentence that the terms of the provider ask to show with the data. */
  readonly attribution: string | null;
  /** Meanings of the flags of its observations. */
  readonly flags: Readonly<Record<string, string>>;
}
