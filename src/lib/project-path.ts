import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

const rootAbove = (folder: string): string =>
  existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));

const root = rootAbove(import.meta.dirname);

/** Path of a file or folder of this package, whether the code runs from `src` or was built into `dist`. */
export const projectPath = (...names: string[]): string => join(root, ...names);
