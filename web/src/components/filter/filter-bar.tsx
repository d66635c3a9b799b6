import type { ComponentChildren } from 'preact';
import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ApiError, api, isAbort } from '../../lib/api.js';
import {
  both,
  type Comparison,
  comparisons,
  condition,
  conditionsOf,
  joined,
  wordsFilter,
} from '../../lib/filter.js';
import { passFocus } from '../../lib/focus.js';
import { count } from '../../lib/format.js';
import type { Query } from '../../lib/query.js';
import { askRows } from '../../lib/rows.js';
import type { Column } from '../../lib/types.js';
import { texts } from '../../texts.js';
import { type Suggestions, suggest } from './complete.js';
import './filter.css';

export interface FilterBarProps {
  readonly datasetId: number;
  readonly columns: readonly Column[];
  readonly version: Query;
  /** The filter in force. */
  readonly filter: string;
  /** Rows without any filter. */
  readonly rowCount: number;
  readonly onApply: (filter: string) => void;
  /** Buttons next to the conditions. */
  readonly children?: ComponentChildren;
}

type Matching =
  | { readonly state: 'none' | 'counting' }
  | { readonly state: 'counted'; readonly rows: number }
  | { readonly state: 'wrong'; readonly error: unknown };

/** Counts the rows that match while somebody types. */
const useMatching = ({ datasetId, version }: FilterBarProps, filter: string): Matching => {
  const [matching, setMatching] = useState<Matching>({ state: 'none' });
  useEffect(() => {
    if (filter.trim() === '') {
      setMatching({ state: 'none' });
      return;
    }
    const stop = new AbortController();
    setMatching({ state: 'counting' });
    const timer = setTimeout(async () => {
      try {
        const query = { $filter: filter, $count: true, ...version };
        const answer = await askRows(datasetId, query, { accept: 'text/plain', signal: stop.signal });
        setMatching({ state: 'counted', rows: Number(await answer.text()) });
      } catch (error) {
        if (!isAbort(error) && !stop.signal.aborted) setMatching({ state: 'wrong', error });
      }
    }, 350);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [datasetId, filter, JSON.stringify(version)]);
  return matching;
};

/** The filter with the place of the mistake marked, and what is wrong there. */
const Mistake = ({ error, filter }: { error: unknown; filter: string }) => {
  const position = error instanceof ApiError ? Number(error.details.position) : Number.NaN;
  // Positions count characters from 1; a text here counts UTF-16 units.
  const letters = [...filter];
  const at = Math.max(0, Math.min(position - 1, letters.length));
  const [word = ''] = /^(\S+|\s+)?/.exec(letters.slice(at).join('')) ?? [];
  return (
    <div class="filter-mistake" role="alert">
      {!Number.isNaN(position) && (
        <p class="filter-where">
          <code>
            {letters.slice(Math.max(0, at - 40), at).join('')}
            <mark>{word === '' ? '\u00a0' : word}</mark>
            {letters.slice(at + [...word].length, at + 60).join('')}
          </code>
        </p>
      )}
      <p>{error instanceof Error ? error.message : String(error)}</p>
      {error instanceof ApiError && error.status >= 500 && error.requestId !== undefined && (
        <p class="small soft">
          {texts.errors.requestId} <code>{error.requestId}</code>
        </p>
      )}
    </div>
  );
};

const none: readonly string[] = [];

/** Values of a column that begin with what was written. */
const useValues = (datasetId: number, found: Suggestions | undefined): readonly string[] => {
  const [values, setValues] = useState<{ readonly key: string; readonly list: readonly string[] }>();
  const key = found?.kind === 'values' ? `${found.column.id} ${found.startsWith}` : '';
  useEffect(() => {
    if (found?.kind !== 'values') return;
    const stop = new AbortController();
    const { column, startsWith } = found;
    const timer = setTimeout(() => {
      api
        .get<{ value: string }[]>(`/datasets/${datasetId}/columns/${column.id}/values`, {
          query: { startsWith, $top: 10 },
          signal: stop.signal,
        })
        .then(
          (list) => setValues({ key, list: list.map(({ value }) => value) }),
          (error: unknown) => {
            // Nothing is suggested; the filter can be written all the same.
            if (!isAbort(error) && !(error instanceof ApiError)) throw error;
          },
        );
    }, 150);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [datasetId, key]);
  return values?.key === key ? values.list : none;
};

const ConditionForm = ({ columns, onAdd }: { columns: readonly Column[]; onAdd: (text: string) => void }) => {
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

const textField = '.filter-text input';

/** The conditions in force, each with a button that takes it out. A single one is cleared as a whole. */
const Conditions = ({ filter, onApply }: { filter: string; onApply: (filter: string) => void }) => {
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

/** Attributes that make a text field a combobox. */
const comboBox = (isOpen: boolean, list: string, active: string): object => ({
  role: 'combobox',
  'aria-expanded': isOpen,
  'aria-controls': list,
  'aria-autocomplete': 'list',
  ...(isOpen ? { 'aria-activedescendant': active } : {}),
});

/** The filter as text that can be edited, with completion, its mistakes at their place, and how many rows match. */
export const FilterBar = (props: FilterBarProps) => {
  const { datasetId, columns, filter, rowCount, onApply } = props;
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [draft, setDraft] = useState(filter);
  const [found, setFound] = useState<Suggestions>();
  const [chosen, setChosen] = useState(0);
  const matching = useMatching(props, draft);
  const values = useValues(datasetId, found);
  const searched = wordsFilter(draft, columns);
  // At once: later it would take away what was typed meanwhile.
  useLayoutEffect(() => setDraft(filter), [filter]);

  const items =
    found === undefined
      ? []
      : found.kind === 'words'
        ? found.items
        : values.map((value) => `'${value.replaceAll("'", "''")}' `);
  const lookAround = (): void => {
    const element = input.current;
    if (element === null) return;
    setChosen(0);
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
    lookAround();
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
    } else if (event.key === 'Tab' && isOpen && !event.shiftKey) {
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
              lookAround();
            }}
            onClick={lookAround}
            onKeyDown={onKeyDown}
            onBlur={() => setTimeout(() => setFound(undefined), 150)}
          />
          <div
            class="filter-list"
            id={`${id}list`}
            role="listbox"
            aria-label={texts.filter.suggestions}
            hidden={items.length === 0}
          >
            {items.map((item, index) => (
              <div
                key={item}
                id={`${id}item${index}`}
                role="option"
                tabIndex={-1}
                aria-selected={index === chosen}
                onPointerDown={(event) => {
                  event.preventDefault();
                  take(item);
                }}
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
