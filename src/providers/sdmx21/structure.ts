import type { Codes, Dimension, Structure } from '../sdmx/structure.js';
import { at, childrenNamed, descendantsNamed, englishText, type XmlElement } from '../xml.js';

/** A dataflow, under which SDMX services publish data. */
export interface Flow {
  readonly agency: string;
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description: string | undefined;
}

/** With the content constraint of the whole flow. */
export interface FlowStructure extends Structure {
  readonly flow: Flow | undefined;
  /** Codes with data, by dimension; empty if the reply has no constraint. */
  readonly available: ReadonlyMap<string, readonly string[]>;
}

const toFlow = (element: XmlElement): Flow => {
  const { id = '', agencyID = '', version = '1.0' } = element.attributes;
  return {
    agency: agencyID,
    id,
    version,
    name: englishText(element, 'Name') ?? id,
    description: englishText(element, 'Description'),
  };
};

export const readFlows = (root: XmlElement): Flow[] =>
  descendantsNamed(root, 'Dataflow')
    .filter(({ attributes }) => attributes.id !== undefined)
    .map(toFlow);

/** Keys of an artefact: its full name, and shorter ones for references that omit parts or name another version. */
const keysOf = (...names: readonly (string | undefined)[]): string[] =>
  names.map((_, index) => JSON.stringify(names.slice(0, names.length - index)));

/** If entries share a key, such as two versions of a list, the first one is used. */
const index = <T>(entries: readonly (readonly [readonly string[], T])[]): ReadonlyMap<string, T> => {
  const found = new Map<string, T>();
  for (const [keys, value] of entries) {
    for (const key of keys) if (!found.has(key)) found.set(key, value);
  }
  return found;
};

const lookUp = <T>(found: ReadonlyMap<string, T>, keys: readonly string[]): T | undefined => {
  const key = keys.find((one) => found.has(one));
  return key === undefined ? undefined : found.get(key);
};

const readCodelists = (root: XmlElement): ReadonlyMap<string, Codes> =>
  index(
    descendantsNamed(root, 'Codelist').map((list) => [
      keysOf(list.attributes.id, list.attributes.agencyID, list.attributes.version),
      new Map(
        childrenNamed(list, 'Code').map((code) => [
          code.attributes.id ?? '',
          englishText(code, 'Name') ?? code.attributes.id ?? '',
        ]),
      ),
    ]),
  );

const readConcepts = (root: XmlElement): ReadonlyMap<string, XmlElement> =>
  index(
    descendantsNamed(root, 'ConceptScheme').flatMap((scheme) =>
      childrenNamed(scheme, 'Concept').map(
        (concept) =>
          [keysOf(concept.attributes.id, scheme.attributes.id, scheme.attributes.agencyID), concept] as const,
      ),
    ),
  );

const conceptOf = (
  component: XmlElement,
  concepts: ReadonlyMap<string, XmlElement>,
): XmlElement | undefined => {
  const ref = at(component, 'ConceptIdentity', 'Ref')?.attributes ?? component.attributes;
  return lookUp(concepts, keysOf(ref.id, ref.maintainableParentID, ref.agencyID));
};

/** The list of the component itself, otherwise that of its concept. */
const codesOf = (
  component: XmlElement,
  concept: XmlElement | undefined,
  codelists: ReadonlyMap<string, Codes>,
): Codes | undefined => {
  const ref =
    at(component, 'LocalRepresentation', 'Enumeration', 'Ref') ??
    (concept === undefined ? undefined : at(concept, 'CoreRepresentation', 'Enumeration', 'Ref'));
  if (ref === undefined) return undefined;
  return lookUp(codelists, keysOf(ref.attributes.id, ref.attributes.agencyID, ref.attributes.version));
};

/** Services order dimensions by `position`; some omit it, and the order of the document counts. */
const byPosition = (a: XmlElement, b: XmlElement): number =>
  Number(a.attributes.position ?? 0) - Number(b.attributes.position ?? 0);

