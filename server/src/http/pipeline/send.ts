import type { Request, Response } from 'express';
import { addVary, setHeaders } from '../callers/headers.ts';
import type { Operation } from '../contract/contract.ts';
import { faultIn } from '../contract/schemas.ts';
import { encodingFor, isWorthPacking, pack } from './compress.ts';
import { type Answer, answerTo } from './errors.ts';
import { asMarkdown, prefersMarkdown } from './markdown.ts';
import type { Notes } from './notes.ts';

/**
 * Writes an answer: compressed when the caller accepts that, unless it holds a secret, which its length might betray. In tests
 * it is checked against the contract first, and a fault becomes a 500.
 */
export async function send(req: Request, res: Response, given: Answer, validateResponses: boolean): Promise<void> {
  if (res.headersSent) return;
  const notes = res.locals as Notes;
  const { operation } = notes;
  const { status, body, headers = {}, packed } = validateResponses ? validated(notes, given) : given;
  res.statusCode = status;
  setHeaders(res, headers);
  if (body === undefined) {
    res.end();
    return;
  }
  const { type, text } = formOf(req, operation, status, body);
  const encoding = encodingOf(req, res, operation, text);
  const { ETag } = headers;
  if (ETag && encoding) res.setHeader('ETag', `W/${ETag}`); // The same content, not the same bytes.
  if (ETag && operation?.cacheable && matches(req.headers['if-none-match'], ETag)) {
    res.statusCode = 304;
    res.end();
    return;
  }
  const bytes = encoding ? await pack(text, encoding, packed) : text;
  if (encoding) res.setHeader('Content-Encoding', encoding);
  res.setHeader('Content-Type', type);
  res.setHeader('Content-Length', String(Buffer.byteLength(bytes)));
  res.end(bytes);
}

/** The answer itself, or a 500 for one that breaks the contract. */
export function validated(notes: Notes, given: Answer): Answer {
  const fault = notes.operation && faultIn(notes.operation, given.status, given.body?.toString());
  if (!fault) return given;
  notes.cause = new Error(fault);
  return answerTo(notes.cause, notes.request_id);
}

function encodingOf(req: Request, res: Response, operation: Operation | undefined, text: string | Buffer) {
  if (!operation || operation.secret || !isWorthPacking(text)) return undefined;
  addVary(res, 'Accept-Encoding');
  return encodingFor(req);
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The form in which the body goes out: as it is, as Markdown, or with what OAuth clients look for in a refusal. */
function formOf(req: Request, operation: Operation | undefined, status: number, body: string | Buffer) {
  if (operation?.oauth && status >= 400) return { type: JSON_TYPE, text: withDescription(body.toString()) };
  if (!operation?.markdown || status >= 400) return { type: JSON_TYPE, text: body };
  if (req.res) addVary(req.res, 'Accept');
  if (!prefersMarkdown(req)) return { type: JSON_TYPE, text: body };
  return { type: 'text/markdown; charset=utf-8', text: asMarkdown(JSON.parse(body.toString())) };
}

/** Repeats the sentence under the name that OAuth clients know (RFC 6749 §5.2). */
function withDescription(body: string): string {
  const refusal = JSON.parse(body) as { message: string };
  return JSON.stringify({ ...refusal, error_description: refusal.message });
}

/** If-None-Match by weak comparison (RFC 9110 §13.1.2): proxies that compress weaken a tag. */
export function matches(wanted: string | undefined, etag: string): boolean {
  return wanted?.split(',').some((tag) => ['*', etag].includes(tag.trim().replace(/^W\//, ''))) ?? false;
}
