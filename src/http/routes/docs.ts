import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { notFound } from '../../lib/errors.js';
import { type Reply, type Route, route } from '../route.js';

interface DocsOptions {
  readonly openApi: object;
  /** Address of the API as a client reaches it. */
  readonly apiUrl: (request: IncomingMessage) => string;
}

/** Files of the package that the page needs; its other files are not served. */
const assetTypes: ReadonlyMap<string, string> = new Map([
  ['swagger-ui.css', 'text/css; charset=utf-8'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8'],
  ['favicon-32x32.png', 'image/png'],
]);

/** The page may load from this service only: it sends nothing to other hosts and requests nothing from them. */
const pagePolicy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "font-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'";

const page = (body: string, headers: Record<string, string> = {}): Reply => ({
  status: 200,
  headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': pagePolicy, ...headers },
  body,
});

const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tabulary API</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="documents"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// validatorUrl: null keeps the page from sending the document to another host.
const startScript = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#documents', deepLinking: true, validatorUrl: null });
`;

const textAnswer = (type: string, description: string) => ({ 200: { description, contentTypes: [type] } });

/** The document with the address at which its reader reached the service, for generated clients. */
const withServer = (openApi: object, url: string): string =>
  JSON.stringify({ ...openApi, servers: [{ url }] });

/** `/openapi.json` and `/docs`, served from this process and its packages. */
export const createDocsRoutes = ({ openApi, apiUrl }: DocsOptions): Route[] => {
  const assets = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const shared = { method: 'GET', tags: ['Documents'], auth: 'none', hidden: true } as const;
  return [
    route({
      ...shared,
      path: '/openapi.json',
      summary: 'OpenAPI 3.1 description',
      responses: textAnswer('application/json', 'The document.'),
      handler: ({ raw }) => ({
        status: 200,
        headers: { 'Content-Type': 'application/json; charset=utf-8' },
        body: withServer(openApi, apiUrl(raw)),
      }),
    }),
    route({
      ...shared,
      path: '/docs',
      summary: 'The description as a page',
      responses: textAnswer('text/html', 'The page.'),
      handler: () => page(docsPage),
    }),
    route({
      ...shared,
      path: '/docs/:file',
      summary: 'A file of the page',
      params: z.object({ file: z.string() }),
      responses: textAnswer('text/javascript', 'The file.'),
      handler: async ({ params: { file } }) => {
        if (file === 'start.js')
          return {
            status: 200,
            headers: { 'Content-Type': 'text/javascript; charset=utf-8' },
            body: startScript,
          };
        const type = assetTypes.get(file);
        if (type === undefined) throw notFound('unknown_path', 'nothing exists at this path');
        return {
          status: 200,
          headers: { 'Content-Type': type, 'Cache-Control': 'public, max-age=86400' },
          body: await readFile(join(assets, file)),
        };
      },
    }),
  ];
};
