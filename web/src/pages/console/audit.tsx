import { useLayoutEffect, useState } from 'preact/hooks';
import { TextField } from '../../components/text-field.js';
import { api } from '../../lib/api.js';
import { dateAndTime } from '../../lib/format.js';
import { linkTo, setQuery, useAddress } from '../../lib/router.js';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage, ShowLive, Table } from './console-page.js';
import { useLive } from './live.js';
import type { AuditEvent } from './types.js';

const t = consoleTexts.audit;
const pageSize = 50;

const fields = [
  { name: 'account', text: t.account, hint: t.accountHint },
  { name: 'action', text: t.action, hint: t.actionHint },
  { name: 'targetKind', text: t.target, hint: t.targetHint },
] as const;
type FieldName = (typeof fields)[number]['name'];
type Values = Readonly<Record<FieldName, string>>;

const valuesOf = (query: URLSearchParams): Values => ({
  account: query.get('account') ?? '',
  action: query.get('action') ?? '',
  targetKind: query.get('targetKind') ?? '',
});

const Filter = () => {
  const { query } = useAddress();
  const [values, setValues] = useState(valuesOf(query));
  useLayoutEffect(() => setValues(valuesOf(query)), [query.toString()]);
  return (
    <form
      class="row filter-line"
      onSubmit={(event) => {
        event.preventDefault();
        const given = Object.entries(values).map(([name, value]) => [name, value || undefined]);
        setQuery({ ...Object.fromEntries(given), before: undefined });
      }}
    >
      {fields.map(({ name, text, hint }) => (
        <TextField
          key={name}
          label={text}
          placeholder={hint}
          value={values[name]}
          onInput={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      <button class="button" type="submit">
        {t.apply}
      </button>
    </form>
  );
};

const targetOf = ({ target: { kind, id, name } }: AuditEvent): string =>
  [kind, id, name].filter((part) => part !== null).join(' ');

const detailsOf = ({ details }: AuditEvent): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');

const Events = ({ events }: { events: readonly AuditEvent[] }) => (
  <Table
    name={consoleTexts.tabs.consoleAudit}
    heads={[
      t.columns.at,
      t.columns.who,
      t.columns.action,
      t.columns.target,
      t.columns.details,
      t.columns.from,
    ]}
  >
    {events.map((event) => (
      <tr key={event.id}>
        <td class="when">{dateAndTime(event.at)}</td>
        <td>
          {event.actor.name ?? (event.actor.kind === 'service' ? t.kinds.service : event.actor.accountId)}
          {event.actor.kind === 'command' && <span class="soft"> ({t.kinds.command})</span>}
        </td>
        <td class="code">{event.action}</td>
        <td>{targetOf(event)}</td>
        <td class="details">{detailsOf(event)}</td>
        <td class="code" title={event.actor.requestId ?? ''}>
          {event.actor.address ?? '–'}
        </td>
      </tr>
    ))}
  </Table>
);

const Screen = () => {
  const { query } = useAddress();
  const { account, action, targetKind } = valuesOf(query);
  const before = query.get('before') ?? undefined;
  const filter = {
    account: account || undefined,
    action: action || undefined,
    targetKind: targetKind || undefined,
  };
  const found = useLive(
    (signal) => api.get<AuditEvent[]>('/ops/audit', { query: { ...filter, before, $top: pageSize }, signal }),
    [account, action, targetKind, before],
  );
  return (
    <>
      <Filter />
      <ShowLive of={found}>
        {(events) => (
          <>
            {events.length === 0 ? <p class="soft">{t.none}</p> : <Events events={events} />}
            <p class="row">
              {before !== undefined && (
                <a class="button" href={linkTo('consoleAudit', {}, filter)}>
                  {t.newest}
                </a>
              )}
              {events.length === pageSize && (
                <a
                  class="button"
                  href={linkTo('consoleAudit', {}, { ...filter, before: String(events.at(-1)?.id) })}
                >
                  {consoleTexts.older}
                </a>
              )}
            </p>
          </>
        )}
      </ShowLive>
    </>
  );
};

export const Audit = () => (
  <ConsolePage screen="consoleAudit">
    <Screen />
  </ConsolePage>
);
