import type { Request, Response } from 'express';
import type { Connection } from '../../db/connect.ts';
import { Shop } from '../../shop/shop.ts';
import type { Caller, Claim } from '../callers/caller.ts';
import { actorOf, callerOf } from '../callers/callers.ts';
import type { LastUsed } from '../callers/last-used.ts';
import type { SharedLookUps } from '../callers/shared-look-ups.ts';
import type { Operation } from '../contract/contract.ts';
import type { CatalogueCache, Found } from './cache.ts';
import type { Answer } from './errors.ts';
import type { Notes } from './notes.ts';
import { success } from './success.ts';

/** Reads of the catalogue: from the cache, or from the database after the look-up of the caller. */

interface Deps {
  cache: CatalogueCache;
  lookUps: SharedLookUps;
  lastUsed: LastUsed;
}

interface Incoming {
  operation: Operation;
  claim: Claim;
  req: Request;
  res: Response;
}

type Handler = (call: never) => Promise<unknown>;

/** What is done for an agent is written down, and the look-up of others is more than that of a token. */
export function sharesLookUps({ kind }: Claim): boolean {
  return kind === 'storefront' || kind === 'sync';
}

/**
 * A read that shares its look-up: from the cache without a connection of its own, if the answer is still up to date. `admit` is
 * told whether it is asked for the first time. A connection that others use as well is not cut when the request is late.
 */
export async function readTogether(
  deps: Deps,
  incoming: Incoming,
  found: Found,
  handler: Handler,
  admit: (known: Caller, first: boolean) => Promise<Caller>,
): Promise<Answer> {
  const { operation, claim, res } = incoming;
  const { isKept, productIds } = found;
  if (isKept) {
    const row = await deps.lookUps.find(claim, operation, productIds);
    const caller = await admit(callerOf(claim, row, operation), true);
    const kept = deps.cache.current(found, caller.tenant, res.locals as Notes);
    deps.lastUsed.note(caller);
    if (kept) return kept;
  }
  return deps.lookUps.read(claim, operation, productIds, async (connection, looked) => {
    const admission = looked.then((row) => admit(callerOf(claim, row, operation), !isKept));
    return (await readCatalogue(deps, incoming, found, handler, connection, admission)).answer;
  });
}

/** A read on a connection on which the look-up of the caller has just been sent. */
export async function readCatalogue(
  deps: Deps,
  { operation, req, res }: Incoming,
  found: Found,
  handler: Handler,
  connection: Connection,
  admission: Promise<Caller>,
): Promise<{ answer: Answer; caller: Caller; shop: Shop }> {
  const caller = await admission;
  const shop = new Shop(caller.tenant, actorOf(caller), connection);
  const answer = await deps.cache.remember(found, shop, res.locals as Notes, async () =>
    success(operation, await handler({ path: req.params, query: req.query, shop } as never)),
  );
  deps.lastUsed.note(caller);
  return { answer, caller, shop };
}
