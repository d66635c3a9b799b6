/** Parser of the subset of Markdown that the run-book uses. */

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  /** `to` is a section of the run-book, or of another page, which the console does not include. */
  | { readonly kind: 'link'; readonly text: string; readonly to: string };

export type Block =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'text'; readonly spans: readonly Span[] };

interface Section {
  /** Anchor. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

const spansOf = (text: string): Span[] => {
  const spans: Span[] = [];
  let done = 0;
  for (const match of text.matchAll(/`([^`]+)`|\[([^\]]+)\]\([^)#]*#?([^)]*)\)/g)) {
    if (match.index > done) spans.push({ kind: 'text', text: text.slice(done, match.index) });
    const [whole, code, label = '', to = ''] = match;
    spans.push(code === undefined ? { kind: 'link', text: label, to } : { kind: 'code', text: code });
    done = match.index + whole.length;
  }
  if (done < text.length) spans.push({ kind: 'text', text: text.slice(done) });
  return spans;
};

/** Splitting at fences puts code at every second index. */
const blocksOf = (text: string): Block[] =>
  text.split(/^```.*$/m).flatMap((part, index): Block[] =>
    index % 2 === 1
      ? [{ kind: 'code', text: part.trim() }]
      : part
          .split(/\n{2,}/)
          .map((paragraph) => paragraph.trim().replaceAll('\n', ' '))
          .filter((paragraph) => paragraph !== '')
          .map((paragraph) => ({ kind: 'text', spans: spansOf(paragraph) })),
  );

/** Returns the second-level sections. */
export const parseRunBook = (source: string): Section[] =>
  source
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...rest] = text.split('\n');
      return { id: title.toLowerCase().replaceAll(' ', '-'), title, blocks: blocksOf(rest.join('\n')) };
    });
