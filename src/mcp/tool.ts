/** A tool: what it takes, what it answers, and one function. */
import type { z } from 'zod';
import type { ExportTicket } from '../catalog/export-ticket.js';
import type { Caller } from '../model/permission.js';

/** Rows in an answer: they count as an export, and sending them stops when the right to them ends. */
export interface ShownRows {
  readonly datasetId: number;
  readonly ticket: ExportTicket;
}

/** The request behind a call. */
export interface ToolRequest {
  readonly caller: Caller;
  /** Owner of permits: the account. */
  readonly owner: string;
  readonly requestId: string;
  /** Aborted when the client is gone. */
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
  /** For the model that chooses. */
  readonly description: string;
  readonly input: I;
  readonly output: O;
  /** True: asks providers, whose answers change. */
  readonly openWorld?: boolean;
  /** True: changes something; keys that may only read do not see it. */
  readonly writes?: boolean;
}

export interface ToolSpec<I extends z.ZodObject, O extends z.ZodObject> extends ToolShape<I, O> {
  /** @throws AppError as the routes that do the same. */
  readonly run: (request: ToolRequest, args: z.output<I>) => Promise<z.input<O>>;
}

export interface Tool extends ToolShape<z.ZodObject, z.ZodObject> {
  readonly run: (request: ToolRequest, args: unknown) => Promise<object>;
}

/** A tool whose types were checked at its declaration: the server parses with the same schemas before it calls. */
export const tool = <I extends z.ZodObject, O extends z.ZodObject>(spec: ToolSpec<I, O>): Tool =>
  spec as unknown as Tool;
