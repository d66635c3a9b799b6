-- Up Migration

-- Messages that no worker could read. The bytes lie in the dead-letter topic; Kafka cannot remove a single record,
-- so what an operator decided about each of them stands here.
CREATE TABLE parked_messages (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  origin_topic text NOT NULL,
  origin_partition integer NOT NULL,
  origin_offset bigint NOT NULL,
  -- where the copy lies
  topic text NOT NULL,
  partition integer NOT NULL,
  position bigint NOT NULL,
  reason text NOT NULL,
  bytes bigint NOT NULL,
  state text NOT NULL DEFAULT 'parked' CHECK (state IN ('parked', 'replayed', 'dropped')),
  parked_at timestamptz NOT NULL DEFAULT now(),
  settled_at timestamptz,
  -- a message that is delivered twice is parked once
  UNIQUE (origin_topic, origin_partition, origin_offset)
);
CREATE INDEX parked_messages_parked ON parked_messages (id) WHERE state = 'parked';

-- Down Migration

DROP TABLE parked_messages;
