import { useState } from 'preact/hooks';
import { count } from '../../lib/format.js';
import { useLoad } from '../../lib/load.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { Dialog } from '../dialog.js';
import { ErrorState, Waiting } from '../states.js';
import { type RowsOf, readRows } from './read-rows.js';
import { typeSigns } from './type-signs.js';
import './one-row.css';

const t = texts.grid.oneRow;

const maxListed = 200;
/** Rows with more columns get a search field. */
const fewColumns = 12;

interface OneRowProps {
  readonly rows: RowsOf;
  readonly row: number;
  /** Number of matching rows. */
  readonly rowCount: number;
  /** Visible columns. */
  readonly shown: readonly Column[];
  readonly onRow: (row: number) => void;
  readonly onClose: () => void;
}

const Values = ({ shown, values }: { shown: readonly Column[]; values: readonly (string | null)[] }) => {
  const [words, setWords] = useState('');
  const wanted = words.trim().toLowerCase();
  const matching = shown
    .map((column, at) => ({ column, value: values[at] ?? null }))
    .filter(({ column }) => column.name.toLowerCase().includes(wanted));
  return (
    <>
      {shown.length > fewColumns && (
        <input
          class="input"
          type="search"
          aria-label={t.find}
          placeholder={t.find}
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      )}
      <dl class="one-row" tabIndex={0}>
        {matching.slice(0, maxListed).map(({ column, value }) => (
          <div key={column.id}>
            <dt>
              <abbr title={texts.types[column.dataType]}>{typeSigns[column.dataType]}</abbr> {column.name}
            </dt>
            <dd class={value === null ? 'soft' : ''}>{value ?? t.empty}</dd>
          </div>
        ))}
      </dl>
      {matching.length === 0 && <p class="soft">{t.noColumn}</p>}
      {matching.length > maxListed && (
        <p class="small soft">{t.more(count(maxListed), count(matching.length))}</p>
      )}
    </>
  );
};

/** Dialog with the full values of a row; the grid truncates long ones. */
export const OneRow = ({ rows, row, rowCount, shown, onRow, onClose }: OneRowProps) => {
  const found = useLoad(
    async (signal) => {
      const [values = []] = await readRows(rows, { first: row, count: 1, selected: shown }, signal);
      return values;
    },
    [JSON.stringify(rows), row, shown],
  );
  const step = (text: string, to: number) => (
    <button class="button" type="button" disabled={to < 0 || to >= rowCount} onClick={() => onRow(to)}>
      {text}
    </button>
  );
  return (
    <Dialog
      title={t.title(count(row))}
      onClose={onClose}
      actions={
        <>
          {step(t.previous, row - 1)}
          {step(t.next, row + 1)}
        </>
      }
    >
      <p class="small soft">{t.of(count(rowCount))}</p>
      {found.state === 'error' ? (
        <ErrorState error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Waiting />
      ) : (
        <Values shown={shown} values={found.data} />
      )}
    </Dialog>
  );
};
