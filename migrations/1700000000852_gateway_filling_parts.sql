-- Up Migration

-- Parts of the last listing (a table, a page) that could not be had, and why the last of them or the whole failed.
ALTER TABLE gateway_fillings ADD COLUMN failed_parts integer NOT NULL DEFAULT 0, ADD COLUMN last_error text;

-- Down Migration

ALTER TABLE gateway_fillings DROP COLUMN failed_parts, DROP COLUMN last_error;
