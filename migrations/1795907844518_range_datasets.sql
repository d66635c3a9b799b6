-- Up Migration

-- The partial indexes serve no deletion of a dataset, which reads its ranges whether they are open or closed.
CREATE INDEX segment_ranges_dataset ON segment_ranges (dataset_id);
