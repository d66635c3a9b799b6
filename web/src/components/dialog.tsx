import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { texts } from '../texts.js';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
  /** Buttons at the end. */
  readonly actions?: ComponentChildren;
}

/** A modal dialog, open while it is rendered. The browser traps the focus and restores it. */
export const Dialog = ({ title, onClose, children, actions }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  // Not synchronously: the key press that opens the dialog would also press a button in it.
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog class="dialog" ref={dialog} aria-labelledby={id} onClose={onClose}>
      <div class="stack">
        <h2 id={id}>{title}</h2>
        {children}
        <div class="row">
          {actions}
          <button class="button" type="button" onClick={() => dialog.current?.close()}>
            {texts.actions.close}
          </button>
        </div>
      </div>
    </dialog>
  );
};
