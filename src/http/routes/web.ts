import { z } from 'zod';
import { notFound } from '../../lib/errors.js';
import { isUnchanged } from '../content/conditions.js';
import { chooseFileCoding } from '../content/negotiation.js';
import { type Reply, type RequestHead, type Route, route } from '../route.js';
import type { WebApp, WebFile } from '../web-app.js';

/** Scripts, styles and data of this service only; nothing inline, nothing evaluated. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

type Head = Pick<RequestHead<unknown, unknown, unknown>, 'header'>;

const answerFile = (file: WebFile, { header }: Head, status: number, more: Record<string, string>): Reply => {
  const coding = chooseFileCoding(header('accept-encoding'));
  const entityTag = `"${file.fingerprint}${coding === 'identity' ? '' : `-${coding}`}"`;
  const headers = { ETag: entityTag, Vary: 'Accept-Encoding', ...more };
  if (status === 200 && isUnchanged({ ifNoneMatch: header('if-none-match') }, { entityTag }))
    return { status: 304, headers };
  return {
    status,
    headers: {
      ...headers,
      'Content-Type': file.contentType,
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
    },
    body: file.bytes[coding],
  };
};

interface WebRoutes {
  /** `/` and the files. */
  readonly routes: readonly Route[];
  /** Answers any other address of the app, and 404 with the same page for an unknown one. */
  readonly page: Route;
}

/** The web app: one page for all of its addresses, and files whose names change with their contents. */
export const createWebRoutes = (app: WebApp): WebRoutes => {
  const shared = { method: 'GET', tags: ['Documents'], auth: 'none', hidden: true } as const;
  const responses = { 200: { description: 'The file.', contentTypes: ['text/html'] } };
  const answerPage = (head: Head, status: number): Reply =>
    answerFile(app.page, head, status, {
      'Content-Security-Policy': pagePolicy,
      'Cache-Control': 'no-cache',
      'Cross-Origin-Resource-Policy': 'same-origin',
    });
  return {
    routes: [
      route({
        ...shared,
        path: '/',
        queryOfPage: true,
        summary: 'The web app',
        responses,
        handler: (head) => answerPage(head, 200),
      }),
      route({
        ...shared,
        path: '/assets/:file',
        summary: 'A file of the web app',
        params: z.object({ file: z.string() }),
        responses,
        handler: (head) => {
          const file = app.assets.get(head.params.file);
          if (file === undefined) throw notFound('unknown_path', 'nothing exists at this path');
          return answerFile(file, head, 200, { 'Cache-Control': 'public, max-age=31536000, immutable' });
        },
      }),
    ],
    page: route({
      ...shared,
      path: '/*page',
      queryOfPage: true,
      summary: 'A page of the web app',
      responses,
      handler: (head) => answerPage(head, app.hasPage(head.url.replace(/\?.*/s, '')) ? 200 : 404),
    }),
  };
};
