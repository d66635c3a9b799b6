/** A file like those of statistics offices: a date, two texts, three numbers; about 63 bytes a row. */
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

/** Linear congruential generator: the same file on every machine. */
const createRandom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
};

/** Rows without the header; `quoted` puts every field in quotes. */
export const generateRows = (rows: number, options: { seed?: number; quoted?: boolean } = {}): Buffer => {
  const random = createRandom(options.seed ?? 1);
  const lines: string[] = [];
  for (let row = 0; row < rows; row++) {
    const day = new Date(Date.UTC(1990, 0, 1 + Math.floor(random() * 11_000))).toISOString().slice(0, 10);
    const country = countries[Math.floor(random() * countries.length)];
    const sector = `${sectors[Math.floor(random() * sectors.length)]}-${Math.floor(random() * 1000)}`;
    const value = (random() * 1e6).toFixed(2);
    const volume = Math.floor(random() * 1e8);
    const share = random().toFixed(6);
    const fields = [day, country, sector, value, volume, share];
    lines.push(options.quoted ? `"${fields.join('","')}"\n` : `${fields.join(',')}\n`);
  }
  return Buffer.from(lines.join(''));
};
