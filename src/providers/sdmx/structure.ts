/** Flows, dimensions and their codes, for SDMX 2.1 and 3.0. */
import type { SeriesData } from '../provider.js';

export type Codes = ReadonlyMap<string, string>;

export interface Dimension {
  readonly id: string;
  readonly label: string;
  /** Codes in the order of the list; empty if the dimension has none. */
  readonly codes: Codes;
}

export interface Structure {
  /** In the order of the key, without time. */
  readonly dimensions: readonly Dimension[];
  /** Code lists of attributes, by attribute id. */
  readonly attributes: ReadonlyMap<string, Codes>;
}

/** Returns the label of a code of a dimension or attribute; undefined: none. */
export type Spell = (id: string, code: string) => string | undefined;

export const spellWith =
  (structure: Structure | undefined): Spell =>
  (id, code) =>
    structure?.dimensions.find((one) => one.id === id)?.codes.get(code) ??
    structure?.attributes.get(id)?.get(code);

/** A series whose structure could not be read: its codes replace their labels. */
export const withoutNames = (series: SeriesData): SeriesData => ({
  ...series,
  metadata: {
    ...series.metadata,
    labels_note: 'The names of the codes could not be read; the label consists of codes.',
  },
});

const frequencies: Readonly<Record<string, string>> = {
  A: 'Annual',
  S: 'Half-yearly',
  H: 'Half-yearly',
  T: 'Every four months',
  Q: 'Quarterly',
  M: 'Monthly',
  W: 'Weekly',
  D: 'Daily',
  B: 'Daily, business days',
  N: 'Every minute',
  I: 'Irregular',
};

export const frequencyLabel = (code: string | undefined): string | undefined =>
  code === undefined || code === '' ? undefined : (frequencies[code] ?? code);
