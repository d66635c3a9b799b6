import { type ComponentChildren, createContext } from 'preact';
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';
import { texts } from '../texts.js';

export interface PageProps {
  /** Heading of the page, and title of the window. */
  readonly title: string;
  readonly lead?: ComponentChildren;
  /** Breadcrumb above the heading. */
  readonly way?: ComponentChildren;
  /** Buttons next to the heading. */
  readonly actions?: ComponentChildren;
  /** `narrow` for a form, `wide` for a grid that fills the window. */
  readonly width?: 'normal' | 'narrow' | 'wide' | `wide ${string}`;
  readonly children?: ComponentChildren;
}

/** True inside a page, which has a heading already. */
export const InPage = createContext(false);

/** A page with heading and window title. Navigation focuses the heading, so that screen readers announce it. */
export const Page = ({ title, lead, way, actions, width = 'normal', children }: PageProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = title === texts.name ? title : `${title} · ${texts.name}`;
  }, [title]);
  // Synchronously: later it could steal the focus from an element that the user has moved to.
  useLayoutEffect(() => {
    // Not on the first page, whose title the browser announces itself.
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
