import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ShopError } from '../../shop/errors.ts';
import { operationTable } from '../contract/contract.ts';
import { tooLarge } from '../pipeline/body.ts';
import { hangUpBeyond, isUpload, LARGEST_UPLOAD_BYTES } from './read-body.ts';

const LARGEST_BODY_BYTES = Math.max(...operationTable.map(({ bodyLimitBytes }) => bodyLimitBytes));

/** Headers that are stored or displayed as text. */
const READ_AS_TEXT = ['user-agent', 'accept-language'];

/**
 * Rejects requests that no operation can read: bodies above every limit, unsupported transfer codings (RFC 9112 §6.1),
 * headers of `READ_AS_TEXT` that are not UTF-8, and more than one Host header. Node decodes headers as Latin-1 and uses
 * the first of several hosts.
 */
export const refuseUnreadable: RequestHandler = (req, _res, next) => {
  const { headers } = req;
  refuseSecondHost(req);
  const { 'transfer-encoding': coding, 'content-length': length = 0 } = headers;
  const largest = isUpload(req) ? LARGEST_UPLOAD_BYTES : LARGEST_BODY_BYTES;
  if (Number(length) > largest) {
    hangUpBeyond(largest, req);
    throw tooLarge(largest);
  }
  if (coding !== undefined && coding.trim().toLowerCase() !== 'chunked') {
    throw new ShopError(
      'invalid_request',
      'Send the body plain or with Transfer-Encoding: chunked; other transfer codings are not supported.',
    );
  }
  const field = READ_AS_TEXT.find((name) => !isUtf8(Buffer.from(String(headers[name] ?? ''), 'latin1')));
  if (field) throw new ShopError('invalid_request', `The header ${field} is not valid UTF-8.`);
  next();
};

/**
 * Rejects a request with several Host headers or with a host in its URL. A proxy in front of the server may have used a
 * different one of these hosts than Node.
 */
function refuseSecondHost({ rawHeaders, url }: IncomingMessage): void {
  // A URL with a host is for proxies (RFC 9112 §3.2.2).
  if (url && !url.startsWith('/') && url !== '*') {
    throw new ShopError('invalid_request', 'Send only the path, starting with /.');
  }
  const hosts = rawHeaders.filter((name, at) => at % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host');
  if (hosts.length > 1) throw new ShopError('invalid_request', 'Send exactly one Host header.');
}
