import type { AgentBudget } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { ShopError } from '../errors.ts';
import { decimal } from '../money.ts';
import type { Shop } from '../shop.ts';

/**
 * What agents may spend, in the minor unit of the shop's currency. It is checked when an agent prepares a
 * purchase, and spent in the transaction that makes the order, by one conditional UPDATE: parallel orders cannot overrun it.
 * That UPDATE locks the agent's token, after the order and before the discount code (checkout/complete.ts has all locks).
 */

/** What the open checkouts of `agent_tokens a` come to. */
export function pendingCents(shop: Shop): Sql {
  return sql`(select coalesce(sum(k.shown_total * ${10 ** shop.currencyDigits}::bigint), 0)::bigint from checkouts k
    where k.site_id = a.site_id and k.agent_token_id = a.id and k.status in ('open', 'ready', 'requires_escalation')
      and (k.expires_at > now() or k.payment_id is not null))`;
}

/** The budget of a token as it stands. */
export async function budgetOf(shop: Shop, token_id: string): Promise<AgentBudget> {
  const found = await shop.one<AgentBudget>(
    sql`select ${shop.currency}::text as currency, a.budget_cents, a.budget_used_cents,
        ${pendingCents(shop)} as budget_pending_cents, a.budget_cents - a.budget_used_cents as budget_remaining_cents
      from agent_tokens a where a.site_id = ${shop.siteId} and a.id = ${token_id}`,
  );
  if (!found) throw new Error(`The agent token ${token_id} has no budget.`);
  return found;
}

/** Throws `budget_exceeded` when what was used and this cost together exceed the budget. */
export async function requireBudget(shop: Shop, token_id: string, cents: number): Promise<AgentBudget> {
  const budget = await budgetOf(shop, token_id);
  if (budget.budget_used_cents + cents > budget.budget_cents) throw exceeded(shop, budget, cents);
  return budget;
}

/**
 * Takes the total of an order that is being made from the budget. What payments under way have set aside stays set aside:
 * throws `budget_exceeded`, or `payment_in_progress` when only those prevent it.
 */
export async function spend(shop: Shop, token_id: string, cents: number): Promise<void> {
  const spent = await shop.run(
    sql`update agent_tokens set budget_used_cents = budget_used_cents + ${cents}
      where site_id = ${shop.siteId} and id = ${token_id}
        and budget_used_cents + budget_held_cents + ${cents} <= budget_cents`,
  );
  if (spent === 0) await refuseBeyond(shop, token_id, cents);
}

/** Sets aside the total of a payment that begins. Throws the same. */
export async function hold(shop: Shop, token_id: string, cents: number): Promise<void> {
  const held = await shop.run(
    sql`update agent_tokens set budget_held_cents = budget_held_cents + ${cents}
      where site_id = ${shop.siteId} and id = ${token_id}
        and budget_used_cents + budget_held_cents + ${cents} <= budget_cents`,
  );
  if (held === 0) await refuseBeyond(shop, token_id, cents);
}

/** A payment is over: what was set aside for it is spent, or free again. */
export async function settleHeld(shop: Shop, token_id: string, cents: number, spent: boolean): Promise<void> {
  await shop.run(
    sql`update agent_tokens set budget_held_cents = budget_held_cents - ${cents},
        budget_used_cents = budget_used_cents + ${spent ? cents : 0}
      where site_id = ${shop.siteId} and id = ${token_id}`,
  );
}

async function refuseBeyond(shop: Shop, token_id: string, cents: number): Promise<never> {
  await requireBudget(shop, token_id, cents);
  const message = "Another payment within the agent's budget is under way. Send the call again when it is over.";
  throw new ShopError('payment_in_progress', message);
}

/** Gives back, once, what a locked order took that ended before it was paid. */
export async function giveBack(shop: Shop, order_id: string): Promise<void> {
  await shop.run(
    sql`with held as (
        select id, agent_token_id, agent_spent_cents from orders
        where site_id = ${shop.siteId} and id = ${order_id} and agent_spent_cents > 0
      ), given_back as (
        update orders o set agent_spent_cents = 0 from held where o.site_id = ${shop.siteId} and o.id = held.id
      )
      update agent_tokens a set budget_used_cents = a.budget_used_cents - held.agent_spent_cents
      from held where a.site_id = ${shop.siteId} and a.id = held.agent_token_id`,
  );
}

function exceeded(shop: Shop, { budget_cents, budget_used_cents }: AgentBudget, required_cents: number): ShopError {
  const [costs, left] = [required_cents, budget_cents - budget_used_cents].map((n) => decimal(n, shop.currencyDigits));
  const message = `It costs ${costs} ${shop.currency}, but only ${left} of the agent's budget is left.`;
  return new ShopError('budget_exceeded', message, { budget_cents, budget_used_cents, required_cents });
}
