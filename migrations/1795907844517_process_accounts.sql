-- Up Migration

-- In a file of its own, like the next one: writes to a table wait only until its index is built.
CREATE INDEX processes_created_by ON processes (created_by);
