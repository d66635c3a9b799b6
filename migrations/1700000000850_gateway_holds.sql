-- Up Migration

-- Upstreams that asked to be left alone, by upstream and key. A row goes when a request after its end went well.
CREATE TABLE gateway_holds (
  scope text PRIMARY KEY,
  provider text NOT NULL,
  since timestamptz NOT NULL,
  until timestamptz NOT NULL,
  -- holds in a row, for upstreams that do not say how long
  strikes integer NOT NULL DEFAULT 1,
  -- one request is on its way to see whether the hold is over; nobody else asks until then
  trying_until timestamptz
);

-- Holds were times of the pace before, without a bound.
UPDATE gateway_pace SET next_at = least(next_at, now() + interval '1 hour');

-- Down Migration

DROP TABLE gateway_holds;
