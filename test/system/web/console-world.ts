/** Fixtures and queries of the console's tests. */
import type { Page } from 'playwright-core';
import type { TestProduct } from '../../support/product.js';

/** Markup that runs a script unless it is escaped. */
export const nasty = '<img src=x onerror=alert(1)>';

/** Creates a dataset of the signed-in account and uploads one chunk. @returns their ids. */
export const uploadPrices = async (
  page: Page,
  text: string,
): Promise<{ dataset: number; process: number }> => {
  const id = async (answer: { json(): Promise<unknown> }): Promise<number> =>
    ((await answer.json()) as { id: number }).id;
  const repositoryId = await id(await page.request.get('/api/repositories/home'));
  const dataset = await id(
    await page.request.post('/api/datasets', {
      data: { name: `Prices ${nasty} ${text.length}`, repositoryId },
    }),
  );
  const file = { name: 'a.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
  const process = await id(
    await page.request.put(`/api/datasets/${dataset}/data`, { multipart: { data: file } }),
  );
  return { dataset, process };
};

/** The newest audit event. */
export const newestAudit = (product: TestProduct): Promise<{ action: string; accountName: string }[]> =>
  product.sql.query(
    `SELECT action, account_name AS "accountName" FROM audit_events ORDER BY id DESC LIMIT 1`,
  );
