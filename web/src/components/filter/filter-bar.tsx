import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { both, wordsFilter } from '../../lib/filter.js';
import { passFocus } from '../../lib/focus.js';
import { count } from '../../lib/format.js';
import type { Query } from '../../lib/query.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { type Suggestions, suggest } from './complete.js';
import { ConditionForm, Conditions, textField } from './conditions.js';
import { Mistake, useMatching } from './matching.js';
import { useValues } from './values.js';
import './filter.css';

interface FilterBarProps {
  readonly datasetId: number;
  readonly columns: readonly Column[];
  readonly version: Query;
  /** The active filter. */
  readonly filter: string;
  /** Rows without any filter. */
  readonly rowCount: number;
  readonly onApply: (filter: string) => void;
  /** Buttons next to the conditions. */
  readonly children?: ComponentChildren;
}

/** Attributes that make a text field a combobox. */
const comboBox = (isOpen: boolean, list: string, active: string): object => ({
  role: 'combobox',
  'aria-expanded': isOpen,
  'aria-controls': list,
  'aria-autocomplete': 'list',
  ...(isOpen ? { 'aria-activedescendant': active } : {}),
});

/** Editor of the filter with completion, marked mistakes and the number of matching rows. */
export const FilterBar = (props: FilterBarProps) => {
  const { datasetId, columns, filter, rowCount, onApply } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(filter);
  const [found, setFound] = useState<Suggestions>();
  const [chosen, setChosen] = useState(0);
  /** The user moved to the highlighted suggestion: Enter takes it. */
  const [isPicked, setPicked] = useState(false);
  const matching = useMatching(datasetId, props.version, draft);
  const values = useValues(datasetId, found);
  const searched = wordsFilter(draft, columns);
  // Synchronously: later it could overwrite what the user has typed.
  useLayoutEffect(() => setDraft(filter), [filter]);

  const items =
    found === undefined
      ? []
      : found.kind === 'words'
        ? found.items
        : values.map((value) => `'${value.replaceAll("'", "''")}' `);
  const updateSuggestions = (): void => {
    const element = input.current;
    if (element === null) return;
    setChosen(0);
    setPicked(false);
    setFound(suggest(element.value.slice(0, element.selectionStart ?? 0), columns));
  };
  const take = (item: string): void => {
    const element = input.current;
    if (element === null || found === undefined) return;
    const text = element.value.slice(0, found.from) + item + element.value.slice(element.selectionStart ?? 0);
    const caret = found.from + item.length;
    setDraft(text);
    element.value = text;
    element.setSelectionRange(caret, caret);
    element.focus();
    updateSuggestions();
  };
  const apply = (): void => {
    setFound(undefined);
    onApply(draft.trim());
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const isOpen = items.length > 0;
    if (event.key === 'Escape' && isOpen) {
      setFound(undefined);
      event.preventDefault();
    } else if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && isOpen) {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : items.length - 1;
      setChosen((chosen + step) % items.length);
      setPicked(true);
    } else if (isOpen && !event.shiftKey && (event.key === 'Tab' || (event.key === 'Enter' && isPicked))) {
      event.preventDefault();
      take(items[chosen] ?? '');
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      apply();
    }
  };

  return (
    <section class="filter" aria-label={texts.filter.title}>
      <div class="filter-line">
        <div class="filter-text">
          <label for={`${id}text`} class="hidden-text">
            {texts.filter.label}
          </label>
          <input
            ref={input}
            id={`${id}text`}
            class="input"
            type="text"
            spellcheck={false}
            autocomplete="off"
            placeholder={texts.filter.placeholder}
            value={draft}
            {...comboBox(items.length > 0, `${id}list`, `${id}item${chosen}`)}
            aria-invalid={matching.state === 'wrong'}
            onInput={(event) => {
              setDraft(event.currentTarget.value);
              updateSuggestions();
            }}
            onClick={updateSuggestions}
            onKeyDown={onKeyDown}
            onBlur={() => setFound(undefined)}
          />
          <div
            class="filter-list"
            id={`${id}list`}
            role="listbox"
            aria-label={texts.filter.suggestions}
            hidden={items.length === 0}
            // A press on a suggestion or the scroll bar must not take the focus from the input, which would close the list.
            onMouseDown={(event) => event.preventDefault()}
          >
            {items.map((item, index) => (
              <div
                key={item}
                id={`${id}item${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === chosen}
                onMouseDown={() => take(item)}
              >
                {item}
              </div>
            ))}
          </div>
        </div>
        <button
          class="button main"
          type="button"
          disabled={draft.trim() === filter}
          onClick={(event) => {
            passFocus(event, '.filter', textField);
            apply();
          }}
        >
          {texts.filter.apply}
        </button>
        {filter !== '' && (
          <button
            class="button"
            type="button"
            onClick={(event) => {
              passFocus(event, '.filter', textField);
              onApply('');
            }}
          >
            {texts.filter.clear}
          </button>
        )}
      </div>
      <Conditions filter={filter} onApply={onApply} />
      <div class="filter-line">
        <ConditionForm columns={columns} onAdd={(text) => onApply(both(filter, text))} />
        {props.children}
        <p class="filter-count number" role="status">
          {matching.state === 'counted' && texts.filter.matching(count(matching.rows), count(rowCount))}
          {matching.state === 'counting' && texts.filter.counting}
          {matching.state === 'none' && texts.filter.all(count(rowCount))}
        </p>
      </div>
      {matching.state === 'wrong' && searched !== undefined && (
        <p>
          <button class="button" type="button" onClick={() => onApply(searched)}>
            {texts.filter.find(draft.trim())}
          </button>
        </p>
      )}
      {matching.state === 'wrong' && <Mistake error={matching.error} filter={draft} />}
    </section>
  );
};
