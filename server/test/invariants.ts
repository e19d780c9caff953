import type { Pool } from 'pg';

/**
 * Invariants of the whole database that hold at every moment, after any test, crash or race. Each statement
 * finds the rows that break a rule; all must find none.
 */
const INVARIANTS: Record<string, string> = {
  'stock is never oversold': `
    select id from commerce.variants where inventory_policy = 'deny' and track_inventory and on_hand < reserved`,
  'stock equals the sum of its movements': `
    select v.id, v.on_hand from commerce.variants v
    left join commerce.stock_movements m on m.site_id = v.site_id and m.variant_id = v.id and m.type in ('adjustment', 'sale', 'return', 'sync')
    group by v.site_id, v.id, v.on_hand having v.on_hand <> coalesce(sum(m.delta), 0)`,
  'every product has a variant': `
    select id from commerce.products p where not exists (
      select from commerce.variants v where v.site_id = p.site_id and v.product_id = p.id)`,
  'the price of a product is that of its cheapest variant': `
    select p.id from commerce.products p where p.price is distinct from (
      select min(v.price) from commerce.variants v where v.site_id = p.site_id and v.product_id = p.id)`,
  'amounts have exactly the digits of the currency': `
    select v.id from commerce.variants v join commerce.sites s using (site_id)
    where scale(v.price) <> s.currency_digits or scale(v.compare_at_price) <> s.currency_digits
      or scale(v.cost_per_item) <> s.currency_digits`,
  'a variant has a value for each option of its product and none beyond': `
    select v.id from commerce.variants v where num_nonnulls(v.option1, v.option2, v.option3) <> (
      select count(*) from commerce.product_options o where o.site_id = v.site_id and o.product_id = v.product_id)`,
  'each value of a variant is among those of its option': `
    select v.id from commerce.variants v
    join commerce.product_options o on o.site_id = v.site_id and o.product_id = v.product_id
    where not ((array[v.option1, v.option2, v.option3])[o.position] = any(o.values))`,
  'every product can be searched': `
    select p.id from commerce.products p where not exists (
      select from commerce.product_search s where s.site_id = p.site_id and s.product_id = p.id)`,
  'the log of changes knows every product that is there or was': `
    select id from (
      select site_id, id from commerce.products union all select site_id, product_id from commerce.product_tombstones
    ) p where not exists (
      select from commerce.product_changes c where c.site_id = p.site_id and c.product_id = p.id)`,
  'what customers see stands in the log as seen, or is a publication that has just come due': `
    select p.id from commerce.products p where p.status = 'active' and p.published_at <= now() and not exists (
      select from commerce.product_changes c where c.site_id = p.site_id and c.product_id = p.id and c.seen)
      and not exists (select from graphile_worker._private_jobs j where j.payload ->> 'product_id' = p.id::text)`,
  'at most two sync keys of a site live': `
    select site_id from commerce.tokens where kind = 'sync' and revoked_at is null and (expires_at is null or expires_at > now())
    group by site_id having count(*) > 2`,
  'what is reserved is what checkouts hold': `
    select v.id, v.reserved from commerce.variants v
    left join commerce.stock_reservations r on r.site_id = v.site_id and r.variant_id = v.id
    group by v.site_id, v.id, v.reserved having v.reserved <> coalesce(sum(r.quantity), 0)`,
  'only open checkouts reserve stock': `
    select k.id, k.status from commerce.stock_reservations r
    join commerce.checkouts k on k.site_id = r.site_id and k.id = r.checkout_id
    where k.status not in ('open', 'ready', 'requires_escalation') or k.reserved_until is null`,
  'an order comes to the sum of its lines, less the discount, and with shipping and tax': `
    select o.id from commerce.orders o
    join commerce.order_lines l on l.site_id = o.site_id and l.order_id = o.id
    where o.checkout_id is not null
    group by o.site_id, o.id, o.subtotal, o.discount, o.tax, o.shipping_cost, o.tax_included, o.total
    having o.subtotal <> sum(l.total) or o.discount <> sum(l.discount) or sum(l.tax) > o.tax
      or bool_or(l.total <> l.price * l.quantity)
      or o.total <> o.subtotal - o.discount + o.shipping_cost + case when o.tax_included then 0 else o.tax end`,
  'the amounts of an order have exactly the digits of its currency': `
    select o.id from commerce.orders o join commerce.sites s using (site_id)
    where o.checkout_id is not null and s.currency_digits <> all(array[scale(o.subtotal), scale(o.discount),
      scale(o.shipping_cost), scale(o.tax), scale(o.total)])`,
  'a completed checkout has one order, and the order knows it': `
    select k.id from commerce.checkouts k
    left join commerce.orders o on o.site_id = k.site_id and o.checkout_id = k.id
    where (k.order_id is distinct from o.id)`,
  'the cart of a completed checkout is converted': `
    select k.id from commerce.checkouts k join commerce.carts c on c.site_id = k.site_id and c.id = k.cart_id
    where (k.status = 'completed') <> (c.status = 'converted') and (k.status = 'completed' or not exists (
      select from commerce.checkouts o where o.site_id = c.site_id and o.cart_id = c.id and o.status = 'completed'))`,
  'order numbers of a site are counted without gaps, except past those of imported orders': `
    select n.site_id, n.last_number, count(o.id) from commerce.order_numbers n
    left join commerce.orders o on o.site_id = n.site_id and o.checkout_id is not null
    group by n.site_id, n.last_number having n.last_number < 1000 + count(o.id)
      or (n.last_number > 1000 + count(o.id) and not exists (
        select from commerce.orders i where i.site_id = n.site_id and i.source = 'import' and i.order_number ~ '^\\d{1,9}$'))`,
  'no order has a number that the shop has yet to give': `
    select o.id from commerce.orders o join commerce.order_numbers n using (site_id)
    where o.order_number ~ '^\\d{1,9}$' and o.order_number::bigint > n.last_number`,
  'an imported order comes to the sum of its lines, moved no stock, and begins its timeline by being imported': `
    select o.id from commerce.orders o where o.source = 'import' and (
      o.subtotal is distinct from (
        select sum(l.total) from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id)
      or o.discount is distinct from (
        select sum(l.discount) from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id)
      or exists (
        select from commerce.order_lines l where l.site_id = o.site_id and l.order_id = o.id and l.stock_taken)
      or exists (
        select from commerce.payments p where p.site_id = o.site_id and p.order_id = o.id)
      or (o.status = 'cancelled' and o.payment_status in ('awaiting_payment', 'pending'))
      or (o.status <> 'cancelled' and o.payment_status in ('expired', 'voided'))
      or (o.payment_status in ('paid', 'partially_refunded', 'refunded')) <> (o.payment_confirmed_at is not null)
      or not exists (
        select from commerce.order_events e where e.site_id = o.site_id and e.order_id = o.id and e.type = 'imported'))`,
  'the codes of cancelled orders are released': `
    select o.id from commerce.orders o
    join commerce.checkouts k on k.site_id = o.site_id and k.id = o.checkout_id
    join commerce.discount_redemptions r on r.site_id = k.site_id and r.cart_id = k.cart_id and r.status <> 'released'
    where o.status = 'cancelled'`,
  'the three statuses of an order fit each other': `
    select id, status, payment_status, fulfillment_status from commerce.orders
    where checkout_id is not null and (
      (status = 'cancelled' and fulfillment_status <> 'unfulfilled')
      or (status = 'completed' and (fulfillment_status not in ('delivered', 'returned')
        or payment_status not in ('paid', 'partially_refunded', 'refunded')))
      or (status = 'cancelled' and payment_status in ('awaiting_payment', 'authorized', 'pending'))
      -- An authorization may lapse after a part has shipped.
      or (status <> 'cancelled' and (payment_status = 'expired'
        or (payment_status = 'voided' and fulfillment_status = 'unfulfilled')))
      or (payment_status in ('paid', 'partially_refunded', 'refunded')) <> (payment_confirmed_at is not null))`,
  'a code is used as often as it is redeemed or reserved, and no oftener than it may be': `
    select d.id, d.usage_count from commerce.discounts d
    left join commerce.discount_redemptions r on r.site_id = d.site_id and r.discount_id = d.id and r.status <> 'released'
    group by d.site_id, d.id, d.usage_count, d.usage_limit
    having d.usage_count <> count(r.id) or count(r.id) > d.usage_limit`,
  'a redeemed code took off what the order says': `
    select r.id from commerce.discount_redemptions r
    join commerce.orders o on o.site_id = r.site_id and o.id = r.order_id
    where r.status = 'redeemed' and o.discount <> r.amount_off`,
  'an order with a code has redeemed it, unless it is cancelled': `
    select o.id from commerce.orders o
    where o.checkout_id is not null and o.discount_code is not null and o.status <> 'cancelled' and not exists (
      select from commerce.discount_redemptions r
      where r.site_id = o.site_id and r.order_id = o.id and r.status = 'redeemed' and r.code = o.discount_code)`,
  'an order without a code has no discount': `
    select id from commerce.orders where checkout_id is not null and discount_code is null and discount <> 0`,
  'refunds are no more than was received': `
    select o.id from (
      select *, coalesce(captured, case when paid then total else 0 end) as received
      from (select *, payment_status in ('paid', 'partially_refunded', 'refunded') as paid from commerce.orders) known
    ) o cross join lateral (
      select count(*) as refunds, coalesce(sum(r.amount) filter (where m.status is distinct from 'failed'), 0) as begun,
        coalesce(sum(r.amount) filter (where m.status is null or m.status = 'succeeded'), 0) as done
      from commerce.refunds r
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where r.site_id = o.site_id and r.order_id = o.id
    ) r
    where r.begun <> o.refunds_begun or r.begun > o.received
      or (r.refunds > 0 and o.paid and (
        (o.payment_status = 'refunded') <> (r.done > 0 and r.done = o.received)
        or (o.payment_status = 'partially_refunded') <> (r.done > 0 and r.done < o.received)))`,
  'late money is the sum of the recorded payments': `
    select o.id from commerce.orders o join commerce.order_payments p on p.site_id = o.site_id and p.order_id = o.id
    group by o.site_id, o.id having o.captured is distinct from sum(p.amount)`,
  'a line has shipped what its fulfilments name, no more than was ordered and not removed': `
    select l.id from commerce.order_lines l
    left join commerce.fulfillment_items i on i.site_id = l.site_id and i.line_id = l.id
    group by l.site_id, l.id having l.fulfilled <> coalesce(sum(i.quantity), 0) or l.fulfilled + l.removed > l.quantity`,
  'the pieces of a line fit each other': `
    select id from commerce.order_lines
    where removed > refunded_quantity or refunded_quantity > quantity or returned > fulfilled
      or refunded_quantity - removed > fulfilled`,
  'a piece that is back in stock has not shipped, or was returned': `
    select id from commerce.order_lines where restocked - returned > quantity - fulfilled`,
  'on hand, shipped and lost add up to the received quantity': `
    select v.id, v.on_hand, l.gone, m.received from commerce.variants v
    cross join lateral (
      select coalesce(sum(m.delta), 0) as received from commerce.stock_movements m
      where m.site_id = v.site_id and m.variant_id = v.id and m.type in ('adjustment', 'sync')) m
    cross join lateral (
      -- Shipped and not returned, still to ship, or lost: removed without going back into stock.
      select coalesce(sum((l.fulfilled - l.returned) + (l.quantity - l.fulfilled - (l.restocked - l.returned))), 0) as gone
      from commerce.order_lines l
      where l.site_id = v.site_id and l.variant_id = v.id and (l.stock_taken or l.restocked > 0)) l
    where m.received <> v.on_hand + l.gone
      -- A line may name no variant: then its order does not show which stock it took.
      and not exists (
        select from commerce.order_lines l where l.site_id = v.site_id and l.variant_id is null and l.stock_taken)`,
  'an order of which everything was refunded before it shipped is cancelled': `
    select o.id from commerce.orders o
    join commerce.order_lines l on l.site_id = o.site_id and l.order_id = o.id
    where o.checkout_id is not null and o.status <> 'cancelled' and not exists (
      select from commerce.payment_moves m where m.site_id = o.site_id and m.order_id = o.id and m.status = 'pending')
    group by o.site_id, o.id having bool_and(l.removed = l.quantity)`,
  'a checkout is paid by one payment at most, of the amount of its order': `
    select o.id from commerce.orders o
    join commerce.payments p on p.site_id = o.site_id and p.order_id = o.id
      and p.status in ('pending', 'authorized', 'succeeded')
    group by o.site_id, o.id, o.total, o.payment_method
    having count(*) > 1 or sum(p.amount) <> o.total or o.payment_method not in ('card', 'online')`,
  'every order begins its timeline by being created': `
    select o.id from commerce.orders o where o.checkout_id is not null and not exists (
      select from commerce.order_events e where e.site_id = o.site_id and e.order_id = o.id and e.type = 'created')`,
  'an order says in its timeline that its money came, and that it was cancelled': `
    select o.id from commerce.orders o where o.checkout_id is not null and (
      (o.payment_confirmed_at is not null and not exists (
        select from commerce.order_events e
        where e.site_id = o.site_id and e.order_id = o.id and e.type = 'payment_confirmed'))
      or (o.status = 'cancelled' and not exists (
        select from commerce.order_events e
        where e.site_id = o.site_id and e.order_id = o.id and e.type in ('cancelled', 'payment_expired'))))`,
  'the timeline has one entry for each payment': `
    select e.site_id, e.order_id from commerce.order_events e
    where e.type in ('payment_confirmed', 'payment_expired', 'cancelled')
    group by e.site_id, e.order_id, e.type having count(*) > 1 + (
      -- A payment that was undone is confirmed again.
      select count(*) from commerce.order_events u
      where u.site_id = e.site_id and u.order_id = e.order_id and u.context #>> '{payment_status,from}' = 'paid'
        and u.context #>> '{payment_status,to}' = 'awaiting_payment')`,
  'a checkout and its cart name the same payment, which is open': `
    select k.id from commerce.checkouts k join commerce.carts c on c.site_id = k.site_id and c.id = k.cart_id
    left join commerce.payments p on p.site_id = k.site_id and p.id = k.payment_id
    where k.status in ('open', 'ready', 'requires_escalation') and k.payment_id is distinct from c.payment_id
      or (k.payment_id is not null and (p.checkout_id <> k.id or p.order_id is not null
        or p.status not in ('started', 'requires_action')))`,
  'an open payment keeps its stock reserved': `
    select k.id from commerce.checkouts k join commerce.payments p on p.site_id = k.site_id and p.id = k.payment_id
    cross join lateral jsonb_to_recordset(p.frozen->'priced'->'lines') as l (variant_id uuid, held int)
    left join commerce.stock_reservations r
      on r.site_id = k.site_id and r.checkout_id = k.id and r.variant_id = l.variant_id
    where l.held > 0 and l.held is distinct from r.quantity
      and exists (select from commerce.variants v where v.site_id = k.site_id and v.id = l.variant_id and v.track_inventory)`,
  'what is set aside of an agent is what its open payments are for': `
    select a.id, a.budget_held_cents from commerce.agent_tokens a
    left join commerce.checkouts k on k.site_id = a.site_id and k.agent_token_id = a.id
    left join commerce.payments p on p.site_id = k.site_id and p.id = k.payment_id
    group by a.site_id, a.id, a.budget_held_cents having a.budget_held_cents <> coalesce(sum(p.held_cents), 0)`,
  'what an agent has used is what its orders of the period took, and in all what all of them took': `
    select a.id, a.budget_used_cents from commerce.agent_tokens a
    left join commerce.orders o on o.site_id = a.site_id and o.agent_token_id = a.id
    group by a.site_id, a.id
    having a.budget_used_cents <> coalesce(sum(o.agent_spent_cents) filter (where o.agent_period_number = a.period_number), 0)
      or a.spent_total_cents <> coalesce(sum(o.agent_spent_cents), 0) or max(o.agent_period_number) > a.period_number`,
  'in no period do the orders of an agent take more than its budget, nor one of them more than one may': `
    select a.id, o.agent_period_number from commerce.agent_tokens a
    join commerce.orders o on o.site_id = a.site_id and o.agent_token_id = a.id
    group by a.site_id, a.id, o.agent_period_number
    having sum(o.agent_spent_cents) > a.budget_cents or max(o.agent_spent_cents) > a.max_per_order_cents`,
  'an order of an agent takes its total from the budget, less refunds, and nothing if it was cancelled before it was paid': `
    select o.id, o.agent_spent_cents from commerce.orders o join commerce.sites s using (site_id)
    cross join lateral (select o.total * power(10::numeric, s.currency_digits) as cents, (
      select coalesce(sum(r.amount), 0) * power(10::numeric, s.currency_digits) from commerce.refunds r
      where r.site_id = o.site_id and r.order_id = o.id) as refunded) t
    where o.agent_token_id is not null and case when o.status = 'cancelled' and o.payment_confirmed_at is null
      then o.agent_spent_cents <> 0 else o.agent_spent_cents not between greatest(0, t.cents - t.refunded) and t.cents end`,
  'orders, checkouts and carts of an agent belong to one token': `
    select k.id from commerce.checkouts k
    join commerce.carts c on c.site_id = k.site_id and c.id = k.cart_id
    left join commerce.orders o on o.site_id = k.site_id and o.checkout_id = k.id
    where k.agent_token_id is distinct from c.agent_token_id
      or (o.id is not null and o.agent_token_id is distinct from k.agent_token_id)`,
  'no customer has more than ten active agents': `
    select customer_id from commerce.tokens
    where kind = 'agent' and customer_id is not null and revoked_at is null and expires_at > now()
    group by site_id, customer_id having count(*) > 10`,
  'a token of an agent came of one consent, and of one that was approved': `
    select a.id from commerce.agent_tokens a
    join commerce.agent_consents k on k.site_id = a.site_id and k.id = a.consent_id where k.status <> 'consumed'
    union all
    select k.id from commerce.agent_consents k where k.status = 'consumed' and not exists (
      select from commerce.agent_tokens a where a.site_id = k.site_id and a.consent_id = k.id)`,
  'an agent that was ended is known by whom': `
    select t.id from commerce.tokens t join commerce.agent_tokens a using (site_id, id)
    where (t.revoked_at is not null) <> (a.revoked_by is not null)`,
  'only agents that there are stand in the audit': `
    select e.actor_id from commerce.audit_events e where e.actor_type = 'agent' and not exists (
      select from commerce.agent_tokens a where a.site_id = e.site_id and a.id = e.actor_id)`,
  'an order that was sent by a widget has its checkout, and bears its reference': `
    select s.id from commerce.sync_orders s
    left join commerce.checkouts k on k.site_id = s.site_id and k.id = s.checkout_id
    left join commerce.orders o on o.site_id = k.site_id and o.id = k.order_id
    where k.id is null or k.source <> 'ai_widget' or (s.payment = 'bank_transfer') > (o.id is not null)
      or o.external_reference <> s.reference or o.source <> 'ai_widget'`,
  'every checkout of a widget is that of one order': `
    select k.id from commerce.checkouts k where k.source = 'ai_widget' and (
      select count(*) from commerce.sync_orders s where s.site_id = k.site_id and s.checkout_id = k.id) <> 1`,
  'no idempotency key is left without its answer': `
    select key_hash from commerce.idempotency_keys where status is null`,
  'a delivery that waits has a job that will attempt it': `
    select id from commerce.webhook_deliveries d where status = 'pending' and not exists (
      select from graphile_worker._private_jobs j
      where j.payload->>'delivery_id' = d.id::text and j.attempts < j.max_attempts)`,
  'a delivery has as many attempts as it counts, and its status matches the last one': `
    select d.id from commerce.webhook_deliveries d
    left join commerce.webhook_attempts a on a.site_id = d.site_id and a.delivery_id = d.id
    group by d.site_id, d.id having count(a.number) <> d.attempts_count
      or (d.status = 'succeeded' and (array_agg(a.outcome order by a.number desc))[1] <> 'succeeded')`,
  'a disabled webhook has nothing that waits': `
    select d.id from commerce.webhook_deliveries d join commerce.webhooks w on w.site_id = d.site_id and w.id = d.webhook_id
    where w.status = 'disabled' and d.status = 'pending'`,
};

