/** Datasets whose current version has more patches than reads are to consider, as the merges of a worker meet them. */
import type { CompactionCandidate } from './listed-segment.js';

export interface CrowdedDatasets {
  add(dataset: CompactionCandidate): void;
  /** All of them, which are then forgotten. */
  take(): CompactionCandidate[];
}

/** Others are left to the search for segments to join. */
const mostDatasets = 1_000;

export const createCrowdedDatasets = (): CrowdedDatasets => {
  const datasets = new Map<number, CompactionCandidate>();
  return {
    add(dataset) {
      if (datasets.size < mostDatasets) datasets.set(dataset.datasetId, dataset);
    },
    take() {
      const taken = [...datasets.values()];
      datasets.clear();
      return taken;
    },
  };
};
