/**
 * The steps that the MCP endpoints share: find the shop of the URL, check the origin, and serve a message with the SDK.
 */

import { type FetchLikeMcpHandler, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server, type Tool } from '@modelcontextprotocol/server';
import type { Request, Response } from 'express';
import { isUuid } from '../http/callers/claims.ts';
import type { SiteHosts } from '../http/callers/site-hosts.ts';
import { DEFAULT_BODY_LIMIT_BYTES, document } from '../http/contract/contract.ts';
import { contextOf } from '../http/express/context.ts';
import { type Counted, refusalTold } from '../http/pipeline/counted.ts';
import { notFound, ShopError } from '../shop/errors.ts';

/** The size limit of an operation's body, plus the JSON-RPC message around it. */
const MAX_BYTES = DEFAULT_BODY_LIMIT_BYTES + 8 * 1024;

const HOUR_MS = 3_600_000;

/** Returns the site id for the URL's host, or the one in its path. */
export function siteIn(req: Request, hosts: SiteHosts): string {
  const atHost = hosts.siteAt(req);
  const { site_id = atHost } = req.params as { site_id?: string };
  const named = site_id?.toLowerCase();
  if (!isUuid(named) || (atHost !== undefined && atHost !== named)) throw notFound('shop');
  return named;
}

/** Required by MCP: web pages of other origins must not call this endpoint. */
export function refuseForeignOrigin(req: Request, hosts: SiteHosts): void {
  const { origin } = req.headers;
  if (origin === undefined || origin === hosts.originAt(req)) return;
  throw new ShopError('origin_not_allowed', 'Browsers of other web origins may not call this address.');
}

interface Tools {
  name: string;
  title: string;
  instructions: string;
  /** Counts a `tools/list` call. */
  count(): Promise<Counted>;
  list: Tool[];
}

/** Creates a server that lists these tools. The caller adds the handler of `tools/call`. */
export function serverListing({ name, title, instructions, count, list }: Tools): Server {
  const server = new Server(
    { name, title, version: document.info.version },
    {
      capabilities: { tools: {} },
      instructions,
      cacheHints: { 'tools/list': { ttlMs: HOUR_MS, cacheScope: 'public' } },
    },
  );
  server.setRequestHandler('tools/list', async () => {
    const refusal = refusalTold(await count());
    if (refusal) throw new ProtocolError(ProtocolErrorCode.InvalidRequest, refusal.message, refusal.data);
    return { tools: list };
  });
  return server;
}

/** Serves one request. `answerFirst` may send a response before the SDK reads the message. */
export async function serve(
  req: Request,
  res: Response,
  newServer: () => Server,
  answerFirst: (request: globalThis.Request) => Promise<globalThis.Response | undefined> = async () => undefined,
): Promise<void> {
  const context = contextOf(res);
  let fault: Error | undefined;
  const onerror = (error: Error) => {
    fault = error;
  };
  const handler = createMcpHandler(newServer, {
    onerror,
    // The tools never change while a server runs, so a subscription is confirmed as empty and ends.
    maxSubscriptions: 1,
    maxRequestBodySize: MAX_BYTES,
  });
  const answering: FetchLikeMcpHandler = {
    fetch: async (request, options) => (await answerFirst(request)) ?? handler.fetch(request, options),
  };
  await toNodeHandler(answering, { onerror, maxRequestBodySize: MAX_BYTES })(req, res);
  if (res.statusCode >= 500) context.cause ??= fault;
}

export function failed(res: Response, cause: unknown): ProtocolError {
  contextOf(res).cause = cause;
  return new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on our side. It has been logged.');
}

export function noSuchTool(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'There is no such tool. List the tools.');
}
