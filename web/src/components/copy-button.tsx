import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { copyText } from '../lib/clipboard.js';
import { texts } from '../texts.js';

interface CopyButtonProps {
  /** The element whose text is copied, and selected if the browser does not allow copying. */
  readonly of: RefObject<HTMLElement | null>;
  /** Names the text for screen readers. Needed where a page has several of these buttons. */
  readonly name?: string;
}

/** A button that copies a text of the page. */
export const CopyButton = ({ of, name }: CopyButtonProps) => {
  const [label, setLabel] = useState<string>(texts.actions.copy);
  return (
    <button
      type="button"
      class="button"
      onClick={async () => {
        const element = of.current;
        if (element === null) return;
        if (await copyText(element.textContent ?? '')) return setLabel(texts.actions.copied);
        getSelection()?.selectAllChildren(element);
        setLabel(texts.actions.selected);
      }}
    >
      {label}
      {name !== undefined && <span class="hidden-text"> {name}</span>}
    </button>
  );
};
