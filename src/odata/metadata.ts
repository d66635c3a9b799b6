/** `$metadata` and the service document. */
import { rowKey } from './identifiers.js';
import { markup } from './markup.js';
import type { Property } from './view.js';

const namespace = 'Tabulary';
/** Annotations of a property: the name of its column, and the column's type if numbers are texts. */
const terms = { name: `${namespace}.Name`, type: `${namespace}.Type` } as const;

const character = (code: string): string => `&#${code.codePointAt(0)};`;

/** Text of an attribute. Control characters that XML 1.0 cannot represent are replaced. */
const xmlText = (text: string): string =>
  markup(text)
    .replaceAll(/[\t\n\r]/g, character)
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '\ufffd');

/** True if the value of a property is a number written as text. */
const isNumberAsText = ({ type, dataType }: Property): boolean =>
  type === 'Edm.String' && dataType === 'Decimal';

const nameXml = (name: string): string => `<Annotation Term="${terms.name}" String="${xmlText(name)}"/>`;

const propertyXml = (property: Property): string => {
  const { identifier, name, type } = property;
  const annotations = [
    ...(name === identifier ? [] : [nameXml(name)]),
    ...(isNumberAsText(property) ? [`<Annotation Term="${terms.type}" String="Edm.Decimal"/>`] : []),
  ];
  // Without it a decimal has no fraction digits.
  const scale = type === 'Edm.Decimal' ? ' Scale="variable"' : '';
  const start = `        <Property Name="${identifier}" Type="${type}"${scale}`;
  return annotations.length === 0 ? `${start}/>` : `${start}>${annotations.join('')}</Property>`;
};

/** An entity set and its properties. */
export interface DescribedSet {
  readonly name: string;
  /** Name of the entity type. */
  readonly type: string;
  /** Name of the dataset if it differs from that of the set. */
  readonly title?: string | undefined;
  readonly properties: readonly Property[];
}

const setXml = ({ name, type, title }: DescribedSet): string => {
  const start = `        <EntitySet Name="${name}" EntityType="${namespace}.${type}"`;
  return title === undefined ? `${start}/>\n` : `${start}>${nameXml(title)}</EntitySet>\n`;
};

/** `$metadata` as XML, in pieces, since there may be thousands of columns with long names. */
export function* metadataXml(sets: readonly DescribedSet[]): Generator<string, void> {
  yield `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
  <edmx:DataServices>
    <Schema Namespace="${namespace}" xmlns="http://docs.oasis-open.org/odata/ns/edm">
`;
  for (const { type, properties } of sets) {
    yield `      <EntityType Name="${type}">
        <Key><PropertyRef Name="${rowKey}"/></Key>
        <Property Name="${rowKey}" Type="Edm.String" Nullable="false"/>
`;
    for (const property of properties) yield `${propertyXml(property)}\n`;
    yield '      </EntityType>\n';
  }
  yield `      <Term Name="Name" Type="Edm.String" AppliesTo="Property EntitySet"/>
      <Term Name="Type" Type="Edm.String" AppliesTo="Property"/>
      <EntityContainer Name="Container">
`;
  for (const set of sets) yield setXml(set);
  yield `      </EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`;
}

const propertyJson = (property: Property): object => ({
  // Edm.String is the default type.
  ...(property.type === 'Edm.String' ? {} : { $Type: property.type }),
  ...(property.type === 'Edm.Decimal' ? { $Scale: 'variable' } : {}),
  $Nullable: true,
  ...(property.name === property.identifier ? {} : { [`@${terms.name}`]: property.name }),
  ...(isNumberAsText(property) ? { [`@${terms.type}`]: 'Edm.Decimal' } : {}),
});

const setJson = ({ type, title }: DescribedSet): object => ({
  $Collection: true,
  $Type: `${namespace}.${type}`,
  ...(title === undefined ? {} : { [`@${terms.name}`]: title }),
});

/** A member of an object after others. */
const member = (name: string, value: object): string => `,${JSON.stringify(name)}:${JSON.stringify(value)}`;

/** `$metadata` as JSON. */
export function* metadataJson(sets: readonly DescribedSet[]): Generator<string, void> {
  yield `{"$Version":"4.0","$EntityContainer":"${namespace}.Container","${namespace}":{`;
  for (const { type, properties } of sets) {
    yield `"${type}":{"$Kind":"EntityType","$Key":["${rowKey}"],"${rowKey}":{}`;
    for (const property of properties) yield member(property.identifier, propertyJson(property));
    yield '},';
  }
  yield `"Name":{"$Kind":"Term","$AppliesTo":["Property","EntitySet"]},"Type":{"$Kind":"Term","$AppliesTo":["Property"]}`;
  yield ',"Container":{"$Kind":"EntityContainer"';
  for (const set of sets) yield member(set.name, setJson(set));
  yield '}}}\n';
}

/** @param root Address of the service. */
export const serviceDocument = (
  root: string,
  sets: readonly Pick<DescribedSet, 'name' | 'title'>[],
  withContext: boolean,
): object => ({
  ...(withContext ? { '@odata.context': `${root}/$metadata` } : {}),
  value: sets.map(({ name, title }) => ({
    name,
    ...(title === undefined ? {} : { title }),
    kind: 'EntitySet',
    url: encodeURIComponent(name),
  })),
});
