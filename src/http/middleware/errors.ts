import type { Middleware } from 'koa';
import { challengesFor } from '../credentials.js';
import { answerOfError, type ErrorAnswer, logError, odataError } from '../error-answer.js';
import { quoteSentId } from '../parameters.js';
import { pathParameters, type RequestState } from '../request-state.js';
import type { Route } from '../route.js';

/** Parameters that are searched for an id; no route has more. */
const maxParameters = 100;

/** Query parameters, with names that no path parameter has. */
function* queryOf(query: URLSearchParams): Generator<[string, string]> {
  let count = 0;
  for (const [name, value] of query) {
    if (count === maxParameters) return;
    count += 1;
    yield [`?${name}`, value];
  }
}

/** Codes of JSON-RPC: invalid JSON, invalid request, and the range for server errors. */
const rpcCodeOf = ({ status, code }: ErrorAnswer): number => {
  if (code === 'malformed_json') return -32_700;
  return status === 400 || status === 413 || status === 415 ? -32_600 : -32_000;
};

/** Protocol of a path, even if no route has that path. */
const protocolOf = (route: Route | undefined, path: string): Route['protocol'] =>
  route?.protocol ?? (/^\/api\/odata\//.test(path) ? 'odata' : undefined);

/** The error body in the format of the protocol. */
const bodyOf = (route: Route | undefined, protocol: Route['protocol'], answer: ErrorAnswer): object => {
  const { status, code, message, known } = answer;
  switch (protocol) {
    case 'odata':
      return odataError(answer);
    case 'mcp':
      return {
        jsonrpc: '2.0',
        id: null,
        error: { code: rpcCodeOf(answer), message, data: { code, ...known } },
      };
    default:
      return {
        ...(status === 404 && route?.notFoundShape === 'message' ? { message } : { error: message }),
        code,
        ...known,
      };
  }
};

/**
 * The only place that turns errors into answers. Callers see message, code and details of an AppError; every other error is a plain 500.
 */
export const createErrors = (): Middleware<RequestState> =>
  async function errors(ctx, next) {
    try {
      await next();
    } catch (error) {
      const { requestId, log, route } = ctx.state;
      const answer = answerOfError(error, {
        requestId,
        quote: (text) =>
          quoteSentId(
            text,
            { ...Object.fromEntries(queryOf(ctx.state.query)), ...pathParameters(ctx) },
            ctx.state.bodyText,
          ),
      });
      const { status, headers } = answer;
      ctx.state.error = error;
      // The client has disconnected, which the log line of the request says.
      if (ctx.state.signal.aborted) log.debug({ err: error }, 'request given up');
      else logError(log, error, answer);
      ctx.status = status;
      ctx.set(headers);
      if (status === 401) {
        const isFromScript = ctx.get('Sec-Fetch-Dest') === 'empty' || ctx.get('X-Requested-With') !== '';
        ctx.set('WWW-Authenticate', challengesFor(isFromScript || route?.protocol === 'mcp'));
      }
      ctx.remove('Content-Encoding');
      ctx.remove('Content-Disposition');
      ctx.remove('ETag');
      ctx.set('Cache-Control', 'no-store');
      const protocol = protocolOf(route, ctx.path);
      if (protocol === 'odata') ctx.set('OData-Version', '4.0');
      ctx.body = bodyOf(route, protocol, answer);
    }
  };
