import { useLayoutEffect, useRef } from 'preact/hooks';

interface TabsProps {
  readonly name: string;
  readonly items: readonly { readonly text: string; readonly href: string; readonly isCurrent: boolean }[];
}

/** Links to the views of a page. The current one is marked, and scrolled into view on narrow screens. */
export const Tabs = ({ name, items }: TabsProps) => {
  const list = useRef<HTMLUListElement>(null);
  const current = items.find(({ isCurrent }) => isCurrent)?.href;
  useLayoutEffect(() => {
    const tab = list.current?.querySelector<HTMLElement>('[aria-current]');
    if (tab == null || list.current === null) return;
    list.current.scrollLeft = tab.offsetLeft - (list.current.clientWidth - tab.offsetWidth) / 2;
  }, [current]);
  return (
    <nav class="tabs" aria-label={name}>
      <ul ref={list}>
        {items.map(({ text, href, isCurrent }) => (
          <li key={href}>
            <a href={href} {...(isCurrent ? { 'aria-current': 'page' } : {})}>
              {text}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
};
