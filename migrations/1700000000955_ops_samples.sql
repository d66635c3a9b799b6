-- Up Migration

-- How the service fared, one line a minute for a day: written by whichever API process comes first, which also drops old ones.
CREATE TABLE ops_samples (
  minute timestamptz PRIMARY KEY,
  sample jsonb NOT NULL
);

-- What ended lately, however many uploads there were before.
CREATE INDEX processes_ended ON processes (completed_at) WHERE status <> 'pending';

-- Down Migration

DROP INDEX processes_ended;
DROP TABLE ops_samples;
