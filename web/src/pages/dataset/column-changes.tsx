import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { ErrorText } from '../../components/states.js';
import { TextField } from '../../components/text-field.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { withColumnRenamed } from '../../lib/filter.js';
import { settled } from '../../lib/follow.js';
import { address, setQuery } from '../../lib/router.js';
import type { Column, DatasetDetail, Process } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.columns;

/** A change that the user must confirm. */
export interface ColumnChange {
  readonly kind: 'rename' | 'remove';
  readonly column: Column;
}

interface ChangeProps {
  readonly dataset: DatasetDetail;
  readonly column: Column;
  /** Called with a message about the change. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const columnPath = (dataset: DatasetDetail, column: Column): string =>
  `/datasets/${dataset.id}/columns/${column.id}`;

/** Updates the filter and order in the URL to the new name. */
const followName = (from: string, to: string): void => {
  const { query } = address.get();
  setQuery(
    {
      $filter: withColumnRenamed(query.get('$filter') ?? '', from, to),
      $orderby: withColumnRenamed(query.get('$orderby') ?? '', from, to),
    },
    { replace: true },
  );
};

/** Removes a deleted column from the URL, with any filter or order that uses it. */
const forget = ({ id, name }: Column): void => {
  const { query } = address.get();
  const without = (part: string): string | undefined => {
    const text = query.get(part) ?? '';
    return withColumnRenamed(text, name, `${name}-`) === text ? text : undefined;
  };
  const others = (part: string): string =>
    (query.get(part) ?? '')
      .split(',')
      .filter((text) => text !== '' && text !== String(id))
      .join(',');
  setQuery(
    { $filter: without('$filter'), $orderby: without('$orderby'), hide: others('hide'), pin: others('pin') },
    { replace: true },
  );
};

/** A merge may take longer than the request, which then returns a process. */
const merge = async (path: string, body: Record<string, string | boolean>): Promise<void> => {
  const answer = await api.patch<Column | Process>(path, { body });
  if (!('status' in answer)) return;
  const ended = await settled(answer);
  if (ended.status === 'failed') throw new Error(ended.error?.message ?? '');
};

const Merge = ({ dataset, column, into, onDone }: Omit<ChangeProps, 'onClose'> & { into: Column }) => {
  const [isText, setText] = useState(false);
  const { isBusy, error, run } = useAct();
  const differ = into.dataType !== column.dataType;
  const start = async (): Promise<void> => {
    const body = { name: into.name, merge: true, ...(isText ? { onTypeConflict: 'widen' } : {}) };
    if (!(await run(() => merge(columnPath(dataset, column), body)))) return;
    followName(column.name, into.name);
    onDone(t.merged(column.name, into.name));
  };
  return (
    <div class="stack">
      <p>{t.mergeNote(column.name, into.name)}</p>
      {differ && (
        <label class="row">
          <input
            type="checkbox"
            checked={isText}
            onChange={({ currentTarget }) => setText(currentTarget.checked)}
          />
          {t.mergeAsText}
        </label>
      )}
      {error !== undefined && <ErrorText error={error} />}
      <div class="row">
        <button class="button bad" type="button" disabled={isBusy} onClick={() => void start()}>
          {t.merge}
        </button>
        <span class="soft" role="status">
          {isBusy ? t.merging : ''}
        </span>
      </div>
    </div>
  );
};

const Rename = ({ dataset, column, onDone, onClose }: ChangeProps) => {
  const [name, setName] = useState(column.name);
  const { isBusy, error, run } = useAct();
  const wanted = name.trim();
  const other = dataset.columns.find(({ id, name: taken }) => id !== column.id && taken === wanted);
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const done = await run(() => api.patch(columnPath(dataset, column), { body: { name: wanted } }));
    if (!done) return;
    followName(column.name, wanted);
    onDone(t.renamed(column.name, wanted));
  };
  return (
    <Dialog title={t.renameTitle(column.name)} onClose={onClose}>
      <form class="stack" onSubmit={(event) => void submit(event)}>
        <TextField label={t.newName} required value={name} onInput={setName} />
        {other === undefined && <p class="small soft">{t.renameNote}</p>}
        {other === undefined && error !== undefined && <ErrorText error={error} />}
        <div class="row" hidden={other !== undefined}>
          <button
            class="button main"
            type="submit"
            disabled={isBusy || wanted === '' || wanted === column.name || other !== undefined}
          >
            {t.rename}
          </button>
        </div>
      </form>
      {other !== undefined && <Merge dataset={dataset} column={column} into={other} onDone={onDone} />}
    </Dialog>
  );
};

const Remove = ({ dataset, column, onDone, onClose }: ChangeProps) => {
  const { isBusy, error, run } = useAct();
  const remove = async (): Promise<void> => {
    if (!(await run(() => api.delete(columnPath(dataset, column))))) return;
    forget(column);
    onDone(t.removed(column.name));
  };
  return (
    <Dialog
      title={t.removeTitle(column.name)}
      onClose={onClose}
      actions={
        <button class="button bad" type="button" disabled={isBusy} onClick={() => void remove()}>
          {t.remove}
        </button>
      }
    >
      <p>{t.removeNote}</p>
      {error !== undefined && <ErrorText error={error} />}
    </Dialog>
  );
};

export const ColumnChangeDialog = ({
  change: { kind, column },
  ...props
}: Omit<ChangeProps, 'column'> & { readonly change: ColumnChange }) =>
  kind === 'rename' ? <Rename {...props} column={column} /> : <Remove {...props} column={column} />;
