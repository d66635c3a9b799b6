/** CSV like that of statistics offices: a date, two texts, three numbers; about 63 bytes a row. */
const countries = [
  'Germany',
  'France',
  'United Kingdom',
  'Spain',
  'Italy',
  'Norway',
  'Sweden',
  'Czechia',
  'Österreich',
];
const sectors = ['Agriculture and forestry', 'Industry', 'Construction', 'Trade', 'Information'];

export const csvHeader = 'date,country,sector,value,volume,share\n';

/** Linear congruential generator, so that every machine has the same file. */
const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
};

export interface RowOptions {
  readonly seed?: number;
  /** Puts every field in quotes. */
  readonly quoted?: boolean;
  /** Writes numbers with 16 or 17 digits, as languages print doubles. */
  readonly longNumbers?: boolean;
}

/** Rows without the header. */
export const generateRows = (rows: number, options: RowOptions = {}): Buffer => {
  const random = createRandom(options.seed ?? 1);
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const day = new Date(Date.UTC(1990, 0, 1 + Math.floor(random() * 11_000))).toISOString().slice(0, 10);
    const country = countries[Math.floor(random() * countries.length)];
    const sector = `${sectors[Math.floor(random() * sectors.length)]}-${Math.floor(random() * 1000)}`;
    const value = options.longNumbers
      ? String((random() + random() / 2 ** 32) * 1e6)
      : (random() * 1e6).toFixed(2);
    const volume = Math.floor(random() * 1e8);
    const share = options.longNumbers ? String(random() / 3) : random().toFixed(6);
    const fields = [day, country, sector, value, volume, share];
    lines.push(options.quoted ? `"${fields.join('","')}"\n` : `${fields.join(',')}\n`);
  }
  return Buffer.from(lines.join(''));
};

/** Rows of numbers only. */
export const generateWideRows = (rows: number, columns: number): Buffer => {
  const random = createRandom(2);
  const line = (): string => Array.from({ length: columns }, () => (random() * 1e4).toFixed(2)).join(',');
  return Buffer.from(Array.from({ length: rows }, () => `${line()}\n`).join(''));
};
