import { runBook } from 'virtual:run-book';
import { useEffect } from 'preact/hooks';
import { consoleTexts } from '../../texts/console.js';
import { ConsolePage } from './console-page.js';
import { type Block, parseRunBook, type Span } from './markdown.js';

const t = consoleTexts.runBook;
const sections = parseRunBook(runBook);
const known = new Set(sections.map(({ id }) => id));

const Text = ({ span }: { span: Span }) => {
  if (span.kind === 'code') return <code>{span.text}</code>;
  if (span.kind === 'link' && known.has(span.to)) return <a href={`#${span.to}`}>{span.text}</a>;
  return <>{span.text}</>;
};

const Shown = ({ block }: { block: Block }) =>
  block.kind === 'code' ? (
    <pre class="preview">{block.text}</pre>
  ) : (
    <p>
      {block.spans.map((span, index) => (
        <Text span={span} key={index} />
      ))}
    </p>
  );

/** docs/operating/runbook.md as of the build. */
export const RunBook = () => {
  useEffect(() => {
    // The browser looks for the anchor before the page is rendered.
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }, []);
  return (
    <ConsolePage screen="consoleRunBook">
      <p class="soft">{t.lead}</p>
      <div class="run-book">
        {sections.map(({ id, title, blocks }) => (
          <section key={id} id={id} class="stack">
            <h2>{title}</h2>
            {blocks.map((block, index) => (
              <Shown block={block} key={index} />
            ))}
          </section>
        ))}
      </div>
    </ConsolePage>
  );
};
