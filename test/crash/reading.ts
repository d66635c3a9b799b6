import type { Deployment } from '../harness/deployment.js';

/** Text of a version over the HTTP API, its record ends as LF; follows the link of a whole file. */
export const readVersion = async (
  product: Deployment,
  datasetId: number,
  versionId: number,
): Promise<string> => {
  const [base = ''] = product.apis;
  const url = `${base}/datasets/${datasetId}/data?versionId=${versionId}`;
  const headers = { authorization: product.authorization, accept: 'text/csv' };
  let answer = await fetch(url, { headers, redirect: 'manual' });
  if (answer.status === 302) {
    await answer.arrayBuffer();
    answer = await fetch(new URL(answer.headers.get('location') ?? '', base));
  }
  const text = await answer.text();
  if (!answer.ok) return `the download was answered ${answer.status}: ${text.slice(0, 300)}`;
  return withLineFeeds(text);
};

/** CRLF between records as LF, those inside of quoted fields as they are. */
export const withLineFeeds = (text: string): string => {
  let inside = false;
  return text.replace(/"|\r\n/g, (match) => {
    if (match === '"') inside = !inside;
    return match === '"' || inside ? match : '\n';
  });
};
