import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { StandingRight } from '../catalog/standing-rights.js';
import type { Log } from '../lib/log.js';
import type { Caller } from '../model/permission.js';
import type { ByteShare } from './byte-budget.js';
import type { PermitKind } from './semaphores.js';
import type { SessionCookie } from './session-cookie.js';

/**
 * A route is a declaration: what it takes, what it answers, who may call it, and one function. Everything else
 * (authentication, validation, limits, error shapes, metrics, OpenAPI) follows from the declaration.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `none`: credentials are ignored. `optional`: the route works without, but credentials that are given
 * must be valid. `required`: 401 without.
 */
type Auth = 'none' | 'optional' | 'required';

/**
 * A schema: JSON. `bytes`: the body as it was sent, within the bounds of a JSON body. `stream`: the handler reads the raw body
 * itself from `request.raw`.
 */
type BodySpec = z.ZodType | 'bytes' | 'stream' | undefined;

export interface ResponseSpec {
  readonly description: string;
  /** Shape of a JSON body. Absent with `contentTypes` absent too: no body. */
  readonly schema?: z.ZodType;
  /** Media types of a body that is not JSON described by `schema`. */
  readonly contentTypes?: readonly string[];
  /** Response headers worth documenting: name -> meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/** JSON-serialisable value: sent as `application/json`. */
type ReplyBody = object | Buffer | string | Readable | null;

/** Follows how much of a streamed answer is sent. */
export interface SentMeter {
  /**
   * Counts the first bytes before they are sent, where the count is to be exact: they are not counted again.
   * @throws AppError 402 (the promise) when nothing may be sent.
   */
  ahead?(bytes: number): Promise<void> | undefined;
  /** Counts bytes of the body that are handed to the connection. A promise: no more may follow before it resolves. */
  add(bytes: number): Promise<void> | undefined;
  /** The answer has ended. @param unsent Counted bytes that did not leave this process. */
  end(unsent: number): void;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Object or array: JSON. String, Buffer: as it is, `Content-Type` from `headers`. Readable: streamed with
   * back-pressure; the status line is sent with its first bytes, so that an error before them is answered
   * properly, and an error after them destroys the connection.
   */
  readonly body?: ReplyBody;
  /** The right to a stream: when it ends, the connection is destroyed. */
  readonly right?: StandingRight;
  /** Notified of how much of a stream was sent, and of its end in any case. */
  readonly meter?: SentMeter;
}

/** A request before its body is read. */
export interface RequestHead<P, Q, C> {
  readonly params: P;
  readonly query: Q;
  readonly caller: C;
  /** Owner of permits and budgets: the account, or the address of an anonymous caller. */
  readonly owner: string;
  readonly requestId: string;
  /** Carries the request id. */
  readonly log: Log;
  /** Aborted when the client hangs up before the answer is complete. */
  readonly signal: AbortSignal;
  /** Path and query as sent, without `apiKey`. */
  readonly url: string;
  readonly method: string;
  readonly sessionCookie: SessionCookie;
  /** First value of a request header, by lower-case name. */
  header(name: string): string | undefined;
}

export interface RouteRequest<P, Q, B, C, X> extends RequestHead<P, Q, C> {
  readonly body: B;
  /** Result of `authorize`. */
  readonly access: X;
  /** With `permit: 'own'`: releases the permit of the steps before, when the handler acquires one itself. */
  releasePermit(): void;
  /** Counts what a handler keeps of a body that it reads itself. */
  readonly kept: ByteShare;
  readonly raw: IncomingMessage;
}

type BodyOf<B> = B extends z.ZodType ? z.output<B> : B extends 'bytes' ? Buffer : undefined;
type CallerOf<A> = A extends 'required' ? Caller : A extends 'none' ? undefined : Caller | undefined;
type ObjectOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

interface RouteShape<P, Q, B, A extends Auth> {
  readonly method: Method;
  /** `/datasets/:id`; `*name` takes the rest of the path, slashes included. Below `/api` unless a root route. */
  readonly path: string;
  /** Name of the operation in the documents and in generated clients. Hidden routes have none. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  /** First one groups the route in the documents. */
  readonly tags: readonly string[];
  readonly auth: A;
  /** True where access to the dataset `:id` is decided first: it is looked up together with the key. */
  readonly readsDataset?: boolean;
  readonly params?: P;
  /** Known query parameters; any other is refused unless its name starts with `_`. */
  readonly query?: Q;
  /** True for a page whose scripts read the query: nothing here reads it. */
  readonly queryOfPage?: boolean;
  readonly body?: B;
  /** True for a POST that only reads: pages of other sites may call it with a key of their own. */
  readonly changesNothing?: boolean;
  /** Request headers that the route reads, and what they mean. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Fields that a form may have before the file of a `stream` body. */
  readonly form?: z.ZodObject;
  /** Media types of a `stream` or `bytes` body, for the documents. */
  readonly bodyTypes?: readonly string[];
  readonly bodyExample?: unknown;
  /** Semaphore whose permit the handler holds. @default requests */
  readonly permit?: PermitKind;
  /** True when the JSON body may be left out (the schema then sees `{}`). */
  readonly bodyOptional?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Statuses of errors in addition to those that every route may answer (400, 401, 413, 415, 500, 503 as they apply). */
  readonly errors?: readonly number[];
  /** `message`: a 404 of this route is shaped `{message}` instead of `{error}`. */
  readonly notFoundShape?: 'error' | 'message';
  /**
   * Protocol that shapes errors. `odata` takes the key as the password of Basic as well, and every response has its version;
   * `mcp` refuses hosts and origins that are not known.
   */
  readonly protocol?: 'odata' | 'mcp';
  /** Path parameters that are a permission in themselves: log lines and traces show their first characters alone. */
  readonly secretParams?: readonly string[];
  /** True keeps the route out of the documents. */
  readonly hidden?: boolean;
}

interface RouteSpec<
  P extends z.ZodObject | undefined,
  Q extends z.ZodObject | undefined,
  B extends BodySpec,
  A extends Auth,
  X,
> extends RouteShape<P, Q, B, A> {
  /**
   * Whether the caller may do this at all; a route that takes a body has to say. It runs before a byte of the body is
   * kept, and what it gives is `request.access` of the handler.
   * @throws AppError 401, 402, 403 or 404
   */
  readonly authorize?: (request: RequestHead<ObjectOf<P>, ObjectOf<Q>, CallerOf<A>>) => Promise<X> | X;
  readonly handler: (
    request: RouteRequest<ObjectOf<P>, ObjectOf<Q>, BodyOf<B>, CallerOf<A>, X>,
  ) => Promise<Reply> | Reply;
}

/** A route whose types were checked at its declaration and are no longer needed. */
export interface Route extends RouteShape<z.ZodObject | undefined, z.ZodObject | undefined, BodySpec, Auth> {
  readonly authorize?: (request: RequestHead<unknown, unknown, Caller | undefined>) => unknown;
  readonly handler: (
    request: RouteRequest<unknown, unknown, unknown, Caller | undefined, unknown>,
  ) => Promise<Reply> | Reply;
}

/** For a body that everybody may send whose credentials the route takes. */
export const anyCaller = (): undefined => undefined;

/**
 * Declares a route. The handler's request is typed by the schemas; the kernel parses with the same schemas
 * before it calls, which is what makes forgetting the types here sound.
 * @throws Error for a route that takes a body and does not say who may send it.
 */
export const route = <
  P extends z.ZodObject | undefined = undefined,
  Q extends z.ZodObject | undefined = undefined,
  B extends BodySpec = undefined,
  A extends Auth = Auth,
  X = undefined,
>(
  spec: RouteSpec<P, Q, B, A, X>,
): Route => {
  if (spec.body !== undefined && spec.authorize === undefined)
    throw new Error(`${spec.method} ${spec.path} takes a body and has no authorize`);
  return spec as unknown as Route;
};

/** `200` with a JSON body. */
export const ok = (body: object): Reply => ({ status: 200, body });
export const created = (body: object): Reply => ({ status: 201, body });
/** `204` once the work is done. */
export const noContentAfter = async (work: Promise<unknown>): Promise<Reply> => {
  await work;
  return { status: 204 };
};
/** `200` with a JSON body that no cache keeps. */
export const uncached = (body: object): Reply => ({ ...ok(body), headers: { 'Cache-Control': 'no-store' } });
