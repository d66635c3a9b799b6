import { useRef } from 'preact/hooks';
import type { Snippet } from '../lib/snippets.js';
import { CopyButton } from './copy-button.js';
import { Dialog } from './dialog.js';

const Code = ({ name, text }: Snippet) => {
  const shown = useRef<HTMLPreElement>(null);
  return (
    <section class="stack snippet">
      <div class="row">
        <h3>{name}</h3>
        <CopyButton of={shown} name={name} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} ref={shown}>
        {text}
      </pre>
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
