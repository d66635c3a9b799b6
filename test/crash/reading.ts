import type { Deployment } from '../harness/deployment.js';

/** Downloads a version over HTTP, following the link to its file; records end with LF. */
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
  if (!answer.ok) return `the download answered ${answer.status}: ${text.slice(0, 300)}`;
  return withLineFeeds(text);
};

/** Replaces CRLF between records with LF, but keeps it inside quoted fields. */
export const withLineFeeds = (text: string): string => {
  let inside = false;
  return text.replace(/"|\r\n/g, (match) => {
    if (match === '"') inside = !inside;
    return match === '"' || inside ? match : '\n';
  });
};
