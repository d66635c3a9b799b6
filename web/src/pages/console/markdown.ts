/** The little of Markdown that the run-book is written in. */

export type Span =
  | { readonly kind: 'text' | 'code'; readonly text: string }
  /** To a section of the run-book, or of another page, which the console does not have. */
  | { readonly kind: 'link'; readonly text: string; readonly to: string };

export type Block =
  | { readonly kind: 'code'; readonly text: string }
  | { readonly kind: 'text'; readonly spans: readonly Span[] };

interface Section {
  /** As links name it. */
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

/** Fenced code has every second place. */
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

/** Sections of the second level. */
export const parseRunBook = (source: string): Section[] =>
  source
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [title = '', ...rest] = text.split('\n');
      return { id: title.toLowerCase().replaceAll(' ', '-'), title, blocks: blocksOf(rest.join('\n')) };
    });
