import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { Request } from 'express';
import type { Operation } from '../contract/contract.ts';
import type { Answer } from './errors.ts';

const zip = promisify(gzip);
const SMALLEST_BYTES = 1_024;

/**
 * Compresses the large answers of the sync surface for who accepts gzip; not those with secrets, which their lengths might
 * betray.
 */
export async function compress(operation: Operation | undefined, req: Request, answer: Answer): Promise<Answer> {
  const { status, body, headers } = answer;
  if (operation?.surface !== 'sync' || operation.secret || body === undefined || body.length < SMALLEST_BYTES)
    return answer;
  const varying = { ...headers, Vary: 'Accept-Encoding' };
  if (req.acceptsEncodings('gzip', 'identity') !== 'gzip') return { status, body, headers: varying };
  const packed = await zip(body, { level: constants.Z_BEST_SPEED });
  return { status, body: packed, headers: { ...varying, 'Content-Encoding': 'gzip' } };
}
