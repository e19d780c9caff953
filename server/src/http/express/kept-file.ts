import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { Request, Response } from 'express';
import type { Encoding } from '../pipeline/compress.ts';
import { matches } from '../pipeline/etag.ts';
import { encodingFor } from './negotiation.ts';

/** A file that is sent often. It is compressed on first use, and the compressed forms are kept. */
export interface KeptFile {
  body: Buffer;
  etag: string;
  packed: Partial<Record<Encoding, Promise<Buffer>>>;
}

export function keepFile(body: Buffer): KeptFile {
  return { body, etag: createHash('sha256').update(body).digest('base64url').slice(0, 16), packed: {} };
}

/** Sends the file in an encoding that the client accepts, or 304 if the client already has it. */
export async function sendKeptFile(req: Request, res: Response, { body, etag, packed }: KeptFile): Promise<void> {
  res.vary('Accept-Encoding');
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

/** The highest quality would take 1.5 s for the documentation's script and save only 10 %. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const PACK: Record<Encoding, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => promisify<Buffer, typeof BROTLI, Buffer>(brotliCompress)(body, BROTLI),
  gzip: (body) => promisify<Buffer, Buffer>(gzip)(body),
};
