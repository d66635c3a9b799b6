import { accountCodes } from './accounts.js';
import type { CodeList } from './code-list.js';
import { datasetCodes } from './datasets.js';
import { downloadCodes } from './downloads.js';
import { operatorCodes } from './operations.js';
import { providerCodes } from './providers.js';
import { requestCodes } from './requests.js';
import { failedUploadCodes, uploadCodes } from './uploads.js';

export type { CodeList, CodeMeaning } from './code-list.js';

/** Codes of responses by subject, as the documents list them. */
export const codesBySubject: Readonly<Record<string, CodeList>> = {
  'Every request': requestCodes,
  'Accounts, keys, teams and permissions': accountCodes,
  'Repositories, datasets and versions': datasetCodes,
  Uploads: uploadCodes,
  'Failed uploads': failedUploadCodes,
  'Downloads and links': downloadCodes,
  Providers: providerCodes,
  Operators: operatorCodes,
};

/** Every `code` of an error response, sorted. */
export const errorCodes: readonly string[] = [
  ...new Set(Object.values(codesBySubject).flatMap((codes) => Object.keys(codes))),
].sort();
