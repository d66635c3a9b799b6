import { useRef } from 'preact/hooks';
import { CopyButton } from './copy-button.js';

/** A secret that is shown once; it exists only in this component. */
export const Secret = ({ note, text }: { note: string; text: string }) => {
  const shown = useRef<HTMLElement>(null);
  return (
    <div class="notice good" role="status">
      <p>{note}</p>
      <p class="row">
        <code class="new-key" ref={shown}>
          {text}
        </code>
        <CopyButton of={shown} />
      </p>
    </div>
  );
};
