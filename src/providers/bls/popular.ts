import { titledLines } from '../titled-lines.js';

export const popularSeries = titledLines('popular/bls.txt');

export const popularLabels: ReadonlyMap<string, string> = new Map(
  popularSeries.map(({ id, label }) => [id, label]),
);
