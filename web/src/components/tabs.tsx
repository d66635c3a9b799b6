/** Links to the views of one thing; the present one is marked. */
export const Tabs = ({
  name,
  items,
}: {
  name: string;
  items: readonly { readonly text: string; readonly href: string; readonly isCurrent: boolean }[];
}) => (
  <nav class="tabs" aria-label={name}>
    <ul>
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
