import { useState } from 'preact/hooks';
import { apiPath } from '../lib/api.js';
import { apiUrl } from '../lib/base.js';
import type { Query } from '../lib/query.js';
import { session } from '../lib/session.js';
import { type SnippetFacts, snippets } from '../lib/snippets.js';
import { useStore } from '../lib/store.js';
import { texts } from '../texts.js';
import { Menu } from './menu.js';
import { type ChartLook, NewReadLink } from './new-read-link.js';
import { Snippets } from './snippets.js';

const formats = ['csv', 'json', 'xlsx', 'parquet', 'tsv', 'arrow'] as const;

/** Exports the current view as a file, code or a read link, and the `chart` of a public dataset as an image. */
export const TakeAlong = ({ chart, ...facts }: SnippetFacts & { chart?: ChartLook }) => {
  const [isOpen, setOpen] = useState(false);
  const [isLinking, setLinking] = useState(false);
  const { account } = useStore(session);
  const link = (format: string): string =>
    apiPath(`/datasets/${facts.datasetId}/data`, { $format: format, ...(facts.query as Query) });
  return (
    <>
      <Menu label={texts.take.download} look="button">
        {(close) =>
          formats.map((format) => (
            <a key={format} class="menu-item" href={link(format)} download onClick={close}>
              {texts.take.formats[format]}
            </a>
          ))
        }
      </Menu>
      <button type="button" class="button" onClick={() => setOpen(true)}>
        {texts.take.copyAs}
      </button>
      {account?.readOnly === false && (
        <button type="button" class="button" onClick={() => setLinking(true)}>
          {texts.manage.readLinks.make}
        </button>
      )}
      {isLinking && (
        <NewReadLink
          datasetId={facts.datasetId}
          query={facts.query}
          chart={facts.isPublic ? chart : undefined}
          onClose={() => setLinking(false)}
        />
      )}
      {isOpen && (
        <Snippets
          title={texts.take.copyAs}
          note={facts.isPublic ? undefined : texts.take.key}
          snippets={snippets(apiUrl(), facts)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
};
