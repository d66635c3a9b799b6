import { useState } from 'preact/hooks';
import { useAct } from '../lib/act.js';
import { api } from '../lib/api.js';
import type { Query } from '../lib/query.js';
import { texts } from '../texts.js';
import { Dialog } from './dialog.js';
import { Secret } from './secret.js';
import { ErrorText } from './states.js';
import { TextField } from './text-field.js';

const t = texts.manage.readLinks;

/** Formats that spreadsheets and dashboards read. */
const formats = ['csv', 'json', 'xlsx', 'tsv'] as const;

/** Saves the present view under an address of its own. */
export const NewReadLink = ({
  datasetId,
  query,
  onClose,
}: {
  datasetId: number;
  query: Query;
  onClose: () => void;
}) => {
  const [name, setName] = useState('');
  const [format, setFormat] = useState<string>('csv');
  const [megabytes, setMegabytes] = useState('');
  const [made, setMade] = useState('');
  const { isBusy, error, run } = useAct();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = {
      name,
      query: { ...query, $format: format },
      maxBytesPerDay: megabytes === '' ? null : Math.round(Number(megabytes) * 1_000_000),
    };
    await run(async () =>
      setMade((await api.post<{ url: string }>(`/datasets/${datasetId}/read-links`, { body })).url),
    );
  };
  return (
    <Dialog title={t.makeTitle} onClose={onClose}>
      {made === '' ? (
        <form class="stack" onSubmit={(event) => void submit(event)}>
          <p class="small soft">{t.makeNote}</p>
          <TextField label={t.name} required value={name} onInput={setName} />
          <label class="field">
            <span>{t.format}</span>
            <select
              class="input"
              value={format}
              onChange={({ currentTarget }) => setFormat(currentTarget.value)}
            >
              {formats.map((one) => (
                <option key={one} value={one}>
                  {texts.take.formats[one]}
                </option>
              ))}
            </select>
          </label>
          <TextField label={t.perDay} type="number" min="1" value={megabytes} onInput={setMegabytes} />
          {error !== undefined && <ErrorText error={error} />}
          <p>
            <button class="button main" type="submit" disabled={isBusy}>
              {texts.manage.create}
            </button>
          </p>
        </form>
      ) : (
        <Secret note={t.made} text={new URL(made, location.href).href} />
      )}
    </Dialog>
  );
};
