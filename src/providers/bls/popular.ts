/** The API returns the ids of popular series, without names. */
export const popularSeries: readonly { readonly id: string; readonly label: string }[] = [
  { id: 'LNS14000000', label: 'Unemployment rate, seasonally adjusted' },
  {
    id: 'CUUR0000SA0',
    label: 'Consumer price index, all urban consumers, U.S. city average, all items, not seasonally adjusted',
  },
  {
    id: 'CUSR0000SA0',
    label: 'Consumer price index, all urban consumers, U.S. city average, all items, seasonally adjusted',
  },
  {
    id: 'CUSR0000SA0L1E',
    label: 'Consumer price index, all items less food and energy (core inflation), seasonally adjusted',
  },
  { id: 'CES0000000001', label: 'All employees, total nonfarm, thousands, seasonally adjusted' },
  { id: 'CES0500000003', label: 'Average hourly earnings of all employees, total private' },
  { id: 'LNS11300000', label: 'Labor force participation rate, seasonally adjusted' },
  { id: 'LNS12300000', label: 'Employment-population ratio, seasonally adjusted' },
  { id: 'WPUFD4', label: 'Producer price index, final demand, not seasonally adjusted' },
  { id: 'JTS000000000000000JOL', label: 'Job openings, total nonfarm, seasonally adjusted' },
  { id: 'PRS85006092', label: 'Nonfarm business labor productivity, percent change at annual rate' },
  { id: 'APU0000701111', label: 'Flour, white, all purpose, per lb., U.S. city average, average price' },
];

export const popularLabels: ReadonlyMap<string, string> = new Map(
  popularSeries.map(({ id, label }) => [id, label]),
);
