/**
 * Path in front of every address of the app: empty, or that of `PUBLIC_URL`. Scripts are in `assets/` below it; the
 * development server has it empty.
 */
export const basePath: string = import.meta.env.DEV
  ? ''
  : new URL(/* @vite-ignore */ '..', import.meta.url).pathname.replace(/\/$/, '');

/** Address of the API as other programs call it. */
export const apiUrl = (): string => `${location.origin}${basePath}/api`;
