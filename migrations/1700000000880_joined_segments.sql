-- Up Migration

-- Which segment has the rows of one that was joined with others; asked by readers whose page began before.
CREATE INDEX compactions_joined ON compactions (store_id) WHERE state IN ('swapping', 'done');

-- Down Migration

DROP INDEX compactions_joined;
