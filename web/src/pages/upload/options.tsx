import { texts } from '../../texts.js';
import { useBeginning } from './preview.js';

const t = texts.upload;

const modes = ['replace', 'append', 'upsert', 'sync', 'delete'] as const;
type Mode = (typeof modes)[number];

export interface Options {
  readonly mode: Mode;
  readonly key: readonly string[];
  readonly onDuplicateKey: 'fail' | 'last' | 'first';
  readonly onBadRow: 'fail' | 'quarantine';
}

const isKeyed = (mode: Mode): boolean => mode !== 'replace' && mode !== 'append';

/** Upload options of the API for one file. */
export const givenOptions = (
  { mode, key, onDuplicateKey, onBadRow }: Options,
  { isFirst, isDryRun }: { isFirst: boolean; isDryRun: boolean },
): Record<string, string> => ({
  mode: mode === 'replace' && !isFirst ? 'append' : mode,
  onBadRow,
  ...(isKeyed(mode) ? { onDuplicateKey, ...(key.length > 0 ? { key: JSON.stringify(key) } : {}) } : {}),
  ...(isDryRun ? { dryRun: 'true' } : {}),
});

interface Props {
  readonly options: Options;
  readonly first: File | undefined;
  readonly hasSeveral: boolean;
  readonly onChange: (options: Options) => void;
}

const Key = ({ options, first, onChange }: Props) => {
  const names = useBeginning(first)?.header ?? [];
  const toggle = (name: string): void => {
    const key = names.filter((one) => options.key.includes(one) !== (one === name));
    onChange({ ...options, key });
  };
  return (
    <>
      <fieldset class="choices">
        <legend>{t.key.legend}</legend>
        <div class="row chips">
          {names.map((name) => (
            <label class="chip" key={name}>
              <input type="checkbox" checked={options.key.includes(name)} onChange={() => toggle(name)} />
              {name}
            </label>
          ))}
        </div>
        {options.key.length === 0 && <p class="small soft">{t.key.entities}</p>}
      </fieldset>
      <label class="field short">
        <span>{t.key.duplicates}</span>
        <select
          class="input"
          value={options.onDuplicateKey}
          onChange={({ currentTarget: { value } }) =>
            onChange({ ...options, onDuplicateKey: value as Options['onDuplicateKey'] })
          }
        >
          {(['fail', 'last', 'first'] as const).map((choice) => (
            <option key={choice} value={choice}>
              {t.key[choice]}
            </option>
          ))}
        </select>
      </label>
    </>
  );
};

/** How a file changes an existing dataset. */
export const ModeOptions = (props: Props) => {
  const { options, hasSeveral, onChange } = props;
  return (
    <>
      <fieldset class="choices">
        <legend>{t.how.legend}</legend>
        {modes.map((mode) => (
          <label class="choice" key={mode}>
            <input
              type="radio"
              name="mode"
              checked={options.mode === mode}
              onChange={() => onChange({ ...options, mode })}
            />
            <span>
              <strong>{t.how[mode][0]}</strong> <span class="soft">{t.how[mode][1]}</span>
            </span>
          </label>
        ))}
        {hasSeveral && (
          <p class="small soft">{options.mode === 'replace' ? t.how.severalReplace : t.how.several}</p>
        )}
      </fieldset>
      {isKeyed(options.mode) && <Key {...props} />}
    </>
  );
};

export const BadRows = ({ options, onChange }: Pick<Props, 'options' | 'onChange'>) => (
  <label class="field short">
    <span>{t.badRows.label}</span>
    <select
      class="input"
      value={options.onBadRow}
      onChange={({ currentTarget: { value } }) =>
        onChange({ ...options, onBadRow: value as Options['onBadRow'] })
      }
    >
      {(['fail', 'quarantine'] as const).map((choice) => (
        <option key={choice} value={choice}>
          {t.badRows[choice]}
        </option>
      ))}
    </select>
  </label>
);
