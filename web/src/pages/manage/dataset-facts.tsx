import { useRef, useState } from 'preact/hooks';
import { ErrorText, Show } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { saveChanges, useEdited } from '../../lib/edited.js';
import { useLoad } from '../../lib/load.js';
import type { Column, DatasetDetail } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.manage.dataset;

export const Saved = ({ is }: { is: boolean }) => (
  <span role="status" class="small soft">
    {is ? texts.manage.saved : ''}
  </span>
);

/** Name, description and source. */
export const Facts = ({ dataset, onSaved }: { dataset: DatasetDetail; onSaved: () => void }) => {
  const first = {
    name: dataset.name,
    description: dataset.description ?? null,
    sourceName: dataset.sourceName ?? null,
    sourceUrl: dataset.sourceUrl ?? null,
  };
  const { values, change, save } = useEdited(first, (opened, now) =>
    saveChanges(`/datasets/${dataset.id}`, opened, now),
  );
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAct();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const ok = await run(save);
    setSaved(ok);
    if (ok) onSaved();
  };
  const put = (field: keyof typeof values, text: string): void => {
    setSaved(false);
    change({ [field]: text === '' && field !== 'name' ? null : text });
  };
  return (
    <form class="stack narrow-form" onSubmit={(event) => void submit(event)}>
      <h2>{t.facts}</h2>
      {(['name', 'sourceName', 'sourceUrl'] as const).map((field) => (
        <TextField
          key={field}
          label={t[field]}
          required={field === 'name'}
          value={values[field] ?? ''}
          onInput={(text) => put(field, text)}
        />
      ))}
      <label class="field">
        <span>{t.description}</span>
        <textarea
          class="input"
          rows={4}
          value={values.description ?? ''}
          onInput={({ currentTarget }) => put('description', currentTarget.value)}
        />
      </label>
      {error !== undefined && <ErrorText error={error} />}
      <p class="row">
        <button class="button main" type="submit" disabled={isBusy}>
          {texts.actions.save}
        </button>
        <Saved is={isSaved} />
      </p>
    </form>
  );
};

const ColumnLine = ({ datasetId, column }: { datasetId: number; column: Column }) => {
  const [shown, setShown] = useState(column);
  const isEntity = useRef(column.isEntity);
  const [isSaved, setSaved] = useState(false);
  const { error, run } = useAct();
  const save = async (change: Partial<Column>): Promise<void> => {
    // Changes may overlap, so each response updates only the fields of its own change.
    const show = (of: Partial<Column>): void => setShown((before) => ({ ...before, ...of }));
    show(change);
    const isDone = await run(async () => {
      const kept = await api.patch<Column>(`/datasets/${datasetId}/columns/${column.id}`, { body: change });
      show(Object.fromEntries(Object.entries(kept).filter(([name]) => name in change)));
    });
    setSaved(isDone);
    if (isDone) isEntity.current = change.isEntity ?? isEntity.current;
    // A refused description stays in its field, with the error. A checkbox would look saved.
    else if ('isEntity' in change) show({ isEntity: isEntity.current });
  };
  return (
    <tr>
      <th scope="row">{shown.name}</th>
      <td>
        <span class="tag">{texts.types[shown.dataType]}</span>
      </td>
      <td>
        <input
          type="checkbox"
          aria-label={t.entityOf(shown.name)}
          checked={shown.isEntity}
          onChange={({ currentTarget }) => void save({ isEntity: currentTarget.checked })}
        />
      </td>
      <td>
        <input
          class="input"
          aria-label={t.descriptionOf(shown.name)}
          value={shown.description ?? ''}
          onChange={({ currentTarget: { value } }) => void save({ description: value === '' ? null : value })}
        />
        <Saved is={isSaved} />
        {error !== undefined && <ErrorText error={error} />}
      </td>
    </tr>
  );
};

const columnsAtOnce = 100;

/** Descriptions and entity flags of the columns. Each change is saved immediately. */
export const Columns = ({ dataset }: { dataset: DatasetDetail }) => {
  const [shown, setShown] = useState(columnsAtOnce);
  const { columns } = dataset;
  return (
    <section class="stack">
      <h2>{t.columns}</h2>
      <p class="soft">{t.entityNote}</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="scroll-x" tabIndex={0} aria-label={t.columns}>
        <table class="table columns-table">
          <thead>
            <tr>
              <th scope="col">{t.column}</th>
              <th scope="col">{t.type}</th>
              <th scope="col">{t.entity}</th>
              <th scope="col">{t.columnDescription}</th>
            </tr>
          </thead>
          <tbody>
            {columns.slice(0, shown).map((column) => (
              <ColumnLine key={column.id} datasetId={dataset.id} column={column} />
            ))}
          </tbody>
        </table>
      </section>
      {columns.length > shown && (
        <p>
          <button class="button" type="button" onClick={() => setShown(shown + columnsAtOnce)}>
            {texts.upload.preview.moreColumns(columns.length - shown)}
          </button>
        </p>
      )}
    </section>
  );
};

interface Settings {
  readonly versions: number | null;
  readonly days: number | null;
  readonly plan: { readonly versions: number | null; readonly days: number | null };
}

const RetentionForm = ({ path, settings }: { path: string; settings: Settings }) => {
  const first = { versions: settings.versions, days: settings.days };
  const { values, change, save } = useEdited(first, (opened, now) => saveChanges(path, opened, now));
  const [isSaved, setSaved] = useState(false);
  const { isBusy, error, run } = useAct();
  const number = (text: string): number | null => (text.trim() === '' ? null : Number(text));
  const { plan } = settings;
  return (
    <form
      class="stack"
      onSubmit={async (event) => {
        event.preventDefault();
        setSaved(await run(save));
      }}
    >
      <p class="soft">{t.retentionNote}</p>
      {(plan.versions !== null || plan.days !== null) && (
        <p class="small soft">{t.plan(String(plan.versions ?? t.all), String(plan.days ?? t.unlimited))}</p>
      )}
      <div class="row form-line">
        <TextField
          label={t.versions}
          type="number"
          min={1}
          value={values.versions?.toString() ?? ''}
          onInput={(text) => change({ versions: number(text) })}
        />
        <TextField
          label={t.days}
          type="number"
          min={1}
          value={values.days?.toString() ?? ''}
          onInput={(text) => change({ days: number(text) })}
        />
        <button class="button main" type="submit" disabled={isBusy}>
          {texts.actions.save}
        </button>
        <Saved is={isSaved} />
      </div>
      {error !== undefined && <ErrorText error={error} />}
    </form>
  );
};

export const Retention = ({ datasetId }: { datasetId: number }) => {
  const path = `/datasets/${datasetId}/retention`;
  const found = useLoad((signal) => api.get<Settings>(path, { signal }), [path]);
  return (
    <section class="stack">
      <h2>{t.retention}</h2>
      <Show of={found}>{(settings) => <RetentionForm path={path} settings={settings} />}</Show>
    </section>
  );
};
