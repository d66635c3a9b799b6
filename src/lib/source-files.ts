import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from './project-path.js';

const pathOf = (name: string): string => projectPath('sources', name);

/** Text of a file in the folder `sources` of the package. */
export const readSource = (name: string): string => readFileSync(pathOf(name), 'utf8');

/** Names of the YAML files in a folder of `sources`, which may also have files of editors and systems. */
export const sourceNames = (folder: string): string[] =>
  readdirSync(pathOf(folder)).filter((name) => /\.ya?ml$/.test(name));

/** Lines of a file in `sources`, without empty lines and comments (`#`). */
export const readSourceLines = (name: string): string[] =>
  readSource(name)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
