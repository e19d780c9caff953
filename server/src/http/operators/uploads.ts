/**
 * Serves `PUT /uploads/{site_id}/{token}`, which accepts the bytes of an announced file once. The bytes are written to
 * disk as they arrive. An upload that aborts or does not match the announced file can be repeated at the same URL.
 */

import { rm } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import type { StoredFile } from '@commerce-backend/spec';
import type { Request, RequestHandler, Response } from 'express';
import type { Pool } from 'pg';
import { keyOfOriginal } from '../../files/keys.ts';
import { receive, TooLong } from '../../files/scratch.ts';
import type { FileStore } from '../../files/store.ts';
import { bodyMistake, notFound, overloaded, ShopError, ValidationError } from '../../shop/errors.ts';
import * as files from '../../shop/files/files.ts';
import { findTenant, inShop } from '../../shop/in-shop.ts';
import { SYSTEM, type Tenant } from '../../shop/shop.ts';
import { addVary } from '../callers/headers.ts';
import type { SiteHosts } from '../callers/site-hosts.ts';
import { contextOf } from '../express/context.ts';
import { hangUpBeyond, LARGEST_UPLOAD_BYTES } from '../express/read-body.ts';
import type { Deadlines } from '../pipeline/deadline.ts';
import { answerTo } from '../pipeline/errors.ts';

interface UploadDeps {
  db: Pool;
  files: FileStore;
  hosts: SiteHosts;
  deadlines: Deadlines;
  /** Origins whose pages may upload, in addition to the server's own. */
  dashboardOrigins: string[];
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** Concurrent uploads per process. Each holds a connection and up to 20 MiB of disk space. */
const MOST_AT_ONCE = 32;
/** Concurrent uploads per shop, so that one shop's slow uploads do not block others. */
const MOST_OF_ONE_SHOP = MOST_AT_ONCE / 2;
const LONGEST_RETRY_SECONDS = 5;

export function uploads(deps: UploadDeps): RequestHandler {
  let running = 0;
  /** Number of running uploads by shop. */
  const ofShops = new Map<string, number>();
  /** Runs an upload. Throws if too many uploads of its shop are running. */
  const inTurn: Turn = async (site_id, work) => {
    const before = ofShops.get(site_id) ?? 0;
    if (before >= MOST_OF_ONE_SHOP)
      throw overloaded('Too many concurrent uploads of this shop. Retry later.', LONGEST_RETRY_SECONDS);
    ofShops.set(site_id, before + 1);
    return work().finally(() => {
      const left = (ofShops.get(site_id) ?? 1) - 1;
      if (left > 0) ofShops.set(site_id, left);
      else ofShops.delete(site_id);
    });
  };
  return async (req, res) => {
    answerBrowsers(deps.dashboardOrigins, req, res);
    if (req.method === 'OPTIONS') return void res.status(204).end();
    try {
      if (running >= MOST_AT_ONCE) throw overloaded('Too many concurrent uploads. Retry later.', LONGEST_RETRY_SECONDS);
      running += 1;
      const file = await take(deps, req, inTurn).finally(() => {
        running -= 1;
      });
      res.json(file);
    } catch (error) {
      const context = contextOf(res);
      const { status, body, headers = {} } = answerTo(error, context.request_id);
      if (status >= 500) context.cause = error;
      if (res.destroyed) return;
      res.status(status).set(headers).type('application/json');
      hangUpBeyond(LARGEST_UPLOAD_BYTES, req);
      req.unpipe();
      req.resume();
      res.send(body);
    }
  };
}

function answerBrowsers(
  dashboardOrigins: string[],
  { headers: { origin } }: Pick<Request, 'headers'>,
  res: Response,
): void {
  addVary(res, 'Origin');
  if (!origin || !dashboardOrigins.includes(origin)) return;
  res.set({
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Allow-Methods': 'PUT',
    'Access-Control-Allow-Headers': 'Content-Type, X-Request-Id',
    'Access-Control-Max-Age': '600',
  });
}

type Turn = <Result>(site_id: string, work: () => Promise<Result>) => Promise<Result>;

async function take(deps: UploadDeps, req: Request, inTurn: Turn): Promise<StoredFile> {
  const site_id = String(req.params.site_id);
  const isHere = UUID.test(site_id) && (deps.hosts.siteAt(req) ?? site_id) === site_id;
  const tenant = isHere ? await findTenant(deps.db, site_id) : undefined;
  if (!tenant) throw notFound('upload');
  const expected = await inShop(deps.db, tenant, SYSTEM, (shop) => files.expected(shop, String(req.params.token)));
  const { 'content-encoding': coding = 'identity', 'content-length': length } = req.headers;
  if (coding !== 'identity') throw new ShopError('unsupported_media_type', 'Send the bytes of the file unencoded.');
  if (length !== undefined && Number(length) !== expected.bytes) throw wrongLength(expected);
  return inTurn(site_id, () => receiveAndKeep(deps, tenant, expected, req));
}

async function receiveAndKeep(deps: UploadDeps, tenant: Tenant, expected: files.Expected, req: Request) {
  const received = await receiveAll(deps, expected, req);
  try {
    if (received.bytes !== expected.bytes) throw wrongLength(expected);
    if (received.sha256 !== expected.sha256) throw otherBytes();
    return await keep(deps, tenant, expected, received.path);
  } finally {
    await rm(received.path, { force: true });
  }
}

async function receiveAll({ files: store, deadlines }: UploadDeps, expected: files.Expected, req: Request) {
  const inTime = AbortSignal.timeout(deadlines.upload * 1_000);
  try {
    return await receive(bodyOf(req), store.scratch, expected.bytes, inTime);
  } catch (error) {
    if (error instanceof TooLong) throw wrongLength(expected);
    if (inTime.aborted) throw new ShopError('request_timeout', 'The file did not arrive in time.');
    // The client has disconnected and does not receive the error.
    if (req.destroyed) throw new ShopError('invalid_request', 'Upload aborted by the client.');
    throw storeAway(error);
  }
}

/** The body as a stream that can be abandoned without closing the connection, which still carries the response. */
function bodyOf(req: Request): PassThrough {
  const body = new PassThrough();
  req.once('close', () => {
    if (!req.complete) body.destroy();
  });
  return req.pipe(body);
}

async function keep({ db, files: store }: UploadDeps, tenant: Tenant, expected: files.Expected, path: string) {
  const { id, name, bytes, sha256, content_type } = expected;
  const key = keyOfOriginal(tenant.site_id, name);
  await store.put(key, { path, bytes, sha256, content_type }).catch((error: unknown) => {
    throw storeAway(error);
  });
  return inShop(db, tenant, SYSTEM, (shop) => files.markUploaded(shop, id));
}

function wrongLength({ bytes }: files.Expected): ValidationError {
  const msg = `The file was announced with ${bytes} bytes.`;
  return new ValidationError([bodyMistake([], 'wrong_length', msg, { bytes })]);
}

function otherBytes(): ValidationError {
  return new ValidationError([bodyMistake([], 'wrong_sha256', 'The bytes differ from the announced ones.')]);
}

function storeAway(cause: unknown): ShopError {
  return Object.assign(new ShopError('unavailable', 'The file cannot be stored at the moment. Retry the upload.'), {
    cause,
  });
}
