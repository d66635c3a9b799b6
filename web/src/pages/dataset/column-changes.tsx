import { useState } from 'preact/hooks';
import { Dialog } from '../../components/dialog.js';
import { ErrorText } from '../../components/states.js';
import { useAct } from '../../lib/act.js';
import { api } from '../../lib/api.js';
import { withColumnRenamed } from '../../lib/filter.js';
import { address, setQuery } from '../../lib/router.js';
import type { Column, DatasetDetail } from '../../lib/types.js';
import { texts } from '../../texts.js';

const t = texts.columns;

/** A change that was asked for; it is asked about once, in a dialog. */
export interface ColumnChange {
  readonly kind: 'rename' | 'remove';
  readonly column: Column;
}

interface ChangeProps {
  readonly dataset: DatasetDetail;
  readonly column: Column;
  /** Told in words what was done. */
  readonly onDone: (text: string) => void;
  readonly onClose: () => void;
}

const columnPath = (dataset: DatasetDetail, column: Column): string =>
  `/datasets/${dataset.id}/columns/${column.id}`;

/** The view goes on with the new name. */
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

/** A view that asks for a column that is gone shows everything again. */
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

const Rename = ({ dataset, column, onDone, onClose }: ChangeProps) => {
  const [name, setName] = useState(column.name);
  const { isBusy, error, run } = useAct();
  const wanted = name.trim();
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
        <label class="field">
          <span>{t.newName}</span>
          <input
            class="input"
            required
            value={name}
            onInput={({ currentTarget }) => setName(currentTarget.value)}
          />
        </label>
        <p class="small soft">{t.renameNote}</p>
        {error !== undefined && <ErrorText error={error} />}
        <div class="row">
          <button
            class="button main"
            type="submit"
            disabled={isBusy || wanted === '' || wanted === column.name}
          >
            {t.rename}
          </button>
        </div>
      </form>
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

/** The dialog of a change that was asked for. */
export const ColumnChangeDialog = ({
  change: { kind, column },
  ...props
}: Omit<ChangeProps, 'column'> & { readonly change: ColumnChange }) =>
  kind === 'rename' ? <Rename {...props} column={column} /> : <Remove {...props} column={column} />;
