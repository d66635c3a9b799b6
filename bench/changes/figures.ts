/** Figures and goals of a changing table. */
import type { Figure } from '../support/figure.js';
import { untilQuiet } from '../support/process-stats.js';
import { inTurn } from '../support/requests.js';
import { median } from '../support/statistics.js';
import { type Changing, change, diskBytes, readVersion, upsertOf } from './changing.js';
import type { OtherDatabase } from './others.js';
import { keysOf, scattered } from './rows.js';

export const number = new Intl.NumberFormat('en-US');
const kilo = 1_000;

interface Size {
  readonly rows: number;
  readonly goalSeconds: number;
  /** Goal for bytes on disk; `ofRows` are the bytes of as many rows in the table. */
  readonly goalBytes: (ofRows: number) => number;
}

export const sizes = (largest: number): readonly Size[] => [
  { rows: 1, goalSeconds: 0.3, goalBytes: () => 100 * kilo },
  { rows: 1_000, goalSeconds: 0.5, goalBytes: () => 1_000 * kilo },
  { rows: largest, goalSeconds: 2, goalBytes: (ofRows) => 2 * ofRows },
];

/** Ratio to another database that makes the same change in the same run. */
export const ratio = (
  name: string,
  value: number,
  other: number,
  otherName: string,
  unit: string,
): Figure => ({
  name,
  value: value / other,
  unit: '×',
  better: 'lower',
  yardstick: { name: otherName, value: other, unit },
});

/** Upserts and deletes of few and many rows. */
export const changeFigures = async (
  changing: Changing,
  others: readonly OtherDatabase[],
  { size, turns, bytesPerRow }: { size: Size; turns: number; bytesPerRow: number },
): Promise<Figure[]> => {
  const { rows, goalSeconds, goalBytes } = size;
  const title = `${changing.shape.title}: upsert of ${number.format(rows)}`;
  const { product } = changing;
  const upserts = await inTurn(turns, async (turn) => {
    await untilQuiet(product);
    return upsertOf(changing, rows, turn + 1);
  });
  const deletes = await inTurn(turns, async (turn) => {
    await untilQuiet(product);
    return change(changing, keysOf(scattered(changing.shape.rows, rows, 50 + turn)), {
      mode: 'delete',
      onDuplicateKey: 'last',
    });
  });
  const seconds = median(upserts.map((one) => one.seconds));
  const bytes = median(upserts.map((one) => one.bytes));
  const bytesGoal = { atMost: goalBytes(rows * bytesPerRow) / kilo };
  const figures: Figure[] = [
    { name: title, value: seconds, unit: 's', goal: { atMost: goalSeconds } },
    { name: `${title}, disk`, value: bytes / kilo, unit: 'kB', goal: bytesGoal },
  ];
  for (const other of others) {
    const theirs = await inTurn(turns, (turn) => other.upsert(rows, turn + 1));
    const otherSeconds = median(theirs.map((one) => one.seconds));
    const otherBytes = median(theirs.map((one) => one.bytes));
    figures.push(ratio(`${title}, time vs ${other.name}`, seconds, otherSeconds, other.name, 's'));
    // DuckDB reuses freed blocks, so its file may not grow.
    if (otherBytes > 0)
      figures.push(ratio(`${title}, disk vs ${other.name}`, bytes, otherBytes, other.name, 'B'));
  }
  const removal = title.replace('upsert', 'delete');
  return [
    ...figures,
    {
      name: removal,
      value: median(deletes.map((one) => one.seconds)),
      unit: 's',
      goal: { atMost: goalSeconds },
    },
    {
      name: `${removal}, disk`,
      value: median(deletes.map((one) => one.bytes)) / kilo,
      unit: 'kB',
      goal: bytesGoal,
    },
  ];
};

const aggregate = `$apply=${encodeURIComponent('groupby((day),aggregate(v0 with sum as S))')}`;

/** Upper bounds for the time of a read, as a multiple of that of the fresh upload. */
interface ReadGoals {
  readonly inOrder: number;
  readonly groups: number;
}

export const readGoals: ReadGoals = { inOrder: 1.3, groups: 2.3 };
export const copiedGoals: ReadGoals = { inOrder: 1.05, groups: 1.05 };

/** Read times of a version compared with those of the first one, which is a single upload; alternating. */
export const readFigures = async (
  changing: Changing,
  options: { first: string; last: string; turns: number; when: string; goals: ReadGoals },
): Promise<Figure[]> => {
  const { first, last, turns, when, goals } = options;
  const questions = [
    ['all rows in order', '$skip=0', goals.inOrder],
    ['group by day', aggregate, goals.groups],
  ] as const;
  const figures: Figure[] = [];
  for (const [name, query, atMost] of questions) {
    await untilQuiet(changing.product);
    const pairs = await inTurn(turns, async () => ({
      first: await readVersion(changing, `/data?versionId=${first}&${query}`),
      last: await readVersion(changing, `/data?versionId=${last}&${query}`),
    }));
    figures.push({
      name: `${changing.shape.title}: ${name} ${when}, time vs fresh upload`,
      value: median(pairs.map((pair) => pair.last / pair.first)),
      unit: '×',
      goal: { atMost },
      yardstick: { name: 'fresh upload', value: median(pairs.map((pair) => pair.first)), unit: 'ms' },
    });
  }
  return figures;
};

export const yearFigures = async (
  changing: Changing,
  { days, rows, baseBytes }: { days: number; rows: number; baseBytes: number },
): Promise<{ figures: Figure[]; versions: string[] }> => {
  const { shape } = changing;
  const title = `${shape.title}: ${days} upserts of ${number.format(rows)}`;
  const before = await diskBytes(changing);
  const made = await inTurn(days, (day) => upsertOf(changing, rows, 100 + day));
  const grown = (await diskBytes(changing)) - before;
  const seconds = made.map((one) => one.seconds);
  return {
    versions: made.map(({ versionId }) => versionId),
    figures: [
      { name: `${title}, slowest`, value: Math.max(...seconds), unit: 's', goal: { atMost: 1 } },
      { name: `${title}, p50`, value: median(seconds), unit: 's', better: 'lower' },
      {
        name: `${title}, disk of all vs table`,
        value: grown / baseBytes,
        unit: '×',
        goal: { atMost: 0.5 },
        yardstick: { name: 'the table', value: baseBytes / 1e6, unit: 'MB' },
      },
    ],
  };
};

/** Diffs that are not cached yet. */
export const differenceFigures = async (
  changing: Changing,
  versions: readonly string[],
): Promise<Figure[]> => {
  const between = (from = '', to = ''): Promise<number> =>
    readVersion(changing, `/versions/${from}/diff/${to}`);
  const count = Math.min(9, versions.length - 1);
  const adjacent = await inTurn(count, (at) => between(versions[at], versions[at + 1]));
  return [
    {
      name: `${changing.shape.title}: diff of adjacent versions`,
      value: median(adjacent),
      unit: 'ms',
      goal: { atMost: 50 },
    },
    {
      name: `${changing.shape.title}: diff of the first and last of ${versions.length} versions`,
      value: (await between(versions[0], versions.at(-1))) / 1000,
      unit: 's',
      goal: { atMost: 1 },
    },
  ];
};
