import { createStore } from './store.js';

/** Files that were dropped on a page, until the upload page takes them. */
export const droppedFiles = createStore<readonly File[]>([]);

export const takeDropped = (): readonly File[] => {
  const files = droppedFiles.get();
  droppedFiles.set([]);
  return files;
};
