import { uploadAndWait } from './client.js';
import type { RunningProduct } from './product.js';

const lines = Array.from(
  { length: 1000 },
  (_, row) => `2020-01-${String((row % 28) + 1).padStart(2, '0')},Region ${row % 9},${row}.25`,
);

/** CSV file of 1,000 rows: a date, a text, a number. */
export const shortFile = `date,region,value\n${lines.join('\n')}\n`;

const bytes = Buffer.from(shortFile);

export async function* shortContent(): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Milliseconds from the first byte sent until the client sees the upload completed. */
export const timeShortUpload = async (product: RunningProduct, datasetId: number): Promise<number> => {
  const startedAt = performance.now();
  await uploadAndWait(product, datasetId, shortContent());
  return performance.now() - startedAt;
};
