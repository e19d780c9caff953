/**
 * Budgets of agents in minor units: in total, per week or per month since the consent, and per order. Preparing a
 * purchase checks the budget. Creating the order spends it in the same transaction, with one conditional UPDATE, so
 * that concurrent orders cannot exceed it. The UPDATE locks the agent's token (checkout/complete.ts lists the order of
 * locks).
 * A token stores the number of the period in which it last spent. Reads count the spending of an earlier period as 0,
 * and the next UPDATE starts the new period. The period number never decreases, so a transaction that began in the old
 * period and commits late spends from the new one. Amounts reserved for pending payments stay reserved across periods,
 * and are spent in the period in which the payment succeeds.
 */

import type { AgentBudget } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { type Fields, selectList } from '../../db/fields.ts';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';

/** The number of the current budget period of `agent_tokens a`. */
const presentPeriod: Sql = sql`greatest(a.period_number, budget_period_at(a.budget_period, a.budget_since, now()))`;

/** The spending of `agent_tokens a` in the current budget period. */
export const usedCents: Sql = sql`case when budget_period_at(a.budget_period, a.budget_since, now()) > a.period_number then 0
    else a.budget_used_cents end`;

/** The end of the current budget period of `agent_tokens a`; null for a budget without periods. */
export const resetsAt: Sql = sql`budget_period_start(a.budget_period, a.budget_since, ${presentPeriod} + 1)`;

/** The total of the open checkouts of `agent_tokens a`, in minor units. */
export function pendingCents(shop: Shop): Sql {
  return sql`(select coalesce(sum(k.shown_total * ${10 ** shop.currencyDigits}::bigint), 0)::bigint from checkouts k
    where k.site_id = a.site_id and k.agent_token_id = a.id and k.status in ('open', 'ready', 'requires_escalation')
      and (k.expires_at > now() or k.payment_id is not null))`;
}

export function budgetFields(shop: Shop): Fields<AgentBudget> {
  return {
    currency: sql`${shop.currency}::text`,
    budget_cents: sql`a.budget_cents`,
    budget_used_cents: usedCents,
    budget_pending_cents: pendingCents(shop),
    budget_remaining_cents: sql`a.budget_cents - ${usedCents}`,
    max_per_order_cents: sql`a.max_per_order_cents`,
    budget_period: sql`a.budget_period`,
    budget_resets_at: resetsAt,
    spent_total_cents: sql`a.spent_total_cents`,
  };
}

export async function budgetOf(shop: Shop, token_id: string): Promise<AgentBudget> {
  const found = await shop.one<AgentBudget>(
    sql`select ${selectList(budgetFields(shop))} from agent_tokens a where a.site_id = ${shop.siteId} and a.id = ${token_id}`,
  );
  if (!found) throw new Error(`The agent token ${token_id} has no budget.`);
  return found;
}

/** Throws `budget_exceeded` if the cost exceeds the limit per order or the remaining budget. */
export async function requireBudget(shop: Shop, token_id: string, cents: number): Promise<AgentBudget> {
  const budget = await budgetOf(shop, token_id);
  if (isWithin(budget, cents)) return budget;
  throw exceeded(shop, budget, cents);
}

function isWithin(budget: AgentBudget, cents: number): boolean {
  return cents <= (budget.max_per_order_cents ?? cents) && cents <= budget.budget_remaining_cents;
}

/** The amount that an order spent from an agent's budget, and the period; zero for orders without an agent. */
export interface Spent {
  cents: number;
  period_number: number;
}

export const NOTHING_SPENT: Spent = { cents: 0, period_number: 0 };

/**
 * Spends the total of a new order. Throws `budget_exceeded`, or `payment_in_progress` if only amounts reserved for
 * pending payments prevent the order.
 */
export async function spend(shop: Shop, token_id: string, cents: number): Promise<Spent> {
  const spent = await shop.one<Pick<Spent, 'period_number'>>(
    sql`update agent_tokens a set budget_used_cents = ${usedCents} + ${cents}, period_number = ${presentPeriod},
        spent_total_cents = a.spent_total_cents + ${cents}
      where a.site_id = ${shop.siteId} and a.id = ${token_id} and ${covers(cents)}
      returning a.period_number`,
  );
  return spent ? { cents, ...spent } : refuseBeyond(shop, token_id, cents);
}

/** Reserves the total of a payment that begins. Throws `budget_exceeded` or `payment_in_progress`, like `spend`. */
export async function hold(shop: Shop, token_id: string, cents: number): Promise<void> {
  const held = await shop.run(
    sql`update agent_tokens a set budget_held_cents = a.budget_held_cents + ${cents}, budget_used_cents = ${usedCents},
        period_number = ${presentPeriod}
      where a.site_id = ${shop.siteId} and a.id = ${token_id} and ${covers(cents)}`,
  );
  if (held === 0) await refuseBeyond(shop, token_id, cents);
}

/** Whether the budget of `agent_tokens a` covers this amount in addition to the reserved amounts. */
function covers(cents: number): Sql {
  return sql`${usedCents} + a.budget_held_cents + ${cents} <= a.budget_cents
        and (a.max_per_order_cents is null or ${cents} <= a.max_per_order_cents)`;
}

