/** `$metadata` and the service document. */
import { rowKey } from './identifiers.js';
import type { Property } from './view.js';

const namespace = 'Tabulary';
/** Annotations of a property: the name of its column, and the column's type where numbers are texts. */
const terms = { name: `${namespace}.Name`, type: `${namespace}.Type` } as const;

const xmlEscapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};

const character = (code: string): string => `&#${code.codePointAt(0)};`;

/** Text of an attribute. Control characters that XML 1.0 has no way to write are replaced. */
const xmlText = (text: string): string =>
  text
    .replaceAll(/[&<>"]/g, (found) => xmlEscapes[found] ?? found)
    .replaceAll(/[\t\n\r]/g, character)
    .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu, '\ufffd');

/** Where the value of a property is a number written as text. */
const isNumberAsText = ({ type, dataType }: Property): boolean =>
  type === 'Edm.String' && dataType === 'Decimal';

const propertyXml = (property: Property): string => {
  const { identifier, name, type } = property;
  const annotations = [
    ...(name === identifier ? [] : [`<Annotation Term="${terms.name}" String="${xmlText(name)}"/>`]),
    ...(isNumberAsText(property) ? [`<Annotation Term="${terms.type}" String="Edm.Decimal"/>`] : []),
  ];
  // Without it a decimal has no digits after the point.
  const scale = type === 'Edm.Decimal' ? ' Scale="variable"' : '';
  const start = `        <Property Name="${identifier}" Type="${type}"${scale}`;
  return annotations.length === 0 ? `${start}/>` : `${start}>${annotations.join('')}</Property>`;
};

export const metadataXml = (
  properties: readonly Property[],
): string => `<?xml version="1.0" encoding="utf-8"?>
<edmx:Edmx Version="4.0" xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx">
  <edmx:DataServices>
    <Schema Namespace="${namespace}" xmlns="http://docs.oasis-open.org/odata/ns/edm">
      <EntityType Name="Row">
        <Key><PropertyRef Name="${rowKey}"/></Key>
        <Property Name="${rowKey}" Type="Edm.String" Nullable="false"/>
${properties.map(propertyXml).join('\n')}
      </EntityType>
      <Term Name="Name" Type="Edm.String" AppliesTo="Property"/>
      <Term Name="Type" Type="Edm.String" AppliesTo="Property"/>
      <EntityContainer Name="Container">
        <EntitySet Name="Rows" EntityType="${namespace}.Row"/>
      </EntityContainer>
    </Schema>
  </edmx:DataServices>
</edmx:Edmx>
`;

const propertyJson = (property: Property): object => ({
  // Edm.String is the type of what names none.
  ...(property.type === 'Edm.String' ? {} : { $Type: property.type }),
  ...(property.type === 'Edm.Decimal' ? { $Scale: 'variable' } : {}),
  $Nullable: true,
  ...(property.name === property.identifier ? {} : { [`@${terms.name}`]: property.name }),
  ...(isNumberAsText(property) ? { [`@${terms.type}`]: 'Edm.Decimal' } : {}),
});

export const metadataJson = (properties: readonly Property[]): object => ({
  $Version: '4.0',
  $EntityContainer: `${namespace}.Container`,
  [namespace]: {
    Row: {
      $Kind: 'EntityType',
      $Key: [rowKey],
      [rowKey]: {},
      ...Object.fromEntries(properties.map((property) => [property.identifier, propertyJson(property)])),
    },
    Name: { $Kind: 'Term', $AppliesTo: ['Property'] },
    Type: { $Kind: 'Term', $AppliesTo: ['Property'] },
    Container: {
      $Kind: 'EntityContainer',
      Rows: { $Collection: true, $Type: `${namespace}.Row` },
    },
  },
});

/** @param root Address of the service. */
export const serviceDocument = (root: string, withContext: boolean): object => ({
  ...(withContext ? { '@odata.context': `${root}/$metadata` } : {}),
  value: [{ name: 'Rows', kind: 'EntitySet', url: 'Rows' }],
});
