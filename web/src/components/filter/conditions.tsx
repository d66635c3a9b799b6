import { useId, useState } from 'preact/hooks';
import { type Comparison, comparisons, condition, conditionsOf, joined } from '../../lib/filter.js';
import { passFocus } from '../../lib/focus.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';

/** A form that adds a condition to the filter. */
export const ConditionForm = ({
  columns,
  onAdd,
}: {
  columns: readonly Column[];
  onAdd: (text: string) => void;
}) => {
  const id = useId();
  const [name, setName] = useState(columns[0]?.name ?? '');
  const column = columns.find((one) => one.name === name);
  const choices = comparisons[column?.dataType ?? 'String'];
  const [chosen, setChosen] = useState<Comparison>('eq');
  const comparison = choices.includes(chosen) ? chosen : (choices[0] ?? 'eq');
  const [value, setValue] = useState('');
  const needsValue = comparison !== 'null' && comparison !== 'notNull';
  return (
    <form
      class="filter-condition"
      onSubmit={(event) => {
        event.preventDefault();
        if (column !== undefined) onAdd(condition(column, comparison, value));
        setValue('');
      }}
    >
      <label>
        <span class="hidden-text">{texts.filter.column}</span>
        <input
          class="input"
          list={id}
          value={name}
          aria-invalid={column === undefined}
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <datalist id={id}>
        {columns.slice(0, 500).map((one) => (
          <option key={one.id} value={one.name} />
        ))}
      </datalist>
      <label>
        <span class="hidden-text">{texts.filter.comparison}</span>
        <select
          class="input"
          value={comparison}
          onChange={(event) => setChosen(event.currentTarget.value as Comparison)}
        >
          {choices.map((one) => (
            <option key={one} value={one}>
              {texts.filter.comparisons[one]}
            </option>
          ))}
        </select>
      </label>
      {needsValue && (
        <label>
          <span class="hidden-text">{texts.filter.value}</span>
          <input
            class="input"
            required
            placeholder={texts.filter.value}
            {...(column?.dataType === 'Date' ? { type: 'date' } : { type: 'text' })}
            inputMode={column?.dataType === 'Decimal' ? 'decimal' : 'text'}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        </label>
      )}
      <button class="button" type="submit" disabled={column === undefined}>
        {texts.filter.add}
      </button>
    </form>
  );
};

/** The filter input, which gets the focus when a button disappears. */
export const textField = '.filter-text input';

/** Active conditions, each with a button that removes it. Not shown for a single one, which “Clear the filter” removes. */
export const Conditions = ({ filter, onApply }: { filter: string; onApply: (filter: string) => void }) => {
  const conditions = conditionsOf(filter);
  if (conditions.length < 2) return null;
  return (
    <ul class="filter-conditions" aria-label={texts.filter.inForce}>
      {conditions.map((text, at) => (
        <li key={`${at} ${text}`}>
          <code>{text}</code>
          <button
            type="button"
            aria-label={texts.filter.remove(text)}
            onClick={(event) => {
              passFocus(event, '.filter', textField);
              onApply(joined(conditions.filter((_, index) => index !== at)));
            }}
          >
            <span aria-hidden="true">✕</span>
          </button>
        </li>
      ))}
    </ul>
  );
};
