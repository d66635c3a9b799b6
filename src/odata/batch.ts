/** `$batch`: requests and answers as JSON (OData 4.01) or as multipart/mixed (4.0). All parts can only read. */
import { invalid } from '../lib/errors.js';

export interface BatchPart {
  /** `id` of JSON, `Content-ID` of multipart; undefined: none was given. */
  readonly id: string | undefined;
  readonly method: string;
  readonly url: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Answer to a part. */
export interface PartAnswer {
  readonly id: string | undefined;
  readonly status: number;
  /** `Content-Type` is one of them unless there is no body. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** Format of a batch and of its answers. */
interface BatchForm {
  readonly parts: readonly BatchPart[];
  /** `Content-Type` of the answer. */
  readonly contentType: string;
  readonly write: (answers: readonly PartAnswer[]) => Buffer;
}

/** Maximum parts of a batch. */
const maxParts = 50;

const bad = (message: string) => invalid('bad_batch', `$batch: ${message}.`);

const requireFew = (count: number): void => {
  if (count > maxParts)
    throw invalid(
      'too_many_parts',
      `$batch: ${count} parts are more than ${maxParts}; send several batches.`,
      {
        limit: maxParts,
      },
    );
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const jsonMembers: ReadonlySet<string> = new Set(['id', 'method', 'url', 'headers']);

const textMember = (part: Readonly<Record<string, unknown>>, name: string, at: number): string => {
  const value = part[name];
  if (typeof value !== 'string' || value === '') throw bad(`requests[${at}].${name} must be a text`);
  return value;
};

const headersMember = (headers: unknown, at: number): Record<string, string> => {
  if (headers === undefined) return {};
  const texts = isRecord(headers) ? Object.entries(headers) : undefined;
  if (texts === undefined || texts.some(([, value]) => typeof value !== 'string'))
    throw bad(`requests[${at}].headers must be an object of texts`);
  return Object.fromEntries(texts.map(([name, value]) => [name.toLowerCase(), String(value)]));
};

const jsonPart = (part: unknown, at: number): BatchPart => {
  if (!isRecord(part)) throw bad(`requests[${at}] must be an object`);
  const other = Object.keys(part).find((name) => !jsonMembers.has(name));
  if (other !== undefined)
    throw bad(
      `requests[${at}] has ${JSON.stringify(other.slice(0, 64))}; parts only read, and do not depend on each other`,
    );
  return {
    id: textMember(part, 'id', at),
    method: textMember(part, 'method', at).toUpperCase(),
    url: textMember(part, 'url', at),
    headers: headersMember(part.headers, at),
  };
};

/** JSON is embedded, text becomes a string, anything else base64url. */
const jsonBody = ({ headers, body }: PartAnswer): Buffer | string => {
  const type = headers['Content-Type'] ?? '';
  if (/^application\/json\b/.test(type)) return body;
  return JSON.stringify(/^text\//.test(type) ? body.toString() : body.toString('base64url'));
};

const writeJson = (answers: readonly PartAnswer[]): Buffer => {
  const pieces = answers.flatMap((answer, at): (string | Buffer)[] => {
    const { id, status, headers, body } = answer;
    const head = JSON.stringify({ id, status, headers }).slice(0, -1);
    const start = `${at === 0 ? '' : ','}${head}`;
    return body.length === 0 ? [start, '}'] : [start, ',"body":', jsonBody(answer), '}'];
  });
  return joined(['{"responses":[', ...pieces, ']}\n']);
};

const joined = (pieces: readonly (string | Buffer)[]): Buffer =>
  Buffer.concat(pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));

/** @throws AppError 400 */
const readJson = (text: string): BatchForm => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw bad(`the body is not valid JSON (${(error as Error).message.slice(0, 100)})`);
  }
  const requests = isRecord(value) ? value.requests : undefined;
  if (!Array.isArray(requests)) throw bad('"requests" must be a list');
  requireFew(requests.length);
  const parts = requests.map(jsonPart);
  const ids = parts.map(({ id }) => id);
  if (new Set(ids).size < ids.length) throw bad('two requests have the same id');
  return { parts, contentType: 'application/json', write: writeJson };
};

/** Lines of a head, and the remainder after the empty line. */
const splitHead = (text: string): { lines: string[]; rest: string } => {
  const match = /\r?\n\r?\n/.exec(text);
  const head = match === null ? text : text.slice(0, match.index);
  const rest = match === null ? '' : text.slice(match.index + match[0].length);
  return { lines: head.split(/\r?\n/).filter((line) => line !== ''), rest };
};

const headersOf = (lines: readonly string[], where: string): Record<string, string> =>
  Object.fromEntries(
    lines.map((line) => {
      const [, name, value = ''] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(line) ?? [];
      if (name === undefined) throw bad(`${where} has a line that is no header`);
      return [name.toLowerCase(), value.trim()];
    }),
  );

/** A request line without the protocol at its end. Some clients do not encode spaces in the address. */
const withoutProtocol = (line: string): string => {
  const trimmed = line.trimEnd();
  const end = trimmed.lastIndexOf(' ');
  return /^HTTP\/\d(?:\.\d)?$/.test(trimmed.slice(end + 1)) ? trimmed.slice(0, end).trimEnd() : trimmed;
};

const multipartPart = (text: string, at: number): BatchPart => {
  const where = `part ${at + 1}`;
  const { lines, rest } = splitHead(text.replace(/^\r?\n/, ''));
  const outer = headersOf(lines, where);
  const type = outer['content-type'] ?? '';
  if (/^multipart\/mixed\b/i.test(type)) throw bad(`${where} is a change set; this service only reads`);
  if (!/^application\/http\b/i.test(type)) throw bad(`${where} must be of Content-Type application/http`);
  const { lines: inner } = splitHead(rest.replace(/^(?:\r?\n)+/, ''));
  const [, method, url] = /^([A-Za-z]+) +(\S.*)$/.exec(withoutProtocol(inner[0] ?? '')) ?? [];
  if (method === undefined || url === undefined)
    throw bad(`${where} must start with a request such as "GET Rows?$top=5 HTTP/1.1"`);
  return {
    id: outer['content-id'],
    method: method.toUpperCase(),
    url,
    headers: headersOf(inner.slice(1), where),
  };
};

const multipartAnswer = (
  boundary: string,
  { id, status, headers, body }: PartAnswer,
): (string | Buffer)[] => [
  `--${boundary}\r\nContent-Type: application/http\r\nContent-Transfer-Encoding: binary\r\n`,
  id === undefined ? '' : `Content-ID: ${id}\r\n`,
  `\r\nHTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Error'}\r\n`,
  ...Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`),
  `Content-Length: ${body.length}\r\n\r\n`,
  body,
  '\r\n',
];

/** @throws AppError 400 */
const readMultipart = (text: string, boundary: string, newId: () => string): BatchForm => {
  // A separator is a line of its own. Text before the first and after the last one is not a part.
  const pieces = `\n${text}`.split(`\n--${boundary}`);
  const last = pieces.findIndex((piece, at) => at > 0 && piece.startsWith('--'));
  if (last < 0) throw bad(`the closing boundary --${boundary}-- is missing`);
  const bodies = pieces.slice(1, last);
  requireFew(bodies.length);
  if (bodies.some((piece) => !/^[ \t]*\r?\n/.test(piece))) throw bad('a boundary must be a line of its own');
  // The line end before a boundary is part of the boundary.
  const parts = bodies.map((piece, at) => multipartPart(piece.replace(/^[ \t]*/, '').replace(/\r$/, ''), at));
  const answerBoundary = `batchresponse_${newId()}`;
  return {
    parts,
    contentType: `multipart/mixed; boundary=${answerBoundary}`,
    write: (answers) =>
      joined([
        ...answers.flatMap((answer) => multipartAnswer(answerBoundary, answer)),
        `--${answerBoundary}--\r\n`,
      ]),
  };
};

/** Format of a batch according to `Content-Type`; undefined for another type. */
const formOf = (contentType: string): 'json' | { readonly boundary: string } | undefined => {
  if (/^application\/json\b/i.test(contentType)) return 'json';
  const boundary = /^multipart\/mixed\s*;.*\bboundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/is.exec(
    contentType,
  );
  const text = boundary?.[1] ?? boundary?.[2];
  return text === undefined ? undefined : { boundary: text };
};

/**
 * Reads the parts of a batch.
 * @returns undefined for a type that is not a batch
 * @throws AppError 400
 */
export const readBatch = (text: string, contentType: string, newId: () => string): BatchForm | undefined => {
  const form = formOf(contentType);
  if (form === undefined) return undefined;
  return form === 'json' ? readJson(text) : readMultipart(text, form.boundary, newId);
};
