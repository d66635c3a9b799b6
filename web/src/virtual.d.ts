/** The text of docs/operating/runbook.md; see vite.config.ts. */
declare module 'virtual:run-book' {
  export const runBook: string;
}
