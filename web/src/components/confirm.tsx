import { useState } from 'preact/hooks';
import { useAct } from '../lib/act.js';
import { Dialog } from './dialog.js';
import { ErrorText } from './states.js';

interface ConfirmProps {
  /** Label of the button, and of the button in the dialog. */
  readonly text: string;
  /** Accessible name of the button, if several have the same label. */
  readonly name?: string;
  readonly title: string;
  readonly note: string;
  readonly look?: string;
  readonly action: () => Promise<unknown>;
}

/** A button that asks for confirmation in a dialog. */
export const Confirm = ({ text, name, title, note, look = 'button bad', action }: ConfirmProps) => {
  const [isOpen, setOpen] = useState(false);
  const { isBusy, error, run } = useAct();
  return (
    <>
      <button
        class={look}
        type="button"
        {...(name === undefined ? {} : { 'aria-label': name })}
        onClick={() => setOpen(true)}
      >
        {text}
      </button>
      {isOpen && (
        <Dialog
          title={title}
          onClose={() => setOpen(false)}
          actions={
            <button
              class="button bad"
              type="button"
              disabled={isBusy}
              onClick={async () => {
                if (await run(action)) setOpen(false);
              }}
            >
              {text}
            </button>
          }
        >
          <p>{note}</p>
          {error !== undefined && <ErrorText error={error} />}
        </Dialog>
      )}
    </>
  );
};
