import Router from '@koa/router';
import type { Context, Middleware } from 'koa';
import { prefersHtml } from './content/negotiation.js';
import type { RequestState } from './request-state.js';
import type { Route } from './route.js';
import { HttpFault } from './status.js';

/** Sort key: a literal segment before a parameter, a parameter before a wildcard, so `/x/home` wins over `/x/:id`. */
const rankOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => (segment.startsWith(':') ? '1' : segment.startsWith('*') ? '2' : '0'))
    .join('');

const bySpecificity = (a: Route, b: Route): number => rankOf(a.path).localeCompare(rankOf(b.path));

interface MountedRoutes {
  /** Prefix of every path. */
  readonly base: string;
  readonly routes: readonly Route[];
}

/** `/datasets/:id` -> `/datasets/{id}`, as in documents and metrics. */
export const templateOf = (path: string): string => path.replace(/[:*](\w+)/g, '{$1}');

/** True if the path still has the prefix that the proxy in front should have removed. */
const hasPrefix = (path: string, publicPath: string): boolean =>
  publicPath !== '' && (path === publicPath || path.startsWith(`${publicPath}/`));

const isForBrowser = ({ method, path, headers }: Context): boolean =>
  (method === 'GET' || method === 'HEAD') && !/^\/api(\/|$)/.test(path) && prefersHtml(headers.accept);

interface RouterOptions {
  /** Answers browsers at all other paths outside of the API. */
  readonly page?: Route | undefined;
  /** True for the path of a page of the web app. */
  readonly hasPage?: ((path: string) => boolean) | undefined;
  /** Path of `PUBLIC_URL`. */
  readonly publicPath: string;
}

/** Answers every path: with its route, with 405 and `Allow` for a wrong method, with 404 for an unknown path. */
export const createRouter = (
  mounted: readonly MountedRoutes[],
  dispatch: (route: Route, template: string) => Middleware<RequestState>,
  { page, hasPage, publicPath }: RouterOptions,
): Middleware<RequestState> => {
  // Case-insensitive routes would add further spellings of each path to logs, caches and proxy rules.
  const router = new Router<RequestState>({ sensitive: true });
  for (const { base, routes } of mounted) {
    for (const route of [...routes].sort(bySpecificity)) {
      const path = `${base}${route.path}`;
      router.register(path, [route.method], dispatch(route, templateOf(path)) as never);
    }
  }
  const runPage = page === undefined ? undefined : dispatch(page, '/{page}');
  const run = router.routes() as unknown as Middleware<RequestState>;

  return async function routing(ctx, next) {
    const found = router.match(ctx.path, ctx.method);
    const [nearest] = found.path;
    // The page would request its files at wrong addresses, with the prefix twice.
    if (nearest === undefined && hasPrefix(ctx.path, publicPath) && !hasPage?.(ctx.path))
      throw new HttpFault(
        404,
        'unknown_path',
        `nothing exists at this path; the proxy in front has to remove ${publicPath}, the path of PUBLIC_URL`,
      );
    if (nearest === undefined && runPage !== undefined && isForBrowser(ctx)) return runPage(ctx, next);
    if (nearest === undefined) throw new HttpFault(404, 'unknown_path', 'nothing exists at this path');
    // `/x/home` is not an `/x/:id` for any method. What a wildcard matches depends on the method.
    const isWild = String(nearest.path).includes('*');
    const here = isWild ? found.path : found.path.filter((layer) => layer.path === nearest.path);
    if (here.some((layer) => layer.methods.includes(ctx.method))) return run(ctx, next);
    const methods = [...new Set(here.flatMap((layer) => layer.methods)), 'OPTIONS'].sort().join(', ');
    if (ctx.method !== 'OPTIONS')
      throw new HttpFault(405, 'wrong_method', `this path supports ${methods}`, { Allow: methods });
    ctx.status = 204;
    ctx.set('Allow', methods);
  };
};
