import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { Caller } from '../http/callers.ts';
import { type Operation, operationTable } from '../http/contract.ts';
import type { Notes } from '../http/dispatch.ts';
import type { Counted, Limits } from '../http/limits.ts';
import type { PagedCheckout } from '../shop/checkout-page.ts';
import { inShop } from '../shop/in-shop.ts';
import type { Actor, Shop, Tenant } from '../shop/shop.ts';
import type { Till } from '../shop/till.ts';
import type { Entered } from './checkout-fields.ts';
import type { FormBody } from './form-body.ts';
import type { Guard } from './guard.ts';

export interface PagesDeps {
  db: Pool;
  limits: Limits;
  till: Till;
}

/** One request for the page of one checkout. */
export interface Visit extends PagesDeps {
  guard: Guard;
  req: Request;
  res: Response;
  /** The path of the page, as our links have it. */
  path: string;
  tenant: Tenant;
  actor: Actor;
  checkout: PagedCheckout;
  caller: Caller;
}

/** What a visit is answered with. */
export type PageAnswer = { status: number; html: string } | { redirect: string };

/** What was posted. */
export interface Posted {
  action: string;
  body: FormBody;
  entered: Entered;
  /** Whether the fields of the form came with it; the review has none. */
  hasFields: boolean;
}

/** Runs a deed in the shop of the visit, in a transaction of its own. */
export function inShopOf<T>({ db, tenant, actor }: Visit, deed: (shop: Shop) => Promise<T>): Promise<T> {
  return inShop(db, tenant, actor, deed);
}

export function operationOf(id: Operation['id']): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

/** Counts the visit as a call of the operation whose deed it is. Throws `rate_limited`. */
export async function count(
  { limits, req, res, caller, checkout, tenant }: Visit,
  operation: Operation,
): Promise<void> {
  (res.locals as Notes).operation = operation;
  const about = Object.assign(Object.create(req) as Request, {
    params: { checkout_id: checkout.id, cart_id: checkout.cart_id },
  });
  const claim = { kind: caller.kind, secret: '', customer_secret: null, site_id: tenant.site_id, merchant_id: null };
  tell(res, await limits.countStrictly(operation, claim, about));
  tell(res, await limits.count(operation, caller, about));
}

function tell(res: Response, { headers, refusal }: Counted): void {
  res.set(headers);
  if (refusal) throw refusal;
}
