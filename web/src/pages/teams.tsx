import { useState } from 'preact/hooks';
import { Confirm } from '../components/confirm.js';
import { ErrorText, Show, State } from '../components/states.js';
import { TextField } from '../components/text-field.js';
import { useAct } from '../lib/act.js';
import { api } from '../lib/api.js';
import { useLoad } from '../lib/load.js';
import { session } from '../lib/session.js';
import { useStore } from '../lib/store.js';
import { texts } from '../texts.js';
import { AccountPage } from './manage/account-page.js';

const t = texts.manage.teams;

type Role = 'admin' | 'member';
const roles = ['member', 'admin'] as const;

interface Member {
  readonly account: string;
  readonly role: Role;
}

interface Team {
  readonly name: string;
  readonly role: Role;
  readonly members: readonly Member[];
  readonly invitations: readonly Member[];
}

interface Invitation {
  readonly team: string;
  readonly role: Role;
  readonly invitedBy: string | null;
}

const RoleChoice = (props: { label: string; value: Role; onChoose: (role: Role) => void }) => (
  <select
    class="input"
    aria-label={props.label}
    value={props.value}
    onChange={({ currentTarget: { value } }) => props.onChoose(value === 'admin' ? 'admin' : 'member')}
  >
    {roles.map((role) => (
      <option key={role} value={role}>
        {t.roles[role]}
      </option>
    ))}
  </select>
);

const Invite = ({ path, onDone }: { path: string; onDone: () => void }) => {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('member');
  const { isBusy, error, run } = useAct();
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        const ok = await run(() =>
          api.put(`${path}/members/${encodeURIComponent(name.trim())}`, { body: { role } }),
        );
        if (!ok) return;
        setName('');
        onDone();
      }}
    >
      <div class="row form-line">
        <TextField label={t.account} required spellcheck={false} value={name} onInput={setName} />
        <RoleChoice label={t.role} value={role} onChoose={setRole} />
        <button class="button main" type="submit" disabled={isBusy}>
          {t.invite}
        </button>
      </div>
      {error !== undefined && <ErrorText error={error} />}
    </form>
  );
};

const TeamPanel = ({ team, onDone }: { team: Team; onDone: () => void }) => {
  const { account } = useStore(session);
  const { isBusy, error, run } = useAct();
  const path = `/teams/${encodeURIComponent(team.name)}`;
  const isAdmin = team.role === 'admin';
  const change = async (action: () => Promise<unknown>): Promise<void> => {
    if (await run(action)) onDone();
  };
  const memberPath = (name: string): string => `${path}/members/${encodeURIComponent(name)}`;
  const lines = [
    ...team.members.map((member) => ({ ...member, isInvited: false })),
    ...team.invitations.map((member) => ({ ...member, isInvited: true })),
  ];
  return (
    <section class="panel stack">
      <h2>{team.name}</h2>
      <ul class="lines">
        {lines.map(({ account: name, role, isInvited }) => {
          const isSelf = name === account?.name;
          return (
            <li class="row" key={name}>
              <strong>{name}</strong>
              {isInvited && <span class="tag">{t.invited}</span>}
              <span class="end row">
                {isAdmin ? (
                  <RoleChoice
                    label={t.roleOf(name)}
                    value={role}
                    onChoose={(chosen) =>
                      void change(() => api.put(memberPath(name), { body: { role: chosen } }))
                    }
                  />
                ) : (
                  <span class="soft">{t.roles[role]}</span>
                )}
                {(isAdmin || isSelf) && (
                  <button
                    class="button"
                    type="button"
                    aria-label={isSelf ? t.leave : t.removeMember(name)}
                    disabled={isBusy}
                    onClick={() => void change(() => api.delete(memberPath(name)))}
                  >
                    {isSelf ? t.leave : texts.manage.remove}
                  </button>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {error !== undefined && <ErrorText error={error} />}
      {isAdmin && (
        <>
          <Invite path={path} onDone={onDone} />
          <p>
            <Confirm
              text={t.delete}
              name={`${t.delete} ${team.name}`}
              title={t.deleteTitle(team.name)}
              note={t.deleteNote}
              action={async () => {
                await api.delete(path);
                onDone();
              }}
            />
          </p>
        </>
      )}
    </section>
  );
};

const NewTeam = ({ onDone }: { onDone: () => void }) => {
  const [name, setName] = useState('');
  const { isBusy, error, run } = useAct();
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        if (!(await run(() => api.post('/teams', { body: { name: name.trim() } })))) return;
        setName('');
        onDone();
      }}
    >
      <h2>{t.new}</h2>
      <div class="row form-line">
        <TextField label={t.name} required value={name} onInput={setName} />
        <button class="button main" type="submit" disabled={isBusy}>
          {texts.manage.create}
        </button>
      </div>
      {error !== undefined && <ErrorText error={error} />}
    </form>
  );
};

const Invitations = ({ list, onDone }: { list: readonly Invitation[]; onDone: () => void }) => {
  const { isBusy, error, run } = useAct();
  const answer = async (method: 'put' | 'delete', team: string): Promise<void> => {
    if (await run(() => api[method](`/account/invitations/${encodeURIComponent(team)}`))) onDone();
  };
  return (
    <section class="stack">
      <h2>{t.invitations}</h2>
      <ul class="lines">
        {list.map(({ team, role, invitedBy }) => (
          <li class="row" key={team}>
            {t.invitation(team, t.roles[role], invitedBy)}
            <span class="end row">
              <button
                class="button main"
                type="button"
                disabled={isBusy}
                onClick={() => void answer('put', team)}
              >
                {t.accept}
              </button>
              <button
                class="button"
                type="button"
                disabled={isBusy}
                onClick={() => void answer('delete', team)}
              >
                {t.decline}
              </button>
            </span>
          </li>
        ))}
      </ul>
      {error !== undefined && <ErrorText error={error} />}
    </section>
  );
};

export const Teams = () => {
  const found = useLoad(
    (signal) =>
      Promise.all([
        api.get<Team[]>('/teams', { signal }),
        api.get<Invitation[]>('/account/invitations', { signal }),
      ]),
    [],
  );
  return (
    <AccountPage lead={t.lead}>
      <Show of={found}>
        {([teams, invitations]) => (
          <div class="stack sections">
            {invitations.length > 0 && <Invitations list={invitations} onDone={found.reload} />}
            {teams.length === 0 && invitations.length === 0 && (
              <State title={t.empty}>
                <p class="soft">{t.emptyMore}</p>
              </State>
            )}
            {teams.map((team) => (
              <TeamPanel key={team.name} team={team} onDone={found.reload} />
            ))}
            <NewTeam onDone={found.reload} />
          </div>
        )}
      </Show>
    </AccountPage>
  );
};
