/** Regions of the sample, with the relative size of their electricity systems. */
const regions = [
  ['North', 1.0],
  ['South', 1.6],
  ['East', 0.7],
  ['West', 1.3],
  ['Islands, offshore', 0.2],
] as const;

/** Sources: initial share, its change per year, seasonal swing (positive: high in winter). */
const sources = [
  ['Coal', 0.42, -0.013, 0.1],
  ['Natural gas', 0.24, 0.003, 0.2],
  ['Nuclear', 0.2, -0.004, 0.02],
  ['Hydro', 0.09, 0.0005, -0.25],
  ['Wind', 0.02, 0.009, 0.3],
  ['Solar', 0.001, 0.006, -0.6],
] as const;

const firstYear = 1998;
const years = 28;

/** Small deterministic noise in [-1, 1): a linear congruential generator (constants of Numerical Recipes). */
const createNoise = (): (() => number) => {
  let state = 20_260_101;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 31 - 1;
  };
};

/**
 * A made-up but plausible statistical table: monthly electricity generation by region and source, 10,080 rows.
 * The same text at every call. Columns: Date, Region, Source, Generation (GWh), Share (%).
 */
export const sampleTable = (): string => {
  const noise = createNoise();
  const lines = ['Date,Region,Source,Generation (GWh),Share (%)'];
  for (let month = 0; month < years * 12; month += 1) {
    const year = month / 12;
    const season = Math.cos((month % 12) * (Math.PI / 6));
    const date = `${firstYear + Math.floor(year)}-${String((month % 12) + 1).padStart(2, '0')}-01`;
    for (const [region, size] of regions) {
      const amounts = sources.map(([, share, drift, swing]) => {
        const level = Math.max(share + drift * year, 0.0005) * (1 + swing * season) * (1 + 0.05 * noise());
        return Math.max(4_000 * size * (1 + 0.01 * year) * level, 0);
      });
      const total = amounts.reduce((sum, amount) => sum + amount, 0);
      for (const [index, [source]] of sources.entries()) {
        const amount = amounts[index] ?? 0;
        // As in real tables, not every region has values from the beginning.
        const missing = region.startsWith('Islands') && year < 3;
        const cells = missing ? ',' : `${amount.toFixed(1)},${((100 * amount) / total).toFixed(2)}`;
        lines.push(`${date},${region.includes(',') ? `"${region}"` : region},${source},${cells}`);
      }
    }
  }
  return `${lines.join('\n')}\n`;
};
