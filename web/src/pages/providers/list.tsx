import type { ComponentChildren } from 'preact';
import { texts } from '../../texts.js';
import { useLinks } from './links.js';
import type { Hit } from './types.js';

const t = texts.providers;

/** Table of series and folders. */
export const HitList = ({
  items,
  slug,
  providerName,
  caption,
}: {
  items: readonly Hit[];
  /** Provider of items without one. */
  slug: string;
  /** Shows the provider of each item, if there are several. */
  providerName?: (slug: string) => string;
  caption: string;
}) => {
  const linksOf = useLinks();
  const hasFrequency = items.some(({ frequency }) => frequency !== undefined);
  const hasUnits = items.some(({ units }) => units !== undefined);
  return (
    <table class="table hits">
      <caption class="hidden-text">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">{t.name}</th>
          {hasFrequency && <th scope="col">{t.frequency}</th>}
          {hasUnits && <th scope="col">{t.units}</th>}
          <th scope="col">{t.id}</th>
        </tr>
      </thead>
      <tbody>
        {items.map((item) => {
          const provider = item.provider ?? slug;
          const isFolder = item.kind === 'folder';
          const href = isFolder
            ? linksOf(provider).place({ path: item.path })
            : linksOf(provider).series(item.id);
          return (
            <tr key={`${provider} ${item.id}`}>
              <td class="hit-name">
                <a href={href}>{item.label}</a>
                {isFolder && <span class="tag">{t.folderTag}</span>}
                {providerName !== undefined && <p class="small soft">{providerName(provider)}</p>}
                {item.description !== undefined && item.description !== item.label && (
                  <p class="small soft hit-text">{item.description}</p>
                )}
              </td>
              {hasFrequency && <td>{item.frequency}</td>}
              {hasUnits && <td class="hit-units">{item.units}</td>}
              <td class="hit-id">
                <code>{item.id}</code>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
};

/** A search field; the URL has its text as `q`. */
export const SearchBox = ({
  label,
  placeholder,
  value,
  onInput,
}: {
  label: string;
  placeholder: string;
  value: string;
  onInput: (text: string) => void;
}) => (
  <search>
    <form onSubmit={(event) => event.preventDefault()}>
      <label class="hidden-text" for="provider-search">
        {label}
      </label>
      <input
        id="provider-search"
        class="input provider-search"
        type="search"
        autocomplete="off"
        spellcheck={false}
        maxLength={200}
        placeholder={placeholder}
        value={value}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
    </form>
  </search>
);

export const Crumbs = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <nav class="crumbs" aria-label={name}>
    <ol>{children}</ol>
  </nav>
);