/** Spends the amount reserved for a payment that has succeeded. */
export async function spendHeld(shop: Shop, token_id: string, cents: number): Promise<Spent> {
  const spent = await shop.one<Pick<Spent, 'period_number'>>(
    sql`update agent_tokens a set budget_held_cents = a.budget_held_cents - ${cents},
        budget_used_cents = ${usedCents} + ${cents}, period_number = ${presentPeriod},
        spent_total_cents = a.spent_total_cents + ${cents}
      where a.site_id = ${shop.siteId} and a.id = ${token_id} returning a.period_number`,
  );
  if (!spent) throw new Error(`The agent token ${token_id} has no budget.`);
  return { cents, ...spent };
}

/** Releases the amount reserved for a payment that ended without an order. */
export async function freeHeld(shop: Shop, token_id: string, cents: number): Promise<void> {
  await shop.run(
    sql`update agent_tokens a set budget_held_cents = a.budget_held_cents - ${cents}
      where a.site_id = ${shop.siteId} and a.id = ${token_id}`,
  );
}

async function refuseBeyond(shop: Shop, token_id: string, cents: number): Promise<never> {
  await requireBudget(shop, token_id, cents);
  const message = 'Another payment against this budget is pending. Retry when it completes.';
  throw new ShopError('payment_in_progress', message);
}

/**
 * Credits the agent's budget with `cents`, but at most the amount that a locked order has spent. If `cents` is null,
 * credits the whole amount. The remaining budget increases only if the amount was spent in the current period.
 */
export async function giveBack(shop: Shop, order_id: string, cents: number | null = null): Promise<void> {
  await shop.run(
    sql`with given_back as (
        update orders o set agent_spent_cents = o.agent_spent_cents - taken.cents
        from (
          select id, least(agent_spent_cents, ${cents}::bigint) as cents from orders
          where site_id = ${shop.siteId} and id = ${order_id} and agent_spent_cents > 0
        ) as taken
        where o.site_id = ${shop.siteId} and o.id = taken.id
        returning o.agent_token_id, o.agent_period_number, taken.cents
      )
      update agent_tokens a set spent_total_cents = a.spent_total_cents - b.cents,
        budget_used_cents = a.budget_used_cents - case when b.agent_period_number = a.period_number then b.cents else 0 end
      from given_back b where a.site_id = ${shop.siteId} and a.id = b.agent_token_id`,
  );
}

/**
 * Charges the budget again after the bank rejected a refund. The order's charges are capped at the part of its first
 * total that is not refunded, because the customer paid any later increase. In the same budget period, the charge is
 * also capped at the remaining budget, because the agent may have spent the refunded amount meanwhile.
 */
export async function takeAgain(shop: Shop, order_id: string, cents: number): Promise<void> {
  await shop.run(
    sql`with unspent as (
        select least(${cents}::bigint, greatest(0, ${10 ** shop.currencyDigits}::bigint * (coalesce((
            select v.total from order_versions v
            where v.site_id = o.site_id and v.order_id = o.id order by v.version limit 1), o.total) - (
            select coalesce(sum(r.amount), 0) from refunds r
            left join payment_moves m on m.site_id = r.site_id and m.id = r.id
            where r.site_id = o.site_id and r.order_id = o.id and coalesce(m.status, 'succeeded') = 'succeeded'))
          - o.agent_spent_cents))::bigint as cents
        from orders o where o.site_id = ${shop.siteId} and o.id = ${order_id}
      ), token as (
        select a.id, o.agent_period_number = a.period_number as same, case when o.agent_period_number = a.period_number
          then least(u.cents, a.budget_cents - a.budget_held_cents - a.budget_used_cents) else u.cents end as cents
        from unspent u cross join orders o join agent_tokens a on a.site_id = o.site_id and a.id = o.agent_token_id
        where o.site_id = ${shop.siteId} and o.id = ${order_id} for update of a
      ), taken as (
        update orders o set agent_spent_cents = o.agent_spent_cents + token.cents from token
        where o.site_id = ${shop.siteId} and o.id = ${order_id}
      )
      update agent_tokens a set spent_total_cents = a.spent_total_cents + token.cents,
        budget_used_cents = a.budget_used_cents + case when token.same then token.cents else 0 end
      from token where a.site_id = ${shop.siteId} and a.id = token.id`,
  );
}

function exceeded(shop: Shop, budget: AgentBudget, required_cents: number): ShopError {
  const { budget_cents, budget_used_cents, max_per_order_cents, budget_remaining_cents } = budget;
  const inWords = (cents: number) => `${decimal(cents, shop.currencyDigits)} ${shop.currency}`;
  const perOrder = max_per_order_cents !== null && required_cents > max_per_order_cents;
  const message = perOrder
    ? `This costs ${inWords(required_cents)}, but the agent may spend at most ${inWords(max_per_order_cents)} per order.`
    : `This costs ${inWords(required_cents)}, but only ${decimal(budget_remaining_cents, shop.currencyDigits)} of the agent's budget is left.`;
  const limit = perOrder ? 'per_order' : 'budget';
  return new ShopError('budget_exceeded', message, { limit, budget_cents, budget_used_cents, required_cents, budget });
}
