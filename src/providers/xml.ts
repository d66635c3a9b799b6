import { SaxesParser } from 'saxes';
import { unexpectedReply } from './errors.js';
import type { Named } from './provider.js';

/** An element without its namespace prefix, since SDMX services choose prefixes freely (`mes:`, `message:`). */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** All text directly inside the element, trimmed. */
  readonly text: string;
}

interface Open {
  readonly name: string;
  readonly attributes: Record<string, string>;
  readonly children: XmlElement[];
  text: string;
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const readAttributes = (attributes: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      // A plain `id` takes precedence over a prefixed one, which belongs to another vocabulary.
      name.includes(':') && localName(name) in attributes ? [] : [[localName(name), value]],
    ),
  );

/** Searches below an element are recursive. Replies of upstreams have about ten levels. */
const maxDepth = 200;

/**
 * Parses a document and returns its root element. Throws for text that is not well-formed XML, for too many nested elements, and for a
 * document type: no service sends one, and entities declared in it can expand a small document to a huge one.
 */
export const parseXml = (text: string): XmlElement => {
  const parser = new SaxesParser();
  const stack: Open[] = [{ name: '', attributes: {}, children: [], text: '' }];
  const top = (): Open => stack[stack.length - 1] as Open;
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('doctype', () => {
    throw new SyntaxError('a document type is not accepted');
  });
  parser.on('opentag', ({ name, attributes }) => {
    if (stack.length > maxDepth) throw new SyntaxError('too many nested elements');
    stack.push({
      name: localName(name),
      attributes: readAttributes(attributes as Record<string, string>),
      children: [],
      text: '',
    });
  });
  const addText = (part: string): void => {
    top().text += part;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    const closed = stack.pop() as Open;
    top().children.push({ ...closed, text: closed.text.trim() });
  });
  parser.write(text).close();
  const [root] = top().children;
  if (root === undefined) throw new SyntaxError('no element');
  return root;
};

/** Root element of a reply. @throws AppError 502 for text that is not XML. */
export const readXml = (provider: Named, text: string): XmlElement => {
  try {
    return parseXml(text);
  } catch {
    throw unexpectedReply(provider, 'it is not XML');
  }
};

export const childrenNamed = (element: XmlElement, name: string): readonly XmlElement[] =>
  element.children.filter((child) => child.name === name);

export const childNamed = (element: XmlElement, name: string): XmlElement | undefined =>
  element.children.find((child) => child.name === name);

/** All elements with this name at any depth, in document order, without those inside a found one. */
export const descendantsNamed = (element: XmlElement, name: string): XmlElement[] =>
  element.children.flatMap((child) => (child.name === name ? [child] : descendantsNamed(child, name)));

/** The element at a path of child names. */
export const at = (element: XmlElement, ...names: readonly string[]): XmlElement | undefined =>
  names.reduce<XmlElement | undefined>(
    (found, name) => (found === undefined ? undefined : childNamed(found, name)),
    element,
  );

/** English text of a `Name` or `Description`; otherwise the first one. */
export const englishText = (element: XmlElement, name: string): string | undefined => {
  const texts = childrenNamed(element, name);
  const english = texts.find(({ attributes }) => attributes.lang?.toLowerCase().startsWith('en') === true);
  const text = (english ?? texts[0])?.text.replace(/\s+/g, ' ').trim();
  return text === '' ? undefined : text;
};
