import { type Query, queryText } from './query.js';
import type { Column } from './types.js';

/** Code that fetches the same rows. It must run as copied; for private data it reads the key from the environment. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** A URL without characters that are special inside any kind of quotes. */
const safe = (url: string): string =>
  url.replace(/['"()!*\\`]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const dataUrl = (api: string, datasetId: number, query: Query): string =>
  safe(`${api}/datasets/${datasetId}/data${queryText(query)}`);

export interface SnippetFacts {
  readonly datasetId: number;
  readonly query: Query;
  readonly isPublic: boolean;
  /** Columns with a known type. */
  readonly columns: readonly Pick<Column, 'name' | 'dataType'>[];
}

/** A string literal of Power Query: quotes are doubled, and `#(` would start an escape sequence. */
const mText = (text: string): string => `"${text.replaceAll('#(', '#(#)(').replaceAll('"', '""')}"`;

/** Types of Power Query. Text columns need no conversion. */
const mTypes = { Date: 'type date', Decimal: 'type number', String: undefined } as const;
/** With more columns the step would be unreadable. */
const maxTyped = 200;

const powerQuery = (url: string, columns: SnippetFacts['columns']): string => {
  const typed = columns.flatMap(({ name, dataType }) =>
    mTypes[dataType] === undefined ? [] : [`{${mText(name)}, ${mTypes[dataType]}}`],
  );
  const steps = [
    `Source = Csv.Document(Web.Contents(${mText(url)}), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv])`,
    'Rows = Table.PromoteHeaders(Source, [PromoteAllScalars = true])',
    typed.length === 0 || typed.length > maxTyped
      ? 'Data = Rows'
      : `Data = Table.TransformColumnTypes(Rows, {${typed.join(', ')}}, "en-US")`,
  ];
  return `let\n    ${steps.join(',\n    ')}\nin\n    Data`;
};

/** @param api URL of the API for other programs */
export const snippets = (
  api: string,
  { datasetId, query, isPublic, columns }: SnippetFacts,
): readonly Snippet[] => {
  const dates = columns.filter(({ dataType }) => dataType === 'Date').map(({ name }) => name);
  const url = dataUrl(api, datasetId, { $format: 'csv', ...query });
  const json = dataUrl(api, datasetId, { $format: 'json', ...query });
  const parse = dates.length === 0 ? '' : `, parse_dates=${JSON.stringify(dates)}`;
  return [
    {
      name: 'curl',
      text: `curl -fL${isPublic ? '' : ' -H "Authorization: Bearer $TABULARY_KEY"'} -o data.csv '${url}'`,
    },
    {
      name: 'Python (pandas)',
      text: isPublic
        ? `import pandas as pd\n\ndata = pd.read_csv("${url}"${parse})\nprint(data)`
        : `import io\nimport os\n\nimport pandas as pd\nimport requests\n\nanswer = requests.get("${url}", headers={"Authorization": "Bearer " + os.environ["TABULARY_KEY"]})\nanswer.raise_for_status()\ndata = pd.read_csv(io.BytesIO(answer.content)${parse})\nprint(data)`,
    },
    {
      name: 'R',
      text: isPublic
        ? `data <- read.csv("${url}", check.names = FALSE)\nprint(data)`
        : `library(httr2)\n\nanswer <- request("${url}") |>\n  req_auth_bearer_token(Sys.getenv("TABULARY_KEY")) |>\n  req_perform()\ndata <- read.csv(text = resp_body_string(answer), check.names = FALSE)\nprint(data)`,
    },
    {
      name: 'Excel, Power Query',
      text: powerQuery(url, columns),
    },
    {
      name: 'JavaScript',
      text: isPublic
        ? `const answer = await fetch("${json}");\nif (!answer.ok) throw new Error(await answer.text());\nconst rows = await answer.json();\nconsole.log(rows);`
        : `const answer = await fetch("${json}", {\n  headers: { Authorization: "Bearer " + process.env.TABULARY_KEY },\n});\nif (!answer.ok) throw new Error(await answer.text());\nconst rows = await answer.json();\nconsole.log(rows);`,
    },
  ];
};

/** Quotes a text as one shell word. */
const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Code that fetches all observations of a series. It sends the key if the environment has one. */
export const seriesSnippets = (
  api: string,
  slug: string,
  seriesId: string,
  params: Readonly<Record<string, string | number>>,
): readonly Snippet[] => {
  const url = safe(
    `${api}/providers/${encodeURIComponent(slug)}/series/${encodeURIComponent(seriesId)}/data`,
  );
  // JSON strings and numbers are also literals of Python, JavaScript and R.
  const body = JSON.stringify({ params });
  return [
    {
      name: 'curl',
      text: `curl -fL \${TABULARY_KEY:+-H "Authorization: Bearer $TABULARY_KEY"} -H 'Content-Type: application/json' -d ${shellWord(body)} -o series.json '${url}'`,
    },
    {
      name: 'Python (pandas)',
      text: `import os\n\nimport pandas as pd\nimport requests\n\nkey = os.environ.get("TABULARY_KEY")\nheaders = {"Authorization": "Bearer " + key} if key else {}\nanswer = requests.post("${url}", json=${body}, headers=headers)\nanswer.raise_for_status()\ndata = pd.DataFrame(answer.json()["data"])\ndata["date"] = pd.to_datetime(data["date"])\nprint(data)`,
    },
    {
      name: 'R',
      text: `library(httr2)\nlibrary(jsonlite)\n\nkey <- Sys.getenv("TABULARY_KEY")\nquestion <- req_body_raw(request("${url}"), ${JSON.stringify(body)}, "application/json")\nif (key != "") question <- req_auth_bearer_token(question, key)\nanswer <- req_perform(question)\ndata <- fromJSON(resp_body_string(answer))$data\nprint(data)`,
    },
    {
      name: 'Excel, Power Query',
      // Excel sends its stored credentials only with GET, so the key must be a header.
      text: `let\n    Key = "",\n    Signed = if Key = "" then [] else [Authorization = "Bearer " & Key],\n    Answer = Json.Document(Web.Contents(${mText(url)}, [Headers = [#"Content-Type" = "application/json"] & Signed, Content = Text.ToBinary(${mText(body)})])),\n    Rows = Table.FromRecords(Answer[data], type table [date = text, value = nullable number], MissingField.UseNull),\n    Data = Table.TransformColumnTypes(Rows, {{"date", type date}}, "en-US")\nin\n    Data`,
    },
    {
      name: 'JavaScript',
      text: `const key = process.env.TABULARY_KEY;\nconst answer = await fetch("${url}", {\n  method: "POST",\n  headers: {\n    "Content-Type": "application/json",\n    ...(key ? { Authorization: "Bearer " + key } : {}),\n  },\n  body: JSON.stringify(${body}),\n});\nif (!answer.ok) throw new Error(await answer.text());\nconst { data } = await answer.json();\nconsole.log(data);`,
    },
  ];
};
