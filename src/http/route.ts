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
 * Declaration of a route: its input, its answers, its callers, and one function. Everything else (authentication, validation, limits, error
 * format, metrics, OpenAPI) follows from it.
 */
type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** `none`: credentials are ignored. `optional`: credentials may be omitted, but must be valid if given. `required`: 401 without. */
type Auth = 'none' | 'optional' | 'required';

/**
 * A schema: JSON. `bytes`: the unparsed body, within the limits of a JSON body. `stream`: the handler reads the raw body from
 * `request.raw`.
 */
type BodySpec = z.ZodType | 'bytes' | 'stream' | undefined;

export interface ResponseSpec {
  readonly description: string;
  /** Shape of a JSON body. Absent with `contentTypes` absent too: no body. */
  readonly schema?: z.ZodType;
  /** Media types of a body that is not JSON with a `schema`. */
  readonly contentTypes?: readonly string[];
  /** Documented response headers: name -> meaning. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly example?: unknown;
}

/** JSON-serialisable value: sent as `application/json`. */
type ReplyBody = object | Buffer | string | Readable | null;

/** Counts the bytes of a streamed answer while it is sent. */
export interface SentMeter {
  /**
   * Counts the first bytes before they are sent, if the count must be exact; they are not counted again.
   * @throws AppError 402 (the promise) if nothing may be sent.
   */
  ahead?(bytes: number): Promise<void> | undefined;
  /** Counts bytes of the body that were written to the connection. Returns a promise if the next bytes must wait for it. */
  add(bytes: number): Promise<void> | undefined;
  /** The answer has ended. @param unsent Counted bytes that were not sent. */
  end(unsent: number): void;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Object or array: JSON. String or Buffer: unchanged, with `Content-Type` from `headers`. Readable: streamed with back-pressure. The
   * status line is sent with the first bytes, so an error before them is answered with its status, and an error after them destroys the
   * connection.
   */
  readonly body?: ReplyBody;
  /** The right to a stream. When it ends, the connection is destroyed. */
  readonly right?: StandingRight;
  /** Counts the sent bytes of a stream, and is notified of its end in any case. */
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
  /** Log with the id of the request. */
  readonly log: Log;
  /** Aborted when the client disconnects before the answer is complete. */
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
  /** With `permit: 'own'`: releases the permit of the earlier steps, when the handler acquires one itself. */
  releasePermit(): void;
  /** Counts the bytes in memory of a body that the handler reads itself. */
  readonly kept: ByteShare;
  readonly raw: IncomingMessage;
}

type BodyOf<B> = B extends z.ZodType ? z.output<B> : B extends 'bytes' ? Buffer : undefined;
type CallerOf<A> = A extends 'required' ? Caller : A extends 'none' ? undefined : Caller | undefined;
type ObjectOf<S> = S extends z.ZodType ? z.output<S> : Record<string, never>;

interface RouteShape<P, Q, B, A extends Auth> {
  readonly method: Method;
  /** `/datasets/:id`; `*name` is the remainder of the path, slashes included. Below `/api` unless it is a root route. */
  readonly path: string;
  /** Name of the operation in the documents and in generated clients. Hidden routes have none. */
  readonly operationId?: string;
  readonly summary: string;
  readonly description?: string;
  /** The first one groups the route in the documents. */
  readonly tags: readonly string[];
  readonly auth: A;
  /** True if access to the dataset `:id` is decided first: it is looked up together with the key. */
  readonly readsDataset?: boolean;
  readonly params?: P;
  /** Known query parameters. Others are refused unless their name starts with `_`. */
  readonly query?: Q;
  /** True for a page whose scripts read the query; the service ignores it. */
  readonly queryOfPage?: boolean;
  readonly body?: B;
  /** True for a POST that only reads: pages of other sites may call it with their own key. */
  readonly changesNothing?: boolean;
  /** Request headers that the route reads: name -> meaning. */
  readonly requestHeaders?: Readonly<Record<string, string>>;
  /** Fields that a form may have before the file of a `stream` body. */
  readonly form?: z.ZodObject;
  /** Media types of a `stream` or `bytes` body, for the documents. */
  readonly bodyTypes?: readonly string[];
  readonly bodyExample?: unknown;
  /** Semaphore whose permit the handler holds. @default requests */
  readonly permit?: PermitKind;
  /** True if the JSON body may be omitted (the schema then gets `{}`). */
  readonly bodyOptional?: boolean;
  readonly responses: Readonly<Record<number, ResponseSpec>>;
  /** Statuses of errors in addition to those that any route may return (400, 401, 413, 415, 500, 503 as they apply). */
  readonly errors?: readonly number[];
  /** `message`: a 404 of this route has the form `{message}` instead of `{error}`. */
  readonly notFoundShape?: 'error' | 'message';
  /**
   * Protocol of the route, which determines the format of errors. `odata` also accepts the key as the password of Basic, and adds its
   * version to every response; `mcp` refuses unknown hosts and origins.
   */
  readonly protocol?: 'odata' | 'mcp';
  /** Path parameters that grant access by themselves. Log lines and traces show only their first characters. */
  readonly secretParams?: readonly string[];
  /** True: not in the documents. */
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
   * Decides whether the caller may use the route at all. Required for a route with a body. Runs before a byte of the body is kept; its
   * result is `request.access` of the handler.
   * @throws AppError 401, 402, 403 or 404
   */
  readonly authorize?: (request: RequestHead<ObjectOf<P>, ObjectOf<Q>, CallerOf<A>>) => Promise<X> | X;
  readonly handler: (
    request: RouteRequest<ObjectOf<P>, ObjectOf<Q>, BodyOf<B>, CallerOf<A>, X>,
  ) => Promise<Reply> | Reply;
}

/** A route without its types, which were checked at its declaration. */
export interface Route extends RouteShape<z.ZodObject | undefined, z.ZodObject | undefined, BodySpec, Auth> {
  readonly authorize?: (request: RequestHead<unknown, unknown, Caller | undefined>) => unknown;
  readonly handler: (
    request: RouteRequest<unknown, unknown, unknown, Caller | undefined, unknown>,
  ) => Promise<Reply> | Reply;
}

/** For a body that every caller with accepted credentials may send. */
export const anyCaller = (): undefined => undefined;

/**
 * Declares a route. The schemas determine the types of the handler's request, and the kernel parses with the same schemas before it calls
 * the handler, so the types can be dropped here safely.
 * @throws Error for a route with a body and no `authorize`.
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
/** `204` once the work has finished. */
export const noContentAfter = async (work: Promise<unknown>): Promise<Reply> => {
  await work;
  return { status: 204 };
};
/** `200` with a JSON body that no cache keeps. */
export const uncached = (body: object): Reply => ({ ...ok(body), headers: { 'Cache-Control': 'no-store' } });
