import type { Caller } from '../../http/callers/caller.ts';
import { NO_CLAIM } from '../../http/callers/open-callers.ts';
import { type Operation, operationOf } from '../../http/contract/contract.ts';
import { sendLimit } from '../../http/express/context.ts';
import { audit } from '../../http/pipeline/audit.ts';
import { outcomesOf } from '../../http/pipeline/counted.ts';
import { statusOf } from '../../http/pipeline/errors.ts';
import type { ShopError } from '../../shop/errors.ts';
import type { Actor, Shop, Tenant } from '../../shop/shop.ts';
import { type FormBody, isPassword } from './form-body.ts';
import type { PageAnswer, PageRequest } from './route.ts';

/** A request for a page of a shop. The page uses the same operations as the storefront API. */
export interface Visit extends PageRequest {
  /** Path of the page, as in our links. */
  path: string;
  tenant: Tenant;
  actor: Actor;
  caller: Caller;
}

/** Runs work in a transaction in the page's shop. */
export function inShopOfVisit<T>({ deadline, db, tenant, actor }: Visit, work: (shop: Shop) => Promise<T>): Promise<T> {
  return deadline.inShop(db, tenant, actor, work);
}

/**
 * Counts the request against the limits of the operation that it performs. `params` are the operation's path
 * parameters, and `body` the body fields that its limits use. Throws `rate_limited`.
 */
export async function count(
  { limits, req, res, context, caller, tenant }: Visit,
  operation_id: Operation['id'],
  params: Record<string, string> = {},
  body: Record<string, string> = {},
): Promise<void> {
  const operation = operationOf(operation_id);
  context.operation = operation;
  const about = { ip: req.ip, headers: req.headers, params, body };
  const claim = { ...NO_CLAIM, kind: caller.kind, site_id: tenant.site_id };
  const counted = await limits.countStrictly(operation, claim, about);
  Object.assign(context, outcomesOf(counted));
  sendLimit(res, counted);
  sendLimit(res, await limits.count(operation, caller, about));
}

/** An action that a form submits. */
export interface FormAction {
  operation_id: Operation['id'];
  /** Name of the pressed button. */
  action: string;
  body: FormBody;
}

/**
 * Runs work and writes its audit row in one transaction. If the work throws, rolls it back and returns the page from
 * `refused`.
 */
export function runAction(
  visit: Visit,
  act: FormAction,
  work: (shop: Shop) => Promise<PageAnswer>,
  refused: (shop: Shop, error: unknown) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  return inShopOfVisit(visit, async (shop) => {
    try {
      const answer = await shop.savepoint(() => work(shop));
      await recordAction(visit, shop, act, 'redirect' in answer ? 303 : answer.status);
      return answer;
    } catch (error) {
      const answer = await refused(shop, error);
      await (error as ShopError).afterwards?.(shop);
      await recordAction(visit, shop, act, statusOf((error as ShopError).code ?? 'validation_error'));
      return answer;
    }
  });
}

async function recordAction(
  { req, context, caller, checkoutDeps, auditKey }: Visit,
  shop: Shop,
  { operation_id, action, body }: FormAction,
  status: number,
) {
  const { request_id } = context;
  const payload = JSON.stringify(['page', action, [...body].filter(([name]) => name !== 'csrf' && !isPassword(name))]);
  const operation = operationOf(operation_id);
  const { secretKey } = checkoutDeps;
  await audit(shop, { operation, caller, request: req, payload, secretKey, auditKey, request_id, status });
}
