import { useState } from 'preact/hooks';
import { TextField } from '../../components/text-field.js';
import { setQuery } from '../../lib/router.js';
import { texts } from '../../texts.js';
import type { Parameter } from './types.js';

const t = texts.providers.view;

/** Parameters in the URL, by key. */
export const paramsIn = (
  parameters: readonly Parameter[],
  query: URLSearchParams,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    parameters
      .map(({ key }): [string, string] => [key, query.get(key) ?? ''])
      .filter(([, value]) => value !== ''),
  );

/** Converts numbers for the API. An invalid number stays a text, which the API rejects with a message. */
export const paramsOf = (
  parameters: readonly Parameter[],
  given: Readonly<Record<string, string>>,
): Readonly<Record<string, string | number>> =>
  Object.fromEntries(
    Object.entries(given).map(([key, value]) => {
      const isNumber = parameters.some((one) => one.key === key && one.type === 'number');
      return [key, isNumber && Number.isFinite(Number(value)) ? Number(value) : value];
    }),
  );

const fallbackOf = ({ default: fallback, values = [] }: Parameter): string | undefined =>
  fallback === undefined
    ? undefined
    : (values.find(({ code }) => code === String(fallback))?.label ?? String(fallback));

const Field = ({
  parameter,
  value,
  onInput,
}: {
  parameter: Parameter;
  value: string;
  onInput: (text: string) => void;
}) => {
  const { label, type, values = [], key } = parameter;
  const fallback = fallbackOf(parameter);
  if (type === 'select')
    return (
      <label class="field">
        <span>{label}</span>
        <select class="input" value={value} onChange={({ currentTarget }) => onInput(currentTarget.value)}>
          <option value="">{fallback === undefined ? '' : t.fallback(fallback)}</option>
          {values.map(({ code, label: name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    );
  const isDay = key === 'start' || key === 'end';
  return (
    <TextField
      label={label}
      inputMode={type === 'number' ? 'decimal' : 'text'}
      autocomplete="off"
      spellcheck={false}
      placeholder={isDay ? t.dayForm : (fallback ?? '')}
      value={value}
      onInput={onInput}
    />
  );
};

/** Form for the parameters of a provider. Applying it changes the URL. */
export const ParameterForm = ({
  parameters,
  given,
  isAll,
}: {
  parameters: readonly Parameter[];
  given: Readonly<Record<string, string>>;
  /** True if the page shows all observations, not the preview. */
  isAll: boolean;
}) => {
  const [values, setValues] = useState(given);
  return (
    <form
      class="series-form"
      onSubmit={(event) => {
        event.preventDefault();
        setQuery({
          ...Object.fromEntries(parameters.map(({ key }) => [key, values[key]?.trim()])),
          all: 'true',
        });
      }}
    >
      {parameters.map((parameter) => (
        <Field
          key={parameter.key}
          parameter={parameter}
          value={values[parameter.key] ?? ''}
          onInput={(text) => setValues({ ...values, [parameter.key]: text })}
        />
      ))}
      <div class="row">
        <button class={isAll ? 'button' : 'button main'} type="submit">
          {isAll ? t.apply : t.showAll}
        </button>
        {isAll && (
          <button
            class="button plain"
            type="button"
            onClick={() =>
              setQuery({
                ...Object.fromEntries(parameters.map(({ key }) => [key, undefined])),
                all: undefined,
              })
            }
          >
            {t.toPreview}
          </button>
        )}
      </div>
    </form>
  );
};