/**
 * This one takes longer than all others together, because it reads each product as the index does. It checks only shops opened
 * since $1.
 */
const INDEXED_AS_IT_IS = {
  rule: 'every product that this release indexed is indexed as it is now, and nothing else is',
  statement: `
    select s.product_id from commerce.product_search s join commerce.sites using (site_id)
    where sites.created_at >= $1::timestamptz and s.index_version > 0 and (
      s.fingerprint <> md5(commerce.search_source(s.site_id, s.product_id)::text) or s.posting_count <> (
        select count(*) from commerce.search_postings p where p.site_id = s.site_id and p.product_id = s.product_id))
    union all
    select distinct p.product_id from commerce.search_postings p join commerce.sites using (site_id)
    where sites.created_at >= $1::timestamptz and not exists (
      select from commerce.product_search s where s.site_id = p.site_id and s.product_id = p.product_id)`,
};

export interface BrokenRule {
  rule: string;
  rows: unknown[];
}

/** The invariants that do not hold, with the rows that break them. `db` must not be bound to one tenant. */
export function brokenInvariants(db: Pool): Promise<BrokenRule[]> {
  return brokenSince(db, '-infinity');
}

/** The time up to which each database was found to be correct, by its URL. */
const foundWell = new Map<string | undefined, string>();

/**
 * Checks the invariants after each file of tests, which has its own shops: those of the search index only for the shops opened
 * since the last call. The whole index is checked when all tests have run (lasting-invariants.ts).
 */
export async function newlyBrokenInvariants(db: Pool): Promise<BrokenRule[]> {
  const address = db.options.connectionString;
  const { rows } = await db.query<{ now: string }>('select now()::text as now');
  const broken = await brokenSince(db, foundWell.get(address) ?? '-infinity');
  if (rows[0]) foundWell.set(address, rows[0].now);
  return broken;
}

async function brokenSince(db: Pool, opened: string): Promise<BrokenRule[]> {
  const broken: BrokenRule[] = [];
  const look = async (rule: string, statement: string, values: string[] = []) => {
    const { rows } = await db.query(`${statement} limit 5`, values);
    if (rows.length > 0) broken.push({ rule, rows });
  };
  for (const [rule, statement] of Object.entries(INVARIANTS)) await look(rule, statement);
  await look(INDEXED_AS_IT_IS.rule, INDEXED_AS_IT_IS.statement, [opened]);
  return broken;
}
