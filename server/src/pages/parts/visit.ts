import type { Request, Response } from 'express';
import type { Caller } from '../../http/callers/caller.ts';
import { type Operation, operationTable } from '../../http/contract/contract.ts';
import { audit } from '../../http/pipeline/audit.ts';
import type { Counted } from '../../http/pipeline/counted.ts';
import { statusOf } from '../../http/pipeline/errors.ts';
import type { Notes } from '../../http/pipeline/notes.ts';
import type { ShopError } from '../../shop/errors.ts';
import { inShop } from '../../shop/in-shop.ts';
import type { Actor, Shop, Tenant } from '../../shop/shop.ts';
import { type FormBody, isPassword } from './form-body.ts';
import type { PageAnswer, PageRequest } from './route.ts';

/** A request for a page whose address has led to something in a shop: by the same deeds as the storefront, as its operations. */
export interface Visit extends PageRequest {
  /** The path of the page, as our links have it. */
  path: string;
  tenant: Tenant;
  actor: Actor;
  caller: Caller;
}

/** Runs a deed in the shop of the visit, in a transaction of its own. */
export function inShopOf<T>({ db, tenant, actor }: Visit, deed: (shop: Shop) => Promise<T>): Promise<T> {
  return inShop(db, tenant, actor, deed);
}

/**
 * Counts the visit as a call of the operation whose deed it is; `params` are those of its path that it is counted by. Throws
 * `rate_limited`.
 */
export async function count(
  { limits, req, res, caller, tenant }: Visit,
  operation_id: Operation['id'],
  params: Record<string, string> = {},
): Promise<void> {
  const operation = operationOf(operation_id);
  (res.locals as Notes).operation = operation;
  const about = Object.assign(Object.create(req) as Request, { params });
  const claim = { kind: caller.kind, secret: '', customer_secret: null, site_id: tenant.site_id, merchant_id: null };
  const counted = await limits.countStrictly(operation, claim, about);
  (res.locals as Notes).succeeded = counted.succeeded;
  tell(res, counted);
  tell(res, await limits.count(operation, caller, about));
}

function operationOf(id: Operation['id']): Operation {
  const found = operationTable.find((operation) => operation.id === id);
  if (!found) throw new Error(`The contract has no operation ${id}.`);
  return found;
}

function tell(res: Response, { headers, refusal }: Counted): void {
  res.set(headers);
  if (refusal) throw refusal;
}

/** What a form asks for. */
export interface Act {
  operation_id: Operation['id'];
  /** The button that was pressed. */
  action: string;
  body: FormBody;
}

/**
 * Runs a deed in one transaction, with its line in the audit. What it refuses undoes it, and becomes the page that `refused`
 * makes of it.
 */
export function acted(
  visit: Visit,
  act: Act,
  deed: (shop: Shop) => Promise<PageAnswer>,
  refused: (shop: Shop, error: unknown) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  return inShopOf(visit, async (shop) => {
    try {
      const answer = await shop.savepoint(() => deed(shop));
      await note(visit, shop, act, 'redirect' in answer ? 303 : answer.status);
      return answer;
    } catch (error) {
      const answer = await refused(shop, error);
      await (error as ShopError).afterwards?.();
      await note(visit, shop, act, statusOf((error as ShopError).code ?? 'validation_error'));
      return answer;
    }
  });
}

async function note(
  { req, res, caller, checkoutDeps }: Visit,
  shop: Shop,
  { operation_id, action, body }: Act,
  status: number,
) {
  const { request_id } = res.locals as Notes;
  const payload = JSON.stringify(['page', action, [...body].filter(([name]) => name !== 'csrf' && !isPassword(name))]);
  const operation = operationOf(operation_id);
  await audit(shop, { operation, caller, req, payload, secretKey: checkoutDeps.secretKey, request_id, status });
}
