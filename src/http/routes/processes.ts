import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Access, DatasetAccess } from '../../catalog/access.js';
import { rightOf, type StandingRight } from '../../catalog/standing-rights.js';
import { type AppError, conflict, notFound } from '../../lib/errors.js';
import type { Caller } from '../../model/permission.js';
import type { ProcessView } from '../../model/process.js';
import type { Dispatcher } from '../../uploads/lifecycle/dispatcher.js';
import type { ProcessRecords } from '../../uploads/lifecycle/process-records.js';
import { createProcessWatch, type ProcessWatch } from '../../uploads/lifecycle/process-watch.js';
import type { Reject } from '../../uploads/lifecycle/rejects.js';
import { pathId, queryChoice, queryId, queryInteger } from '../parameters.js';
import { ok, type Route, route } from '../route.js';
import { processSchema } from './process-schema.js';

interface ProcessRoutesDeps {
  readonly access: Access;
  readonly processes: ProcessRecords;
  readonly dispatcher: Pick<Dispatcher, 'fail'>;
  /** Rejected records of a process, in file order. */
  readonly rejects: (processId: number) => AsyncIterable<Reject>;
  /** True while this process stops: event streams end, and their clients reconnect to another process. */
  readonly stopping: () => boolean;
}

const params = z.object({ id: pathId('Dataset'), processId: pathId('Process') });
const shared = { tags: ['Data'], auth: 'required' } as const;
export const forWhom =
  'Needs Write: a process and its rejected rows quote a file that may never be published. Read sees versions only.';

/** Access to the uploads of a dataset. They may quote files that are never published, and Read only covers versions. */
export const requireProcesses = (
  { access }: Pick<ProcessRoutesDeps, 'access'>,
  caller: Caller,
  datasetId: number,
): Promise<DatasetAccess> => access.dataset(caller, datasetId, 'Write', 'read');

/** The right to a streamed answer about uploads. */
export const rightTo = ({ id }: DatasetAccess, caller: Caller): StandingRight =>
  rightOf(caller, id, { need: 'Write' });

const goneProcess = (processId: number): AppError =>
  notFound('process_not_found', `The dataset has no process ${processId}.`);

export const requireView = async (
  { processes }: { readonly processes: Pick<ProcessRecords, 'view'> },
  datasetId: number,
  processId: number,
): Promise<ProcessView> => {
  const view = await processes.view(datasetId, processId);
  if (view === undefined) throw goneProcess(processId);
  return view;
};

const read = (deps: ProcessRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId',
    operationId: 'getProcess',
    summary: 'Read an upload process',
    description: forWhom,
    ...shared,
    params,
    responses: { 200: { description: 'The process in its present state.', schema: processSchema } },
    errors: [403, 404],
    handler: async ({ params: { id, processId }, caller }) => {
      const dataset = await requireProcesses(deps, caller, id);
      return ok(await requireView(deps, dataset.id, processId));
    },
  });

const list = ({ access, processes }: ProcessRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/processes',
    operationId: 'listProcesses',
    summary: 'List the upload processes of a dataset',
    description: forWhom,
    ...shared,
    params: z.object({ id: pathId('Dataset') }),
    query: z.object({
      $top: queryInteger('Most processes in the answer; 100 unless given.', { min: 1, max: 1000 }).optional(),
      before: queryId('Only processes with lower ids: the last id of the page before.').optional(),
    }),
    responses: { 200: { description: 'Processes, newest first.', schema: z.array(processSchema) } },
    errors: [403, 404],
    handler: async ({ params: { id }, query, caller }) => {
      const dataset = await requireProcesses({ access }, caller, id);
      return ok(await processes.list(dataset.id, { top: query.$top ?? 100, before: query.before }));
    },
  });

const cancel = (deps: ProcessRoutesDeps): Route =>
  route({
    method: 'DELETE',
    path: '/datasets/:id/processes/:processId',
    operationId: 'cancelProcess',
    summary: 'Cancel a pending upload process',
    description: 'The dataset does not change. Needs Write.',
    ...shared,
    params,
    responses: { 200: { description: 'The process, failed as `cancelled`.', schema: processSchema } },
    errors: [403, 404, 409],
    handler: async ({ params: { id, processId }, caller }) => {
      const dataset = await deps.access.dataset(caller, id, 'Write', 'write');
      await requireView(deps, dataset.id, processId);
      const failed = await deps.dispatcher.fail(
        { processId, datasetId: dataset.id },
        { code: 'cancelled', message: 'The upload was cancelled.' },
      );
      if (!failed) throw conflict('process_ended', `Process ${processId} has already ended.`);
      return ok(await requireView(deps, dataset.id, processId));
    },
  });

