import { useState } from 'preact/hooks';
import { Menu } from '../../components/menu.js';
import { Snippets } from '../../components/snippets.js';
import { apiUrl } from '../../lib/base.js';
import { seriesSnippets } from '../../lib/snippets.js';
import { texts } from '../../texts.js';
import { csvOf, type SeriesAnswer } from './series-data.js';

const t = texts.providers.view;

const save = (text: string, name: string, type: string): void => {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Later, because the browser reads the URL after the click.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
};

/** The original JSON of one series, or a list of several. */
const jsonOf = (answers: readonly SeriesAnswer[]): string => {
  const [first, ...others] = answers.map(({ json }) => json);
  return others.length === 0 ? (first ?? '') : `[${[first, ...others].join(',\n')}]\n`;
};

/** Exports the shown observations as a file, or code that fetches all of them. */
export const TakeSeries = ({
  slug,
  answers,
  params,
}: {
  slug: string;
  /** The first is the series of the page. */
  answers: readonly [SeriesAnswer, ...SeriesAnswer[]];
  params: Readonly<Record<string, string | number>>;
}) => {
  const [isOpen, setOpen] = useState(false);
  const [{ series }] = answers;
  const name = `${slug}-${series.series_id}`.replace(/[^\w.-]+/g, '_');
  return (
    <>
      <Menu label={t.download}>
        {(close) => (
          <>
            <button
              class="menu-item"
              type="button"
              onClick={() => {
                close();
                save(csvOf(answers.map((answer) => answer.series)), `${name}.csv`, 'text/csv');
              }}
            >
              {t.csv}
            </button>
            <button
              class="menu-item"
              type="button"
              onClick={() => {
                close();
                save(jsonOf(answers), `${name}.json`, 'application/json');
              }}
            >
              {t.json}
            </button>
          </>
        )}
      </Menu>
      <button class="button" type="button" onClick={() => setOpen(true)}>
        {t.copyAs}
      </button>
      {isOpen && (
        <Snippets
          title={t.copyAs}
          note={`${t.copyNote} ${t.copyKey}`}
          snippets={seriesSnippets(apiUrl(), slug, series.series_id, params)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};
