import { useState } from 'preact/hooks';
import { apiPath, type Query } from '../lib/api.js';
import { type SnippetFacts, snippets } from '../lib/snippets.js';
import { texts } from '../texts.js';
import { Dialog } from './dialog.js';
import { Menu } from './menu.js';

const formats = ['csv', 'json', 'xlsx', 'parquet', 'tsv', 'arrow'] as const;

const Code = ({ name, text }: { name: string; text: string }) => {
  const [isCopied, setCopied] = useState(false);
  return (
    <section class="stack snippet">
      <div class="row">
        <h3>{name}</h3>
        <button
          type="button"
          class="button"
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            setCopied(true);
          }}
        >
          {isCopied ? texts.actions.copied : texts.actions.copy}
          <span class="hidden-text"> {name}</span>
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the window is scrolled by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
};

/** What is seen, as a file or as code that gets it. `path` is below the API: the same for other views than rows. */
export const TakeAlong = (facts: SnippetFacts) => {
  const [isOpen, setOpen] = useState(false);
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
      {isOpen && (
        <Dialog title={texts.take.copyAs} onClose={() => setOpen(false)}>
          {!facts.isPublic && <p class="small soft">{texts.take.key}</p>}
          {snippets(facts).map((snippet) => (
            <Code key={snippet.name} {...snippet} />
          ))}
        </Dialog>
      )}
    </>
  );
};
