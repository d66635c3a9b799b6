-- Up Migration

-- What the columns of a version hold, by column id. Made at the first demand; removed with the version.
CREATE TABLE version_summaries (
  version_id bigint PRIMARY KEY REFERENCES versions ON DELETE CASCADE,
  body jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- Down Migration

DROP TABLE version_summaries;
