import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import { type Encoding, encodingFor } from '../../http/pipeline/compress.ts';
import { matches } from '../../http/pipeline/send.ts';
import { type DocsFile, docsFiles } from './site.ts';

/** The contract for people and programs: /docs, and /openapi.json. Nothing is loaded from elsewhere. */

const STRICT_POLICY = ["default-src 'none'", "style-src 'self'", "img-src 'self'"];
/** Redoc writes its style into the page, and looks for words in a worker of its own. */
const REDOC_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data:"],
  ...["font-src 'self'", "connect-src 'self'", 'worker-src blob:'],
];
const ALWAYS = ["frame-ancestors 'none'", "base-uri 'none'"];

const ROUTES = new Map(docsFiles.map((file) => [addressOf(file.name), file]));

function addressOf(file: string): string {
  if (file === 'openapi.json') return '/openapi.json';
  return file === 'index.html' ? '/docs' : `/docs/${file.replace(/\.html$/, '')}`;
}

export function docs(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [address, file] of ROUTES) router.get(address, serve(file));
  return router;
}

/** What is sent for a file: made when first asked for, compressed well, and kept. */
interface Kept {
  body: Buffer;
  etag: string;
  packed: Partial<Record<Encoding, Promise<Buffer>>>;
}

function serve(file: DocsFile): RequestHandler {
  let made: Kept | undefined;
  return async (req, res) => {
    made ??= keep(Buffer.from(file.make(addressOf)));
    const isReference = file.name.startsWith('reference/');
    const policy = [...(isReference ? REDOC_POLICY : STRICT_POLICY), ...ALWAYS].join('; ');
    res.set({ 'Cache-Control': 'public, max-age=300', 'Content-Security-Policy': policy });
    res.type(file.type).vary('Accept-Encoding');
    await send(req, res, made);
  };
}

function keep(body: Buffer): Kept {
  return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 16), packed: {} };
}

async function send(req: Request, res: Response, { body, etag, packed }: Kept): Promise<void> {
  const encoding = encodingFor(req);
  const tag = `"${etag}${encoding ? `-${encoding}` : ''}"`;
  res.set('ETag', tag);
  if (matches(req.headers['if-none-match'], tag)) {
    res.status(304).end();
    return;
  }
  if (!encoding) {
    res.set('Content-Length', String(body.length)).end(body);
    return;
  }
  packed[encoding] ??= PACK[encoding](body);
  const bytes = await packed[encoding];
  res.set({ 'Content-Encoding': encoding, 'Content-Length': String(bytes.length) }).end(bytes);
}

/** Not the highest quality, which takes a second and a half for the script, and saves a tenth. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const PACK: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify<Buffer, typeof BROTLI, Buffer>(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify<Buffer, Buffer>(gzip)(body),
};
