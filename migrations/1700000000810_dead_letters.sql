-- Up Migration

-- The field's word for messages that nobody can read. A worker of the release before cannot write such a message down
-- any more: it waits with that message, and a worker of this one goes on with it.
ALTER TABLE parked_messages RENAME TO dead_letters;
ALTER TABLE dead_letters RENAME COLUMN parked_at TO recorded_at;
ALTER TABLE dead_letters DROP CONSTRAINT parked_messages_state_check;
DROP INDEX parked_messages_parked;
UPDATE dead_letters SET state = 'waiting' WHERE state = 'parked';
ALTER TABLE dead_letters
  ALTER COLUMN state SET DEFAULT 'waiting',
  ADD CONSTRAINT dead_letters_state_check CHECK (state IN ('waiting', 'replayed', 'dropped'));
CREATE INDEX dead_letters_waiting ON dead_letters (id) WHERE state = 'waiting';

-- Down Migration

DROP INDEX dead_letters_waiting;
ALTER TABLE dead_letters DROP CONSTRAINT dead_letters_state_check;
UPDATE dead_letters SET state = 'parked' WHERE state = 'waiting';
ALTER TABLE dead_letters
  ALTER COLUMN state SET DEFAULT 'parked',
  ADD CONSTRAINT parked_messages_state_check CHECK (state IN ('parked', 'replayed', 'dropped'));
ALTER TABLE dead_letters RENAME COLUMN recorded_at TO parked_at;
ALTER TABLE dead_letters RENAME TO parked_messages;
CREATE INDEX parked_messages_parked ON parked_messages (id) WHERE state = 'parked';
