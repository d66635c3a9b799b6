import { readSourceLines } from '../../lib/source-files.js';

export interface Table {
  /** Path relative to the base address. */
  readonly path: string;
  readonly label: string;
  readonly frequency: string;
}

/** Tables in the browse tree. Others can be fetched by id. */
export const tables: readonly Table[] = readSourceLines('codes/fiscaldata-tables.txt').map((line) => {
  const [path = '', frequency = '', label = ''] = line.split(' | ');
  return { path, label, frequency };
});

export const findTable = (path: string): Table | undefined => tables.find((table) => table.path === path);
