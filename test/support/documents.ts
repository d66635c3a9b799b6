/** Code and examples in the documents, for tests that run them. */
import { projectFile } from '../unit/deploy/compose-file.js';

/** Blocks of one language, in order. */
export const blocksOf = (path: string, language: string): string[] =>
  [...projectFile(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(
    ([, block = '']) => block,
  );

/** The only block of a language. */
export const blockOf = (path: string, language: string): string => {
  const [block, ...more] = blocksOf(path, language);
  if (block === undefined || more.length > 0) throw new Error(`${path} must have one block of ${language}`);
  return block;
};

/** Cells of the lines of all tables, without their heads. */
export const tableRows = (path: string): string[][] =>
  [...projectFile(path).matchAll(/^\| (.*) \|$/gm)].map(([, line = '']) => line.split(' | '));

/** Text of a cell that is code alone: `Price gt 2`. */
export const codeOf = (cell: string | undefined): string | undefined => /^`([^`]+)`$/.exec(cell ?? '')?.[1];
