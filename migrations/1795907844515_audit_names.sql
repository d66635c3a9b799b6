-- Up Migration

-- Names of an account in the details of events are found when the account is deleted.
CREATE INDEX audit_events_named_account ON audit_events ((details ->> 'accountId')) WHERE details ->> 'accountId' IS NOT NULL;
-- Events of 0.3.0 have a name without the id of its account. New ones do not enter this index.
CREATE INDEX audit_events_names ON audit_events (
  lower(coalesce(details ->> 'name', details ->> 'to', details ->> 'account', details ->> 'admin', details #>> '{arguments,0}')))
  WHERE NOT details ? 'accountId' AND coalesce(details ->> 'type', 'account') = 'account'
    AND (action IN ('account.transfer', 'permission.remove', 'permission.set', 'repository.offer', 'team.create', 'team.invite',
      'team.join', 'team.member_remove', 'team.member_set') OR action = 'command.run' AND target_name = 'account export');
