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

/** Limit of the service, in characters. */
const maxTitle = 255;

/** A chart that the service draws. */
export interface ChartLook {
  readonly kind: 'line' | 'bar' | 'scatter';
  readonly title: string;
}

interface CreatedLink {
  readonly url: string;
  readonly pageUrl: string | null;
}

/** HTML that embeds the chart page. */
const frameOf = (pageUrl: string): string =>
  `<iframe src="${new URL(pageUrl, location.href).href}" width="720" height="410" style="border:0" loading="lazy"></iframe>`;

/** Dialog that creates a read link for the current view. With `chart`, the link may return an image. */
export const NewReadLink = ({
  datasetId,
  query,
  chart,
  onClose,
}: {
  datasetId: number;
  query: Query;
  chart?: ChartLook | undefined;
  onClose: () => void;
}) => {
  const [name, setName] = useState('');
  const [format, setFormat] = useState<string>(chart === undefined ? 'csv' : 'chart');
  const [megabytes, setMegabytes] = useState('');
  const [made, setMade] = useState<CreatedLink>();
  const { isBusy, error, run } = useAct();
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault();
    const body = {
      name,
      ...(format === 'chart' && chart !== undefined
        ? { query, chart: { ...chart, title: Array.from(chart.title).slice(0, maxTitle).join('') } }
        : { query: { ...query, $format: format } }),
      maxBytesPerDay: megabytes === '' ? null : Math.round(Number(megabytes) * 1_000_000),
    };
    await run(async () =>
      setMade(await api.post<CreatedLink>(`/datasets/${datasetId}/read-links`, { body })),
    );
  };
  return (
    <Dialog title={t.makeTitle} onClose={onClose}>
      {made === undefined ? (
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
              {chart !== undefined && <option value="chart">{t.chart}</option>}
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
        <div class="stack">
          <Secret note={t.made} text={new URL(made.url, location.href).href} />
          {made.pageUrl !== null && <Secret note={t.frame} text={frameOf(made.pageUrl)} />}
        </div>
      )}
    </Dialog>
  );
};
