/** Declaration of a tool: its input, its output, and one function. */
import type { z } from 'zod';
import type { DatasetAccess } from '../catalog/access.js';
import type { ExportTicket } from '../catalog/export-ticket.js';
import type { Caller } from '../model/permission.js';

/** Finds a dataset whose rows the caller may download. @throws AppError 402, 403 or 404 */
export type FindDataset = (caller: Caller, datasetId: number) => Promise<DatasetAccess>;

/** Rows in an answer. They count as an export, and sending them stops when the right to them ends. */
export interface ShownRows {
  readonly datasetId: number;
  readonly ticket: ExportTicket;
}

/** The request of a call. */
export interface ToolRequest {
  readonly caller: Caller;
  /** Owner of permits: the account. */
  readonly owner: string;
  readonly requestId: string;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Address of the API as this client reaches it. */
  readonly apiUrl: string;
  /** Releases the permit of short requests, before one of another kind is acquired. */
  releasePermit(): void;
  /** Registers the rows of the answer; the ticket is settled with the bytes that are sent. */
  shows(rows: ShownRows): void;
}

interface ToolShape<I extends z.ZodObject, O extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  /** Text for the model that chooses a tool. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** True: sends requests to providers, whose answers change. */
  readonly openWorld?: boolean;
  /** True: changes something, so it is hidden from read-only keys. */
  readonly writes?: boolean;
}

export interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> extends ToolShape<I, O> {
  /** @throws AppError like the corresponding routes. */
  readonly run: (request: ToolRequest, args: z.output<I>) => Promise<z.input<O>>;
}

export interface Tool extends ToolShape<z.ZodObject, z.ZodObject> {
  readonly run: (request: ToolRequest, args: unknown) => Promise<object>;
}

/** A tool without its types, which were checked at its declaration: the server parses with the same schemas before it calls. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(spec: ToolSpec<I, O>): Tool =>
  spec as unknown as Tool;
