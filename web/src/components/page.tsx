import { type ComponentChildren, createContext } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.js';

export interface PageProps {
  /** Heading of the page, and title of the window. */
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** The way to this page, over the heading. */
  readonly way?: ComponentChildren;
  /** Buttons next to the heading. */
  readonly actions?: ComponentChildren;
  /** `narrow` for a form; `wide` for a grid that takes all the room there is. */
  readonly width?: 'normal' | 'narrow' | 'wide' | `wide ${string}`;
  readonly children?: ComponentChildren;
}

/** Whether there is a page around a part, with a heading of its own. */
export const InPage = createContext(false);

/** One page: heading, window title, and focus on the heading after a change of page, so that it is read out. */
export const Page = ({ title, lead, way, actions, width = 'normal', children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === texts.name ? title : `${title} · ${texts.name}`;
  }, [title]);
  // At once: later it would take the focus away from what the reader has gone on to.
  useLayoutEffect(() => {
    // Not at the first page: the reader has just come.
    if (document.body.dataset.moved === 'yes') heading.current?.focus({ preventScroll: true });
    document.body.dataset.moved = 'yes';
    scrollTo(0, 0);
  }, []);
  return (
    <InPage.Provider value={true}>
      <div class={width === 'normal' ? 'page' : `page ${width}`}>
        <div class="page-head">
          <div>
            {way}
            <h1 ref={heading} tabIndex={-1}>
              {title}
            </h1>
            {lead !== undefined && lead !== null && <div class="soft">{lead}</div>}
          </div>
          {actions && <div class="row">{actions}</div>}
        </div>
        {children}
      </div>
    </InPage.Provider>
  );
};
