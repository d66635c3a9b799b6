import { useState } from 'preact/hooks';
import type { Snippet } from '../lib/snippets.js';
import { texts } from '../texts.js';
import { Dialog } from './dialog.js';

const Code = ({ name, text }: Snippet) => {
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </section>
  );
};

/** Dialog with code in several languages. */
export const Snippets = ({
  title,
  note,
  snippets,
  onClose,
}: {
  title: string;
  note: string | undefined;
  snippets: readonly Snippet[];
  onClose: () => void;
}) => (
  <Dialog title={title} onClose={onClose}>
    {note !== undefined && <p class="small soft">{note}</p>}
    {snippets.map((snippet) => (
      <Code key={snippet.name} {...snippet} />
    ))}
  </Dialog>
);
