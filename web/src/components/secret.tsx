import { useState } from 'preact/hooks';
import { texts } from '../texts.js';

/** A secret that is shown once; it exists only in this component. */
export const Secret = ({ note, text }: { note: string; text: string }) => {
  const [isCopied, setCopied] = useState(false);
  return (
    <div class="notice good" role="status">
      <p>{note}</p>
      <p class="row">
        <code class="new-key">{text}</code>
        <button
          class="button"
          type="button"
          onClick={async () => {
            await navigator.clipboard.writeText(text);
            setCopied(true);
          }}
        >
          {isCopied ? texts.actions.copied : texts.actions.copy}
        </button>
      </p>
    </div>
  );
};
