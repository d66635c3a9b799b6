import addresses from '../../addresses.json';
import { basePath } from './base.js';
import { createStore, useStore } from './store.js';

export type PageName = keyof typeof addresses;

/** The parsed URL. */
export interface Address {
  /** Undefined if the app has no such page. */
  readonly page: PageName | undefined;
  readonly params: Readonly<Record<string, string>>;
  readonly path: string;
  readonly query: URLSearchParams;
}

const patterns = Object.entries(addresses).map(([page, path]) => ({
  page: page as PageName,
  pattern: new RegExp(`^${path.replace(/:(\w+)/g, '(?<$1>[^/]+)').replace(/\/\*$/, '(?<rest>/.*)?')}/?$`),
}));

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const match = (path: string): Pick<Address, 'page' | 'params'> => {
  for (const { page, pattern } of patterns) {
    const groups = pattern.exec(path)?.groups;
    if (pattern.test(path))
      return {
        page,
        params: Object.fromEntries(
          Object.entries(groups ?? {}).map(([name, value]) => [name, decoded(value ?? '')]),
        ),
      };
  }
  return { page: undefined, params: {} };
};

/** Path below that of the app; undefined for a URL of another application on the host. */
const pathBelowBase = (pathname: string): string | undefined =>
  `${pathname}/`.startsWith(`${basePath}/`) ? pathname.slice(basePath.length) || '/' : undefined;

const read = (): Address => {
  const path = pathBelowBase(location.pathname) ?? location.pathname;
  return { ...match(path), path, query: new URLSearchParams(location.search) };
};

export const address = createStore<Address>(read());

export const useAddress = (): Address => useStore(address);

/** Encodes the end of a path but keeps its slashes. */
const encodedRest = (rest: string): string => `/${rest.split('/').map(encodeURIComponent).join('/')}`;

/** A list becomes a repeated parameter. */
type QueryValue = string | readonly string[] | undefined;

const valuesOf = (value: QueryValue): readonly string[] =>
  (typeof value === 'object' ? value : [value ?? '']).filter((one) => one !== '');

const searchOf = (query: URLSearchParams): string => {
  const search = query.toString().replace(/%24/g, '$').replace(/%2C/g, ',');
  return search === '' ? '' : `?${search}`;
};

/**
 * URL of a page: `linkTo('dataset', { id: 3 }, { $filter: "…" })`. Omits empty parameters; `rest` is the end of the path,
 * which may contain slashes.
 */
export const linkTo = (
  page: PageName,
  params: Readonly<Record<string, string | number>> = {},
  query: Readonly<Record<string, QueryValue>> = {},
): string => {
  const path = addresses[page]
    .replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(params[name] ?? '')))
    .replace(/\/\*$/, () => encodedRest(String(params.rest ?? '')));
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    valuesOf(value).map((one): [string, string] => [name, one]),
  );
  return `${basePath}${path}${searchOf(new URLSearchParams(pairs))}`;
};

interface NavigateOptions {
  /** Replaces the current history entry, for changes while the user types or scrolls. */
  readonly replace?: boolean;
}

/** Navigates within the app without reloading. */
export const navigate = (href: string, { replace = false }: NavigateOptions = {}): void => {
  if (href === location.pathname + location.search) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', href);
  address.set(read());
};

type QueryChanges = Readonly<Record<string, QueryValue>>;

/** The current URL with changed parameters; an empty or undefined value removes a parameter. */
const changedQuery = (changes: QueryChanges): string => {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(changes)) {
    const [first, ...more] = valuesOf(value);
    if (first === undefined) query.delete(name);
    else query.set(name, first);
    for (const one of more) query.append(name, one);
  }
  return `${location.pathname}${searchOf(query)}`;
};

/** Changes parameters of the current URL. */
export const setQuery = (changes: QueryChanges, options?: NavigateOptions): void =>
  navigate(changedQuery(changes), options);

/** Like `setQuery` but without rendering, for state that the page shows already, such as the scroll position. */
export const noteQuery = (changes: QueryChanges): void => {
  const href = changedQuery(changes);
  if (href !== location.pathname + location.search) history.replaceState(null, '', href);
};

/** Handles clicks on links to pages of the app without reloading. */
const followLink = (event: MouseEvent): void => {
  if (event.defaultPrevented || event.button !== 0) return;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = (event.target as Element | null)?.closest('a');
  if (link?.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
  if (link.hash !== '' && link.pathname === location.pathname) return;
  const path = pathBelowBase(link.pathname);
  if (path === undefined || match(path).page === undefined) return;
  event.preventDefault();
  navigate(link.pathname + link.search + link.hash);
};

export const startRouter = (): void => {
  addEventListener('popstate', () => address.set(read()));
  document.addEventListener('click', followLink);
};
