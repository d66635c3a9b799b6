import { isAppError } from '../../lib/errors.js';
import type { Log } from '../../lib/log.js';
import type { ProcessError } from '../../model/process.js';
import { isOutage } from '../../storage/outage.js';
import { retryInOutage } from '../../storage/outage-retry.js';
import type { Dispatcher } from '../lifecycle/dispatcher.js';
import type { Upload } from '../options/upload.js';

interface RefusalOptions {
  readonly dispatcher: Pick<Dispatcher, 'fail'>;
  readonly log: Log;
}

/** @param processOf Returns the process of the upload; undefined if none was inserted. */
type Refusal = (
  upload: Pick<Upload, 'datasetId' | 'accountId'>,
  processOf: () => Promise<number | undefined>,
  error: unknown,
) => Promise<void>;

const brokenOff: ProcessError = { code: 'upload_broken_off', message: 'The upload was aborted.' };

/** Fails the process of an upload that ended with an error. While PostgreSQL cannot be reached, it is retried in the background. */
export const createRefusal =
  ({ dispatcher, log }: RefusalOptions): Refusal =>
  async ({ datasetId, accountId }, processOf, error) => {
    const { code, message } = isAppError(error) ? error : brokenOff;
    const fail = async (): Promise<void> => {
      const processId = await processOf();
      if (processId !== undefined) await dispatcher.fail({ processId, datasetId }, { code, message });
      // Only the code: the message may quote the file, and the caller gets it in the response.
      else log.info({ dataset: datasetId, account: accountId, code }, 'upload refused');
    };
    await fail().catch((failed: unknown) => {
      if (!isOutage(failed)) throw failed;
      retryInOutage(fail).catch((err: unknown) =>
        log.warn({ err, dataset: datasetId, code }, 'broken upload not failed'),
      );
    });
  };
