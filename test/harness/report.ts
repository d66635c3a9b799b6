/** Counts, faults and tables of a run. */

export type Counts = Readonly<Record<string, number>>;

export const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1;
};

/** Lists counts, most frequent first. */
export const listed = (counts: Counts, sign = ' '): string =>
  Object.entries(counts)
    .sort(([, a], [, b]) => b - a)
    .map(([name, number]) => `${name}${sign}${number}`)
    .join(', ');

/** Maximum number of distinct faults kept. */
const maxFaults = 200;

export interface Faults {
  add(text: string): void;
  /** Distinct faults with their number. */
  readonly all: readonly string[];
}

export const createFaults = (): Faults => {
  const found = new Map<string, number>();
  return {
    add(text) {
      const seen = found.get(text);
      if (seen !== undefined || found.size < maxFaults) found.set(text, (seen ?? 0) + 1);
    },
    get all() {
      return [...found].map(([text, times]) => (times === 1 ? text : `${text} (${times} times)`));
    },
  };
};

/** Number of faults and the first 50, one line each. */
export const faultLines = (faults: readonly string[]): string[] => [
  `faults: ${faults.length}`,
  ...faults.slice(0, 50).map((fault) => `  - ${fault}`),
];

/** Lines of a Markdown table; the first row is the header. */
export const tableLines = (rows: readonly (readonly (string | number)[])[]): string[] => {
  const [head = [], ...rest] = rows;
  return [head, head.map(() => '---'), ...rest].map((cells) => `| ${cells.join(' | ')} |`);
};
