import { join } from 'node:path';
import { root } from './test-files.js';

/** First argument of Node for a program in TypeScript; the path of the program follows. */
export const viteNode = join(root, 'node_modules/vite-node/vite-node.mjs');
