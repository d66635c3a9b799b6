import type { ComponentChildren } from 'preact';
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  /** CSS classes of the button. */
  readonly look?: string;
  /** Accessible name, if `label` is a symbol. */
  readonly name?: string;
  readonly children: ComponentChildren | ((close: () => void) => ComponentChildren);
}

/** A button that opens a list of links and buttons (class `menu-item`). Escape and a click elsewhere close it. */
export const Menu = ({ label, look = 'button', name, children }: MenuProps) => {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const id = useId();
  // Synchronously, so that Escape right after the click closes it.
  useLayoutEffect(() => {
    if (!isOpen) return;
    const outside = (event: Event): void => {
      if (!root.current?.contains(event.target as Node)) setOpen(false);
    };
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      setOpen(false);
      root.current?.querySelector('button')?.focus();
    };
    document.addEventListener('pointerdown', outside);
    document.addEventListener('focusin', outside);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('pointerdown', outside);
      document.removeEventListener('focusin', outside);
      document.removeEventListener('keydown', onKey);
    };
  }, [isOpen]);
  const close = (): void => {
    setOpen(false);
    // The focused entry disappears.
    root.current?.querySelector('button')?.focus();
  };
  return (
    <div class="menu" ref={root}>
      <button
        type="button"
        class={look}
        aria-expanded={isOpen}
        aria-controls={id}
        {...(name === undefined ? {} : { 'aria-label': name })}
        onClick={() => setOpen(!isOpen)}
      >
        {label}
      </button>
      {isOpen && (
        <div class="menu-list" id={id}>
          {typeof children === 'function' ? children(close) : children}
        </div>
      )}
    </div>
  );
};
