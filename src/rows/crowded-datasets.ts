import type { CompactionCandidate } from './runs.js';

/** Datasets that the merges of this worker found with more than `maxPatches` patches. */
export interface CrowdedDatasets {
  add(dataset: CompactionCandidate): void;
  /** Returns all of them and clears the set. */
  take(): CompactionCandidate[];
}

/** The periodic search for segments to join finds further datasets. */
const maxDatasets = 1_000;

export const createCrowdedDatasets = (): CrowdedDatasets => {
  const datasets = new Map<number, CompactionCandidate>();
  return {
    add(dataset) {
      if (datasets.size < maxDatasets) datasets.set(dataset.datasetId, dataset);
    },
    take() {
      const taken = [...datasets.values()];
      datasets.clear();
      return taken;
    },
  };
};
