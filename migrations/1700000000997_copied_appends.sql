-- Up Migration

-- The attempt whose rows the segment of `merge_attempt` holds: copied beside those of the version before.
ALTER TABLE processes ADD COLUMN copied_attempt integer;

-- Down Migration

ALTER TABLE processes DROP COLUMN copied_attempt;