/** Comment lines keep proxies from closing a silent connection. */
const keepAliveMs = 15_000;

/** The view, with the percent that its attempt has reached before: each chunk that is sent lowers the share of those stored. */
const notBehind = (before: ProcessView, view: ProcessView): ProcessView => {
  const [{ percent: reached, attempt }, { progress }] = [before.progress, view];
  if (progress.attempt !== attempt || progress.percent === null || progress.percent >= (reached ?? 0))
    return view;
  return { ...view, progress: { ...progress, percent: reached } };
};

/** @param isOver Ends the events before the process ends. */
export async function* progressEvents(
  watch: ProcessWatch,
  first: ProcessView,
  isOver: () => boolean,
): AsyncGenerator<string> {
  let view = first;
  let sent = '';
  let sentAt = Date.now();
  for (;;) {
    const data = JSON.stringify(view);
    if (data !== sent) {
      yield `event: ${view.status === 'pending' ? 'progress' : view.status}\ndata: ${data}\n\n`;
      sent = data;
      sentAt = Date.now();
    } else if (Date.now() - sentAt > keepAliveMs) {
      yield ': waiting\n\n';
      sentAt = Date.now();
    }
    if (view.status !== 'pending' || isOver()) return;
    const next = await watch.next(view.id);
    if (next === undefined) throw goneProcess(view.id);
    view = notBehind(view, next);
  }
}

const events = (deps: ProcessRoutesDeps): Route => {
  const watch = createProcessWatch(deps.processes);
  return route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId/events',
    operationId: 'followProcess',
    summary: 'Follow an upload process',
    permit: 'events',
    description:
      'Server-sent events: `progress` whenever something changed, then `completed` or `failed`, then the end; ' +
      `a broken connection when the right to read has ended. The data of each is the process. ${forWhom}`,
    ...shared,
    params,
    responses: { 200: { description: 'The events.', contentTypes: ['text/event-stream'] } },
    errors: [403, 404],
    handler: async ({ params: { id, processId }, caller, signal }) => {
      const dataset = await requireProcesses(deps, caller, id);
      const view = await requireView(deps, dataset.id, processId);
      // A stopping process ends the stream, and clients reconnect to another one. The end of the right destroys the stream, which closes
      // only once the generator has returned.
      const isOver = (): boolean => body.destroyed || signal.aborted || deps.stopping();
      const body = Readable.from(progressEvents(watch, view, isOver));
      return {
        status: 200,
        headers: { 'Content-Type': 'text/event-stream; charset=utf-8', 'Cache-Control': 'no-store' },
        body,
        right: rightTo(dataset, caller),
      };
    },
  });
};

const csvField = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

async function* asCsv(rejects: AsyncIterable<Reject>): AsyncGenerator<string> {
  yield 'line,column,reason,message,raw\r\n';
  for await (const { line, column, reason, message, raw } of rejects) {
    yield `${[String(line), column ?? '', reason, message, raw].map(csvField).join(',')}\r\n`;
  }
}

async function* asJson(rejects: AsyncIterable<Reject>): AsyncGenerator<string> {
  let before = '[';
  for await (const { line, column, reason, message, raw } of rejects) {
    yield `${before}${JSON.stringify({ line, column, reason, message, raw })}`;
    before = ',\n';
  }
  yield before === '[' ? '[]' : ']';
}

const rejected = (deps: ProcessRoutesDeps): Route =>
  route({
    method: 'GET',
    path: '/datasets/:id/processes/:processId/rejects',
    operationId: 'downloadRejects',
    summary: 'Download the records that were set aside',
    permit: 'files',
    description: `Line, column, reason and the record as it is in the file (the first 64 KiB of it). ${forWhom}`,
    ...shared,
    params,
    query: z.object({ $format: queryChoice('Default csv.', ['csv', 'json']).optional() }),
    responses: { 200: { description: 'The records.', contentTypes: ['text/csv', 'application/json'] } },
    errors: [403, 404],
    handler: async ({ params: { id, processId }, query, caller }) => {
      const dataset = await requireProcesses(deps, caller, id);
      await requireView(deps, dataset.id, processId);
      const isJson = query.$format === 'json';
      const rows = deps.rejects(processId);
      return {
        status: 200,
        headers: { 'Content-Type': isJson ? 'application/json; charset=utf-8' : 'text/csv; charset=utf-8' },
        body: Readable.from(isJson ? asJson(rows) : asCsv(rows)),
        right: rightTo(dataset, caller),
      };
    },
  });

export const createProcessRoutes = (deps: ProcessRoutesDeps): Route[] => [
  list(deps),
  read(deps),
  cancel(deps),
  events(deps),
  rejected(deps),
];
