import { notFound } from '../lib/errors.js';
import { readPipelineState } from '../uploads/lifecycle/pipeline-state.js';
import { listUploads, readUpload } from '../uploads/lifecycle/upload-list.js';
import type { ReplayReport, UploadReplay } from '../uploads/repair/upload-replay.js';
import type { AdminContext, AdminGroup, CommandInput } from './command.js';
import { wholeNumber } from './whole-number.js';

type OpenUploadReplay = (context: AdminContext) => Promise<UploadReplay>;

const listed = 100;
const waitSeconds = 600;

const processOf = (input: CommandInput): number =>
  wholeNumber(input.argument('process'), 'the id of a process');

const datasetOf = (input: CommandInput): { dataset?: number } => {
  const text = input.option('dataset');
  return text === undefined ? {} : { dataset: wholeNumber(text, 'the id of a dataset') };
};

/** The result is the first field, since operators read it first. */
const resultOf = (processId: number, report: ReplayReport): object => {
  if (report.kind === 'rewritten') {
    const { outcome, rows, rowsBefore, versions } = report;
    return { process: processId, outcome, rows, rowsBefore, versions };
  }
  const { status, versionId, rows, rejectedRows, error, progress } = report.process;
  return {
    process: processId,
    outcome: status,
    versionId,
    rows,
    rejectedRows,
    attempt: progress.attempt,
    error,
  };
};

/** `upload list|show|replay` */
export const createUploadCommands = (open: OpenUploadReplay): AdminGroup => ({
  name: 'upload',
  summary: 'Uploads',
  commands: [
    {
      name: 'list',
      summary: `List the newest ${listed} uploads.`,
      options: {
        pending: { type: 'boolean', help: 'Only those that have not ended.' },
        failed: { type: 'boolean', help: 'Only those that failed.' },
        stuck: {
          type: 'boolean',
          help: 'Only pending ones without a sign of life for ten minutes, longest silence first.',
        },
        dataset: { type: 'string', help: 'Only those of this dataset.' },
      },
      async run(input) {
        const { sql } = input.context;
        if (input.flag('stuck')) return [...(await readPipelineState(sql)).stuck];
        const status = input.flag('pending') ? 'pending' : input.flag('failed') ? 'failed' : undefined;
        return listUploads(sql, {
          ...(status === undefined ? {} : { status }),
          ...datasetOf(input),
          limit: listed,
        });
      },
    },
    {
      name: 'show',
      summary: 'Show an upload.',
      arguments: ['process'],
      async run(input) {
        const id = processOf(input);
        const found = await readUpload(input.context.sql, id);
        if (found === undefined) throw notFound('unknown_process', `There is no process ${id}.`);
        return found;
      },
    },
    {
      name: 'replay',
      audited: true,
      summary: 'Read an upload again from Kafka: check or repair a completed one, try a failed one again.',
      arguments: ['process'],
      options: {
        'take-over': {
          type: 'boolean',
          help: 'Even if it is pending: chunks were lost on the way and workers wait for them in vain.',
        },
        wait: {
          type: 'string',
          help: `Longest wait for the outcome in seconds; default ${waitSeconds}, 0: do not wait.`,
        },
      },
      async run(input) {
        const id = processOf(input);
        const seconds = wholeNumber(input.option('wait') ?? String(waitSeconds), 'a number of seconds');
        const replay = await open(input.context);
        return resultOf(
          id,
          await replay.replay(id, { takeOver: input.flag('take-over'), waitMs: seconds * 1000 }),
        );
      },
    },
  ],
});
