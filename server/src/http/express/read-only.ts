import type { RequestHandler } from 'express';
import type { Pool } from 'pg';
import { DatabaseReadOnly, isReadOnly } from '../../db/read-only.ts';
import { answerTo } from '../pipeline/errors.ts';
import { contextOf } from './context.ts';

/**
 * Answers 503 while the database rejects writes. Requests for pages are exempt, because pages show a notice in the
 * shopper's language.
 */
export function refuseWhileReadOnly(db: Pool): RequestHandler {
  return (req, res, next) => {
    if (!isReadOnly(db) || req.headers.accept?.includes('text/html')) return next();
    const { status, body, headers = {} } = answerTo(new DatabaseReadOnly(), contextOf(res).request_id);
    res.status(status).set(headers).type('application/json').end(body);
  };
}