/** Reads a reply to `dataflow/…?references=descendants` (or a data structure with its children). */
export const readStructure = (root: XmlElement): FlowStructure | undefined => {
  const definition = descendantsNamed(root, 'DataStructure').find(
    (one) => at(one, 'DataStructureComponents') !== undefined,
  );
  const list =
    definition === undefined ? undefined : at(definition, 'DataStructureComponents', 'DimensionList');
  if (definition === undefined || list === undefined) return undefined;
  const codelists = readCodelists(root);
  const concepts = readConcepts(root);
  const dimensions = childrenNamed(list, 'Dimension')
    .toSorted(byPosition)
    .map((dimension): Dimension => {
      const { id = '' } = dimension.attributes;
      const concept = conceptOf(dimension, concepts);
      return {
        id,
        label: (concept === undefined ? undefined : englishText(concept, 'Name')) ?? id,
        codes: codesOf(dimension, concept, codelists) ?? new Map(),
      };
    });
  const attributes = descendantsNamed(definition, 'Attribute').flatMap((attribute): [string, Codes][] => {
    const codes = codesOf(attribute, conceptOf(attribute, concepts), codelists);
    return codes === undefined ? [] : [[attribute.attributes.id ?? '', codes]];
  });
  return {
    flow: readFlows(root)[0],
    dimensions,
    attributes: new Map(attributes),
    available: readAvailability(root),
  };
};

/**
 * Codes with data per dimension, from the regions of content constraints (`availableconstraint`, `contentconstraint`). Constraints of the
 * type `Allowed` say which codes may have data, so those of the type `Actual` precede them.
 */
export const readAvailability = (root: XmlElement): ReadonlyMap<string, readonly string[]> => {
  const regionsOf = (element: XmlElement): XmlElement[] =>
    descendantsNamed(element, 'CubeRegion').filter(({ attributes }) => attributes.include !== 'false');
  const actual = descendantsNamed(root, 'ContentConstraint')
    .filter(({ attributes }) => attributes.type === 'Actual')
    .flatMap(regionsOf);
  const found = new Map<string, Set<string>>();
  for (const region of actual.length > 0 ? actual : regionsOf(root)) {
    for (const selection of childrenNamed(region, 'KeyValue')) {
      const { id = '' } = selection.attributes;
      const codes = found.get(id) ?? new Set();
      for (const { text } of childrenNamed(selection, 'Value')) codes.add(text);
      found.set(id, codes);
    }
  }
  return new Map([...found].map(([id, codes]) => [id, [...codes]]));
};

/** Time of the last load of a flow, from its content constraint (`contentconstraint/AGENCY/CR_A_FLOW`). */
export const readLoadTime = (root: XmlElement): string | undefined =>
  descendantsNamed(root, 'ContentConstraint').find(({ attributes }) => attributes.type === 'Actual')
    ?.attributes.validFrom;

export interface SdmxError {
  /** 100 no results, 110 unauthorised, 130 too large, 140 syntax, 150 semantic, 413, 500 … */
  readonly code: number;
  readonly text: string;
}

/** Parses the error document of SDMX 2.1, if the text is one. Searches the text before parsing it, since it may be long. */
export const readErrorDocument = (text: string): SdmxError | undefined => {
  const code =
    /<(?:\w+:)?ErrorMessage[^>]*\bcode="(\d+)"/.exec(text)?.[1] ??
    // A good reply without data; its footer says that the data will be written to a file.
    /<(?:\w+:)?Footer[^>]*>\s*<(?:\w+:)?Message[^>]*\bcode="(413)"/.exec(text)?.[1];
  if (code === undefined) return undefined;
  const words = /<(?:\w+:)?Text[^>]*>([^<]*)</.exec(text)?.[1] ?? '';
  return { code: Number(code), text: words.replace(/\s+/g, ' ').trim() };
};
