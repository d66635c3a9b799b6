/** The run-book of docs/operating.md; see vite.config.ts. */
declare module 'virtual:run-book' {
  export const runBook: string;
}
