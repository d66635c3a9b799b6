import { useEffect, useState } from 'preact/hooks';
import { Waiting } from '../../components/states.js';
import { beginningOf, delimiterOf, readCsv, typeOf } from '../../lib/csv.js';
import type { DataType } from '../../lib/types.js';
import { areYears, holdsYears } from '../../lib/years.js';
import { texts } from '../../texts.js';

const t = texts.upload.preview;

/** Header and first rows of a file. */
interface Beginning {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly types: readonly DataType[];
}

/** Chosen types by column name; `ignore` skips the column. */
export type Chosen = Readonly<Record<string, DataType | 'ignore'>>;

const bytesRead = 262_144;
const rowsShown = 6;
const columnsShown = 40;

export const beginning = async (file: Blob): Promise<Beginning> => {
  const { text, isWhole } = await beginningOf(file, bytesRead);
  const [header = [], ...rows] = readCsv(text, { delimiter: delimiterOf(text), most: 200, isWhole });
  return { header, rows, types: header.map((_, at) => typeOf(rows.map((row) => row[at]))) };
};

/** Upload manifest with the chosen types; undefined if there are none. */
export const manifestOf = (header: readonly string[], chosen: Chosen): string | undefined => {
  const names = header.filter((name) => chosen[name] !== undefined);
  if (names.length === 0) return undefined;
  const isAnyLeftOut = names.some((name) => chosen[name] === 'ignore');
  const columns = (isAnyLeftOut ? header.filter((name) => chosen[name] !== 'ignore') : names).map((name) => ({
    name,
    ...(chosen[name] === undefined ? {} : { dataType: chosen[name] }),
  }));
  return JSON.stringify({ columns, unlisted: isAnyLeftOut ? 'ignore' : 'infer' });
};

/** Header and first rows of a file; undefined while reading, null if unreadable. */
export const useBeginning = (file: Blob | undefined): Beginning | null | undefined => {
  const [read, setRead] = useState<{ file: Blob; of: Beginning | null }>();
  useEffect(() => {
    if (file === undefined) return;
    beginning(file).then(
      (of) => setRead({ file, of }),
      () => setRead({ file, of: null }),
    );
  }, [file]);
  return read?.file === file ? read?.of : undefined;
};

const choices = ['Date', 'Decimal', 'String', 'ignore'] as const;

interface TypeChoiceProps {
  readonly name: string;
  readonly found: DataType;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

const TypeChoice = ({ name, found, chosen, onChoose }: TypeChoiceProps) => (
  <select
    class="input type-choice"
    aria-label={t.type(name)}
    value={chosen[name] ?? ''}
    onChange={({ currentTarget: { value } }) => {
      const { [name]: _, ...others } = chosen;
      const choice = choices.find((one) => one === value);
      onChoose(choice === undefined ? others : { ...others, [name]: choice });
    }}
  >
    <option value="">{t.found(t.types[found])}</option>
    {choices.map((choice) => (
      <option key={choice} value={choice}>
        {t.types[choice]}
      </option>
    ))}
  </select>
);

interface PreviewProps {
  readonly file: File;
  readonly chosen: Chosen;
  readonly onChoose: (chosen: Chosen) => void;
}

/** Offers to store columns of years, which would become numbers, as dates. */
const YearsHint = ({ read, chosen, onChoose }: { read: Beginning } & Omit<PreviewProps, 'file'>) => {
  const names = read.header.filter(
    (name, at) =>
      chosen[name] === undefined &&
      holdsYears({ name, dataType: read.types[at] ?? 'String' }) &&
      areYears(read.rows.map((row) => row[at])),
  );
  if (names.length === 0) return null;
  const dates = Object.fromEntries(names.map((name) => [name, 'Date' as const]));
  return (
    <p class="row notice">
      <span>{t.years(names.join(', '))}</span>
      <button class="button" type="button" onClick={() => onChoose({ ...chosen, ...dates })}>
        {t.asDates}
      </button>
    </p>
  );
};

/** Types and first rows of a file before it is sent. */
export const Preview = ({ file, chosen, onChoose }: PreviewProps) => {
  const read = useBeginning(file);
  if (read === undefined) return <Waiting what={t.reading} />;
  if (read === null) return <p class="notice warn">{t.unreadable}</p>;
  if (read.header.length === 0) return <p class="notice warn">{t.empty}</p>;
  const shown = read.header.slice(0, columnsShown);
  const typeAt = (at: number): DataType => read.types[at] ?? 'String';
  return (
    <>
      <YearsHint read={read} chosen={chosen} onChoose={onChoose} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <section class="scroll-x" tabIndex={0} aria-label={t.caption(file.name)}>
        <table class="table preview">
          <caption class="hidden-text">{t.caption(file.name)}</caption>
          <thead>
            <tr>
              {shown.map((name, at) => (
                <th key={`${at} ${name}`} scope="col" class={typeAt(at) === 'Decimal' ? 'number' : ''}>
                  <span class="column-name">{name}</span>
                  <TypeChoice name={name} found={typeAt(at)} chosen={chosen} onChoose={onChoose} />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {read.rows.slice(0, rowsShown).map((row, line) => (
              <tr key={line}>
                {shown.map((name, at) => (
                  <td
                    key={`${at} ${name}`}
                    class={[
                      typeAt(at) === 'Decimal' ? 'number' : '',
                      chosen[name] === 'ignore' ? 'left-out' : '',
                    ].join(' ')}
                  >
                    {row[at]}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {read.header.length > columnsShown && (
          <p class="small soft">{t.moreColumns(read.header.length - columnsShown)}</p>
        )}
      </section>
    </>
  );
};
