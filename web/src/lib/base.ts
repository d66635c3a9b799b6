/**
 * Path of `PUBLIC_URL`, which prefixes every URL of the app; often empty. Derived from the location of this script, which is
 * in `assets/` below it.
 */
export const basePath: string = import.meta.env.DEV
  ? ''
  : new URL(/* @vite-ignore */ '..', import.meta.url).pathname.replace(/\/$/, '');

/** URL of the API for other programs. */
export const apiUrl = (): string => `${location.origin}${basePath}/api`;
