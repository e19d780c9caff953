import type { RequestHandler } from 'express';
import { ShopError } from '../../shop/errors.ts';
import { type Deadlines, secondsFor } from '../pipeline/deadline.ts';
import { answerTo } from '../pipeline/errors.ts';
import { contextOf } from './context.ts';
import { isUpload } from './read-body.ts';

/**
 * Rejects a request whose body has not arrived within the deadline. Skips uploads, whose handler enforces a longer
 * deadline, and operations with a longer deadline.
 */
export function arriveInTime(deadlines: Deadlines): RequestHandler {
  return (req, res, next) => {
    const { 'content-length': length = '0', 'transfer-encoding': coding } = req.headers;
    if (!isUpload(req) && (Number(length) > 0 || coding !== undefined)) {
      const timer = setTimeout(() => {
        const { operation, request_id } = contextOf(res);
        if (req.complete || res.headersSent || (operation && secondsFor(operation, deadlines) > deadlines.request))
          return;
        const { status, body } = answerTo(
          new ShopError('request_timeout', 'The request did not arrive in time.'),
          request_id,
        );
        res.status(status).set('Connection', 'close').type('application/json').end(body);
        res.once('finish', () => req.destroy());
      }, deadlines.request * 1_000);
      res.once('close', () => clearTimeout(timer));
    }
    next();
  };
}
