import { createStore } from './store.js';

/** Files that were dropped on a page, until the page for uploads has taken them. */
export const droppedFiles = createStore<readonly File[]>([]);

/** Takes what was dropped. */
export const takeDropped = (): readonly File[] => {
  const files = droppedFiles.get();
  droppedFiles.set([]);
  return files;
};
