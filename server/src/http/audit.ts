import { createHmac } from 'node:crypto';
import type { Request } from 'express';
import sql, { type Sql } from 'sql-template-tag';
import { v7 as uuidv7 } from 'uuid';
import type { Shop } from '../shop/shop.ts';
import type { Caller } from './callers.ts';
import type { Operation } from './contract.ts';

/** A mutation as it came in and went out. */
export interface Act {
  operation: Operation;
  caller: Caller;
  req: Request;
  /** Method, path, query and body in canonical form. */
  payload: string;
  secretKey: string;
  request_id: string;
  status: number;
}

const AUDITED: Caller['kind'][] = ['storefront', 'customer'];
const MAX_USER_AGENT = 500;

/**
 * The insert that writes down a mutation made with a storefront or customer token; nothing for other callers. It belongs in
 * the mutation's own transaction: what is kept happened, and what happened is kept. Of the payload only a keyed hash stays,
 * which proves what was sent and reveals nothing.
 */
export function auditEvent(
  shop: Shop,
  { operation, caller, req, payload, secretKey, request_id, status }: Act,
): Sql | undefined {
  if (!AUDITED.includes(caller.kind)) return undefined;
  const hash = createHmac('sha256', `${secretKey}audit`).update(payload).digest();
  return sql`insert into audit_events (site_id, id, actor_type, actor_id, action, status, payload_hash, ip, user_agent, correlation_id)
      values (${shop.siteId}, ${uuidv7()}, ${caller.kind}, ${caller.principal_id}, ${operation.id}, ${status}, ${hash},
        ${req.ip ?? null}, ${req.get('User-Agent')?.slice(0, MAX_USER_AGENT) ?? null}, ${request_id})`;
}

/** Writes that down by itself, for mutations that are not an operation's. */
export async function audit(shop: Shop, act: Act): Promise<void> {
  const event = auditEvent(shop, act);
  if (event) await shop.run(event);
}
