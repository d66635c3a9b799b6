/** A series of a dataset, as its provider described it at the last refresh. */
export interface DescribedSeries {
  /** Value of the column Series. */
  readonly name: string;
  /** Slug of the provider. */
  readonly provider: string;
  readonly seriesId: string;
  /** Given parameters, and the provider's defaults, such as country and units. */
  readonly params: Readonly<Record<string, string | number>>;
  readonly label: string;
  /** Unit of a value times `unitMultiplier`; null: unknown. */
  readonly unit: string | null;
  readonly unitMultiplier: number | null;
  readonly source: string;
  readonly license: string | null;
  /** Sentence that the terms of the provider require with the data. */
  readonly attribution: string | null;
  /** Meanings of the flags of its observations. */
  readonly flags: Readonly<Record<string, string>>;
}
