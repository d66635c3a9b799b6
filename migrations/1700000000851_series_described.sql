-- Up Migration

-- What the provider told with the last refresh, one entry for each series in the order of series_ids:
-- {provider, seriesId, params, label, unit, unitMultiplier}. Null: not refreshed since this column came.
ALTER TABLE series_datasets ADD COLUMN described jsonb;

-- Down Migration

ALTER TABLE series_datasets DROP COLUMN described;
