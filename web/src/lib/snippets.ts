import { type Query, queryText } from './api.js';
import { apiUrl } from './base.js';

/** Code that gets the same rows elsewhere. Each runs as it is copied; private data takes the key from the environment. */
export interface Snippet {
  readonly name: string;
  readonly text: string;
}

/** An address that stands in quotes of every kind. */
const safe = (url: string): string =>
  url.replace(/['"()!*\\`]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

export const dataUrl = (datasetId: number, query: Query): string =>
  safe(`${apiUrl()}/datasets/${datasetId}/data${queryText(query)}`);

export interface SnippetFacts {
  readonly datasetId: number;
  readonly query: Query;
  readonly isPublic: boolean;
  /** Names of columns of dates. */
  readonly dates: readonly string[];
}

export const snippets = ({ datasetId, query, isPublic, dates }: SnippetFacts): readonly Snippet[] => {
  const url = dataUrl(datasetId, { $format: 'csv', ...query });
  const json = dataUrl(datasetId, { $format: 'json', ...query });
  const parse = dates.length === 0 ? '' : `, parse_dates=${JSON.stringify(dates)}`;
  return [
    {
      name: 'curl',
      text: `curl -fL${isPublic ? '' : ' -u "$TABULARY_KEY:"'} -o data.csv '${url}'`,
    },
    {
      name: 'Python (pandas)',
      text: isPublic
        ? `import pandas as pd\n\ndata = pd.read_csv("${url}"${parse})\nprint(data)`
        : `import io\nimport os\n\nimport pandas as pd\nimport requests\n\nanswer = requests.get("${url}", auth=(os.environ["TABULARY_KEY"], ""))\nanswer.raise_for_status()\ndata = pd.read_csv(io.BytesIO(answer.content)${parse})\nprint(data)`,
    },
    {
      name: 'R',
      text: isPublic
        ? `data <- read.csv("${url}", check.names = FALSE)\nprint(data)`
        : `library(httr2)\n\nanswer <- request("${url}") |>\n  req_auth_basic(Sys.getenv("TABULARY_KEY"), "") |>\n  req_perform()\ndata <- read.csv(text = resp_body_string(answer), check.names = FALSE)\nprint(data)`,
    },
    {
      name: 'Excel, Power Query',
      text: `let\n    Source = Csv.Document(Web.Contents("${url}"), [Delimiter = ",", Encoding = 65001, QuoteStyle = QuoteStyle.Csv]),\n    Data = Table.PromoteHeaders(Source, [PromoteAllScalars = true])\nin\n    Data`,
    },
    {
      name: 'JavaScript',
      text: isPublic
        ? `const answer = await fetch("${json}");\nif (!answer.ok) throw new Error(await answer.text());\nconst rows = await answer.json();\nconsole.log(rows);`
        : `const answer = await fetch("${json}", {\n  headers: { Authorization: "Basic " + btoa(process.env.TABULARY_KEY + ":") },\n});\nif (!answer.ok) throw new Error(await answer.text());\nconst rows = await answer.json();\nconsole.log(rows);`,
    },
  ];
};
