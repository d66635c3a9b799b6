/** Examples in the documentation, for tests that run them. */
import { projectFile } from '../unit/deploy/compose-file.js';

/** Code blocks of a language, in order. */
export const blocksOf = (path: string, language: string): string[] =>
  [...projectFile(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );

/** @throws Error unless there is exactly one. */
export const blockOf = (path: string, language: string): string => {
  const [block, ...more] = blocksOf(path, language);
  if (block === undefined || more.length > 0) throw new Error(`${path} must have one block of ${language}`);
  return block;
};

/** Rows of all tables. */
export const tableRows = (path: string): string[][] =>
  [...projectFile(path).matchAll(/^\| (.*) \|$/gm)].map(([, line = '']) => line.split(' | '));

/** Code of a cell that contains nothing else; otherwise undefined. */
export const codeOf = (cell: string | undefined): string | undefined => /^`([^`]+)`$/.exec(cell ?? '')?.[1];
