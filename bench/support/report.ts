import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import type { Figure } from './figure.js';

export type Mode = 'full' | 'quick';

export interface BenchResult {
  readonly bench: string;
  readonly at: string;
  readonly seconds: number;
  readonly figures: readonly Figure[];
  /** Error that ended the bench. */
  readonly failure?: string;
}

/** Results file of a run. */
export interface Report {
  readonly mode: Mode;
  readonly node: string;
  readonly cpu: string;
  readonly results: readonly BenchResult[];
}

export const createReport = (mode: Mode, results: readonly BenchResult[]): Report => {
  const [first, ...others] = cpus();
  return { mode, node: process.version, cpu: `${others.length + 1} × ${first?.model ?? 'unknown'}`, results };
};

/** Replaces the results of benches that ran and keeps the others. */
export const mergeResults = (
  before: readonly BenchResult[],
  now: readonly BenchResult[],
): readonly BenchResult[] => [
  ...before.filter(({ bench }) => now.every((result) => result.bench !== bench)),
  ...now,
];

export const readReport = (path: string): Report | undefined =>
  existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Report) : undefined;

export const writeReport = (path: string, report: Report): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${JSON.stringify(report, null, 2)}\n`);
};
