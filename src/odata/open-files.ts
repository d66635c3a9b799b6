/** Files that open in Excel or Power BI with a double click, connected to a dataset. They contain an address and no key. */
import { markup } from './markup.js';

export const openFileKinds = ['odc', 'pbids', 'iqy'] as const;
type OpenFileKind = (typeof openFileKinds)[number];

interface OpenFileInput {
  /** Name of the dataset. */
  readonly name: string;
  /** Address of its OData service. */
  readonly service: string;
  /** Address of its rows as tab-separated text. */
  readonly table: string;
}

interface OpenFile {
  readonly mediaType: string;
  readonly write: (input: OpenFileInput) => string;
}

/** A text literal of the language M. */
const textOfM = (text: string): string => `"${text.replaceAll('"', '""')}"`;

const query = (service: string): string =>
  [
    'let',
    `  Source = OData.Feed(${textOfM(service)}, null, [Implementation="2.0"]),`,
    '  Rows = Source{[Name="Rows",Signature="table"]}[Data]',
    'in',
    '  Rows',
  ].join('\n');

/** The query in the format of Power Query. */
const mashup = (service: string): string =>
  [
    '<Mashup xmlns:xsd="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns="http://schemas.microsoft.com/DataMashup">',
    '<Client>EXCEL</Client><Version>2.116.622.0</Version><MinVersion>2.21.0.0</MinVersion><Culture>en-US</Culture><SafeCombine>true</SafeCombine>',
    `<Items><Query Name="Rows"><Formula>${markup(query(service))}</Formula><IsParameterQuery xsi:nil="true" /><IsDirectQuery xsi:nil="true" /></Query></Items>`,
    '</Mashup>',
  ].join('');

const odc = ({
  name,
  service,
}: OpenFileInput): string => `<html xmlns:o="urn:schemas-microsoft-com:office:office" xmlns="http://www.w3.org/TR/REC-html40">
<head>
<meta http-equiv="Content-Type" content="text/x-ms-odc; charset=utf-8"/>
<meta name="ProgId" content="ODC.Database"/>
<meta name="SourceType" content="OLEDB"/>
<title>${markup(name)}</title>
<xml id="docprops"><o:DocumentProperties><o:Name>${markup(name)}</o:Name></o:DocumentProperties></xml>
<xml id="msodc"><odc:OfficeDataConnection xmlns:odc="urn:schemas-microsoft-com:office:odc">
<odc:PowerQueryConnection odc:Type="OLEDB">
<odc:ConnectionString>Provider=Microsoft.Mashup.OleDb.1;Data Source=$Workbook$;Location=Rows;Extended Properties=&quot;&quot;</odc:ConnectionString>
<odc:CommandType>SQL</odc:CommandType>
<odc:CommandText>SELECT * FROM [Rows]</odc:CommandText>
</odc:PowerQueryConnection>
<odc:PowerQueryMashupData>${markup(mashup(service))}</odc:PowerQueryMashupData>
</odc:OfficeDataConnection></xml>
</head>
<body></body>
</html>
`;

const pbids = ({ service }: OpenFileInput): string => {
  const connection = {
    details: { protocol: 'odata', address: { url: service } },
    options: {},
    mode: 'Import',
  };
  return `${JSON.stringify({ version: '0.1', connections: [connection] }, undefined, 2)}\n`;
};

/** Lines of a web query. */
const iqy = ({ table }: OpenFileInput): string =>
  [
    'WEB',
    '1',
    table,
    '',
    'Selection=EntirePage',
    'Formatting=None',
    'PreFormattedTextToColumns=True',
    'ConsecutiveDelimitersAsOne=False',
    'SingleBlockTextImport=False',
    'DisableDateRecognition=False',
    'DisableRedirections=False',
    '',
  ].join('\r\n');

export const openFiles: Readonly<Record<OpenFileKind, OpenFile>> = {
  odc: { mediaType: 'text/x-ms-odc; charset=utf-8', write: odc },
  pbids: { mediaType: 'application/octet-stream', write: pbids },
  iqy: { mediaType: 'text/x-ms-iqy; charset=utf-8', write: iqy },
};
