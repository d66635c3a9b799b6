import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';

const folder = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const runBook = 'virtual:run-book';

/** docs/operating/runbook.md as a module, for the console. */
const runBookModule: Plugin = {
  name: 'run-book',
  resolveId: (id) => (id === runBook ? `\0${runBook}` : undefined),
  load(id) {
    if (id !== `\0${runBook}`) return undefined;
    const text = readFileSync(folder('../docs/operating/runbook.md'), 'utf8');
    return `export const runBook = ${JSON.stringify(text)}`;
  },
};

/** `npx vite web` serves the sources with the API of a server at port 8080. */
export default defineConfig({
  root: folder('.'),
  // Relative, because the API adds the path of PUBLIC_URL.
  base: './',
  publicDir: false,
  plugins: [runBookModule],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact', legalComments: 'none' },
  build: {
    outDir: folder('../dist/web'),
    emptyOutDir: true,
    target: 'es2022',
    // The content security policy allows no inline sources.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/api': 'http://127.0.0.1:8080', '/docs': 'http://127.0.0.1:8080' } },
});
