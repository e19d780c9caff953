import type { Request, Response } from 'express';
import { addVary, setHeaders } from '../callers/headers.ts';
import type { Operation } from '../contract/contract.ts';
import { isWorthPacking, pack } from '../pipeline/compress.ts';
import type { Answer } from '../pipeline/errors.ts';
import { matches } from '../pipeline/etag.ts';
import { asMarkdown } from '../pipeline/markdown.ts';
import { contextOf } from './context.ts';
import { encodingFor, prefersMarkdown } from './negotiation.ts';

/**
 * Sends a response. A large response of an operation is compressed if the client accepts that, except if it contains a
 * secret, because the compressed length could reveal parts of it.
 */
export async function send(req: Request, res: Response, answer: Answer): Promise<void> {
  if (res.headersSent) return;
  const { operation } = contextOf(res);
  const { status, body, headers = {}, packed } = answer;
  res.statusCode = status;
  setHeaders(res, headers);
  if (body === undefined) {
    res.end();
    return;
  }
  const { type, text } = formOf(req, operation, status, body);
  const encoding = encodingOf(req, res, operation, text);
  const { ETag } = headers;
  if (ETag && encoding) res.setHeader('ETag', `W/${ETag}`); // A weak ETag, because compression changes the bytes.
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

function encodingOf(req: Request, res: Response, operation: Operation | undefined, text: string | Buffer) {
  if (!operation || operation.secret || !isWorthPacking(text)) return undefined;
  addVary(res, 'Accept-Encoding');
  return encodingFor(req);
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** The body in the requested form: unchanged, as Markdown, or with the OAuth fields of an error. */
function formOf(req: Request, operation: Operation | undefined, status: number, body: string | Buffer) {
  if (operation?.oauth && status >= 400) return { type: JSON_TYPE, text: withDescription(body.toString()) };
  if (!operation?.markdown || status >= 400) return { type: JSON_TYPE, text: body };
  if (req.res) addVary(req.res, 'Accept');
  if (!prefersMarkdown(req)) return { type: JSON_TYPE, text: body };
  return { type: 'text/markdown; charset=utf-8', text: asMarkdown(JSON.parse(body.toString())) };
}

/** Adds `error_description` to an error (RFC 6749 §5.2). */
function withDescription(body: string): string {
  const refusal = JSON.parse(body) as { message: string };
  return JSON.stringify({ ...refusal, error_description: refusal.message });
}
