import type { ComponentChildren } from 'preact';
import { ago, bytes, count, dateAndTime } from '../lib/format.js';
import { linkTo, type PageName, useAddress } from '../lib/router.js';
import type { DatasetSummary } from '../lib/types.js';
import { texts } from '../texts.js';
import { Tabs } from './tabs.js';
import './dataset-head.css';

/** Tabs of a dataset. */
const views: readonly {
  readonly page: PageName;
  readonly text: string;
  readonly for: 'readers' | 'writers';
}[] = [
  { page: 'dataset', text: texts.dataset.data, for: 'readers' },
  { page: 'chart', text: texts.dataset.chart, for: 'readers' },
  { page: 'versions', text: texts.dataset.versions, for: 'readers' },
  { page: 'share', text: texts.dataset.share, for: 'writers' },
];

export const mayChange = ({ permission }: DatasetSummary): boolean =>
  ['Owner', 'Admin', 'Write'].includes(permission);

/** Only an http or https URL becomes a link. */
const Source = ({ sourceName, sourceUrl }: DatasetSummary) => {
  if (sourceName === null && sourceUrl === null) return null;
  const isLink = sourceUrl !== null && /^https?:\/\//i.test(sourceUrl) && URL.canParse(sourceUrl);
  return (
    <span>
      {texts.dataset.source}{' '}
      {isLink ? (
        <a href={sourceUrl} rel="noreferrer noopener nofollow">
          {sourceName ?? sourceUrl}
        </a>
      ) : (
        (sourceName ?? sourceUrl)
      )}
    </span>
  );
};

export const DatasetFacts = ({ dataset, columns }: { dataset: DatasetSummary; columns: number }) => (
  <p class="dataset-facts row small soft number">
    <span class="tag">{texts.dataset.privacy[dataset.privacy]}</span>
    <span>{texts.dataset.rows(count(dataset.rowCount))}</span>
    <span>{texts.dataset.columns(count(columns))}</span>
    <span>{bytes(dataset.byteSize)}</span>
    {dataset.minDate !== null && (
      <span>
        {dataset.minDate} – {dataset.maxDate}
      </span>
    )}
    {dataset.frequency !== null && <span>{dataset.frequency}</span>}
    <span title={dateAndTime(dataset.updatedAt)}>{texts.dataset.changed(ago(dataset.updatedAt))}</span>
    <Source {...dataset} />
  </p>
);

export const DatasetTabs = ({
  dataset,
  children,
}: {
  dataset: DatasetSummary;
  children?: ComponentChildren;
}) => {
  const { page, query } = useAddress();
  const shown = views.filter((view) => view.for === 'readers' || mayChange(dataset));
  // Every view keeps the filter.
  const kept = { $filter: query.get('$filter') ?? undefined };
  const items = shown.map((view) => ({
    text: view.text,
    href: linkTo(view.page, { id: dataset.id }, kept),
    isCurrent: view.page === page,
  }));
  // The upload page is not a page of the dataset: it also creates datasets.
  const upload = {
    text: texts.nav.upload,
    href: linkTo('upload', {}, { dataset: String(dataset.id) }),
    isCurrent: false,
  };
  return (
    <>
      <Tabs name={texts.dataset.views} items={mayChange(dataset) ? [...items, upload] : items} />
      {children}
    </>
  );
};
