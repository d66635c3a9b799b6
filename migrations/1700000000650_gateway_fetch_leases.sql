-- Up Migration

-- The table holds leases on a fetch, as the code that keeps them is called.
ALTER TABLE gateway_turns RENAME TO gateway_fetch_leases;
ALTER TABLE gateway_fetch_leases RENAME CONSTRAINT gateway_turns_pkey TO gateway_fetch_leases_pkey;

-- Down Migration

ALTER TABLE gateway_fetch_leases RENAME CONSTRAINT gateway_fetch_leases_pkey TO gateway_turns_pkey;
ALTER TABLE gateway_fetch_leases RENAME TO gateway_turns;
