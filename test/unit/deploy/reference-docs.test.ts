import { expect, it } from 'vitest';
import { referencePages } from '../../../scripts/reference-docs.js';
import { projectFile } from './compose-file.js';

it.each(Object.entries(referencePages))('%s is current (npm run docs:reference)', (path, text) => {
  expect(projectFile(path)).toBe(text);
});
