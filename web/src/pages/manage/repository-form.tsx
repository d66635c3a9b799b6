import { useState } from 'preact/hooks';
import { ErrorText } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { useEdited } from '../../lib/edited.js';
import type { Repository } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { Saved } from './dataset-facts.js';

const t = texts.manage.repositories;

interface RepositoryValues {
  readonly name: string;
  readonly description: string | null;
  readonly privacy: Repository['privacy'];
  readonly team?: string | null;
}

interface Props {
  readonly first: RepositoryValues;
  /** Teams that a new repository may belong to; empty for an existing one. */
  readonly teams: readonly string[];
  readonly submitText: string;
  /** Returns the fields that the form shows next. */
  readonly onSubmit: (opened: RepositoryValues, values: RepositoryValues) => Promise<RepositoryValues>;
}

/** Name, description and privacy of a repository. */
export const RepositoryForm = ({ first, teams, submitText, onSubmit }: Props) => {
  const { values, change, save } = useEdited(first, onSubmit);
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAct();
  const put = (fields: Partial<RepositoryValues>): void => {
    setSaved(false);
    change(fields);
  };
  return (
    <form
      class="stack narrow-form"
      onSubmit={async (event) => {
        event.preventDefault();
        setSaved(await run(save));
      }}
    >
      <TextField label={t.name} required value={values.name} onInput={(text) => put({ name: text })} />
      <label class="field">
        <span>{t.description}</span>
        <textarea
          class="input"
          rows={2}
          value={values.description ?? ''}
          onInput={({ currentTarget: { value } }) => put({ description: value === '' ? null : value })}
        />
      </label>
      <label class="field">
        <span>{t.privacy}</span>
        <select
          class="input"
          value={values.privacy}
          onChange={({ currentTarget: { value } }) =>
            put({ privacy: value === 'Public' ? 'Public' : 'Private' })
          }
        >
          {(['Private', 'Public'] as const).map((privacy) => (
            <option key={privacy} value={privacy}>
              {t.privacies[privacy]}
            </option>
          ))}
        </select>
      </label>
      {teams.length > 0 && (
        <label class="field">
          <span>{t.team}</span>
          <select
            class="input"
            value={values.team ?? ''}
            onChange={({ currentTarget: { value } }) => put({ team: value === '' ? null : value })}
          >
            <option value="">{t.noTeam}</option>
            {teams.map((team) => (
              <option key={team} value={team}>
                {team}
              </option>
            ))}
          </select>
        </label>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <p class="row">
        <button class="button main" type="submit" disabled={isBusy}>
          {submitText}
        </button>
        <Saved is={isSaved} />
      </p>
    </form>
  );
};
