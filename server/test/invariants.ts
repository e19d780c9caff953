import type { Pool } from 'pg';

/**
 * Invariants of the whole database, after any test, crash or race. Each statement selects the rows that violate one.
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
  'a variant has a value for exactly the options of its product': `
    select v.id from commerce.variants v where num_nonnulls(v.option1, v.option2, v.option3) <> (
      select count(*) from commerce.product_options o where o.site_id = v.site_id and o.product_id = v.product_id)`,
  'each value of a variant is one of the values of its option': `
    select v.id from commerce.variants v
    join commerce.product_options o on o.site_id = v.site_id and o.product_id = v.product_id
    where not ((array[v.option1, v.option2, v.option3])[o.position] = any(o.values))`,
  'every product is in the search index': `
    select p.id from commerce.products p where not exists (
      select from commerce.product_search s where s.site_id = p.site_id and s.product_id = p.id)`,
  'the change log contains every current and every deleted product': `
    select id from (
      select site_id, id from commerce.products union all select site_id, product_id from commerce.product_tombstones
    ) p where not exists (
      select from commerce.product_changes c where c.site_id = p.site_id and c.product_id = p.id)`,
  'the change log marks every public product as seen, except publications that have just become due': `
    select p.id from commerce.products p where p.status = 'active' and p.published_at <= now() and not exists (
      select from commerce.product_changes c where c.site_id = p.site_id and c.product_id = p.id and c.seen)
      and not exists (select from graphile_worker._private_jobs j where j.payload ->> 'product_id' = p.id::text)`,
  'a site has at most two active sync keys': `
    select site_id from commerce.tokens where kind = 'sync' and revoked_at is null and (expires_at is null or expires_at > now())
    group by site_id having count(*) > 2`,
  'the reserved stock of a variant is the sum of its reservations': `
    select v.id, v.reserved from commerce.variants v
    left join commerce.stock_reservations r on r.site_id = v.site_id and r.variant_id = v.id
    group by v.site_id, v.id, v.reserved having v.reserved <> coalesce(sum(r.quantity), 0)`,
  'only open checkouts reserve stock': `
    select k.id, k.status from commerce.stock_reservations r
    join commerce.checkouts k on k.site_id = r.site_id and k.id = r.checkout_id
    where k.status not in ('open', 'ready', 'requires_escalation') or k.reserved_until is null`,
  'the total of an order is the sum of its lines, less the discount, plus shipping and tax': `
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
  'a checkout and its order refer to each other': `
    select k.id from commerce.checkouts k
    left join commerce.orders o on o.site_id = k.site_id and o.checkout_id = k.id
    where (k.order_id is distinct from o.id)`,
  'the cart of a completed checkout is converted': `
    select k.id from commerce.checkouts k join commerce.carts c on c.site_id = k.site_id and c.id = k.cart_id
    where (k.status = 'completed') <> (c.status = 'converted') and (k.status = 'completed' or not exists (
      select from commerce.checkouts o where o.site_id = c.site_id and o.cart_id = c.id and o.status = 'completed'))`,
  'order numbers of a site have no gaps, except after imported orders and a new era': `
    select n.site_id, n.last_number, count(o.id) from commerce.order_numbers n
    cross join lateral (
      select coalesce(sum(e.skipped - 1), 0) as numbers from commerce.change_eras e, commerce.sites s
      where s.site_id = n.site_id and e.begun_at > s.created_at) as skipped
    left join commerce.orders o on o.site_id = n.site_id and (o.checkout_id is not null or o.exchange_of is not null)
    group by n.site_id, n.last_number, skipped.numbers having n.last_number < 1000 + skipped.numbers + count(o.id)
      or (n.last_number > 1000 + skipped.numbers + count(o.id) and not exists (
        select from commerce.orders i where i.site_id = n.site_id and i.source = 'import' and i.order_number ~ '^\\d{1,9}$'))`,
  'no order has a number that the shop has not assigned yet': `
    select o.id from commerce.orders o join commerce.order_numbers n using (site_id)
    where o.order_number ~ '^\\d{1,9}$' and o.order_number::bigint > n.last_number`,
  'the total of an imported order is the sum of its lines, it moved no stock, and its timeline contains the import': `
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
  'the discount codes of cancelled orders are released': `
    select o.id from commerce.orders o
    join commerce.checkouts k on k.site_id = o.site_id and k.id = o.checkout_id
    join commerce.discount_redemptions r on r.site_id = k.site_id and r.cart_id = k.cart_id and r.status <> 'released'
    where o.status = 'cancelled'`,
  'the three statuses of an order do not contradict each other': `
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
  'the usage count of a discount code is its redemptions and reservations, and within its limit': `
    select d.id, d.usage_count from commerce.discounts d
    left join commerce.discount_redemptions r on r.site_id = d.site_id and r.discount_id = d.id and r.status <> 'released'
    group by d.site_id, d.id, d.usage_count, d.usage_limit
    having d.usage_count <> count(r.id) or count(r.id) > d.usage_limit`,
  'the discount of an order is the amount of its redeemed code': `
    select r.id from commerce.discount_redemptions r
    join commerce.orders o on o.site_id = r.site_id and o.id = r.order_id
    where r.status = 'redeemed' and o.discount <> r.amount_off`,
  'an order with a discount code has redeemed it, unless it is cancelled': `
    select o.id from commerce.orders o
    where o.checkout_id is not null and o.discount_code is not null and o.status <> 'cancelled' and not exists (
      select from commerce.discount_redemptions r
      where r.site_id = o.site_id and r.order_id = o.id and r.status = 'redeemed' and r.code = o.discount_code)`,
  'an order without a discount code or the discount of a draft has no discount': `
    select o.id from commerce.orders o where checkout_id is not null and discount_code is null and discount <> 0
      and not exists (
        select from commerce.draft_orders d
        where d.site_id = o.site_id and d.checkout_id = o.checkout_id and d.discount_type is not null)`,
  'refunds and disputes do not exceed the received amount, and refunds match the payment status': `
    select o.id from (
      select *, coalesce(captured, case when paid then total else 0 end) as received
      from (select *, payment_status in ('paid', 'partially_refunded', 'refunded') as paid from commerce.orders) known
    ) o cross join lateral (
      select count(*) as refunds, coalesce(sum(r.amount) filter (where m.status is distinct from 'failed'), 0) as begun,
        coalesce(sum(r.amount) filter (where m.status is null or m.status = 'succeeded'), 0) as done
      from commerce.refunds r
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where r.site_id = o.site_id and r.order_id = o.id
    ) r cross join lateral (
      select coalesce(sum(d.amount), 0) as claimed from commerce.disputes d
      where d.site_id = o.site_id and d.order_id = o.id and d.status in ('open', 'lost')
    ) d
    where r.begun <> o.refunds_begun or r.begun + o.disputed > o.received
      -- A bank may take back money that a refund has returned as well.
      or o.disputed <> least(d.claimed, o.received - r.begun)
      or (r.refunds > 0 and o.paid and (
        (o.payment_status = 'refunded') <> (r.done > 0 and r.done = o.received)
        or (o.payment_status = 'partially_refunded') <> (r.done > 0 and r.done < o.received)))`,
  'the money of an order adds up: received less paid back is charged, less what is due, plus what is owed': `
    select o.id, received, paid_back, charged, due, owed from (
      select *, payment_status in ('paid', 'partially_refunded', 'refunded') as paid,
        case when status = 'cancelled' then retained else total - credited end as kept from commerce.orders
    ) o cross join lateral (
      -- The money received: from the provider, by a transfer or in cash for the amount due, or recorded by hand.
      select coalesce(case when o.exchange_of is not null then o.exchange_credit + coalesce(h.recorded, 0) - x.moved end,
        (select sum(coalesce(p.captured_amount, p.amount)) from commerce.payments p
          where p.site_id = o.site_id and p.order_id = o.id and p.status = 'succeeded' and p.purpose = 'checkout' and o.paid)
          + coalesce(h.recorded, 0) - x.moved,
        (select v.received - (select coalesce(sum(p.amount), 0) from commerce.order_payments p
            where p.site_id = o.site_id and p.order_id = o.id and p.created_at <= v.replaced_at)
            - (select coalesce(sum(e.exchange_credit), 0) from commerce.orders e
              where e.site_id = o.site_id and e.exchange_of = o.id and e.created_at > v.replaced_at)
          from commerce.order_versions v where v.site_id = o.site_id and v.order_id = o.id and o.released is not null
            and v.received > 0 order by v.version limit 1) + coalesce(h.recorded, 0),
        h.recorded - x.moved, case when o.paid and o.released is null then o.total - o.credited else 0 end) as received
      from (select sum(p.amount) as recorded from commerce.order_payments p
        where p.site_id = o.site_id and p.order_id = o.id) h, (
        -- An exchange moves money to its order.
        select coalesce(sum(e.exchange_credit), 0) as moved from commerce.orders e
        where e.site_id = o.site_id and e.exchange_of = o.id) x
    ) i cross join lateral (
      select o.disputed + coalesce(sum(r.amount), 0) as paid_back, coalesce(sum(r.overpaid), 0) as overpaid from commerce.refunds r
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where r.site_id = o.site_id and r.order_id = o.id and m.status is distinct from 'failed'
    ) b cross join lateral (
      -- The amount received above the price of the order, minus the part that refunds have returned.
      select o.released is not null and o.status <> 'cancelled' as edited,
        received - (o.kept - coalesce(o.released, 0)) - overpaid as surplus
    ) e cross join lateral (
      select case when o.status = 'cancelled' then greatest(0, received - paid_back - o.kept)
          else least(greatest(0, surplus - o.disputed), greatest(0, received - paid_back)) end as owed,
        case when edited then greatest(0, -surplus) when o.paid or o.status = 'cancelled' then 0 else o.kept - received end as due,
        -- If a payment was captured in part, the rest was released. Money that a refund returned above the price did
        -- not lower the price.
        case when o.status = 'cancelled' then least(o.kept, received - paid_back)
          else greatest(0, case when edited then o.kept - o.released when o.paid then least(o.kept, received) else o.kept end
            - (paid_back - o.disputed - overpaid) - (o.disputed - least(o.disputed, greatest(0, surplus)))) end as charged
    ) s
    where charged < 0 or due < 0 or received - paid_back <> charged - due + owed
      or received <> coalesce(o.captured, case when o.paid then o.total else 0 end)`,
  'an order with an amount due is credited only for pieces that came back or were withdrawn': `
    select o.id from commerce.orders o where o.credited > 0 and not exists (
      select from commerce.withdrawal_lines i
      join commerce.order_lines l on l.site_id = i.site_id and l.id = i.line_id and l.removed >= i.confirmed
      where l.site_id = o.site_id and l.order_id = o.id and i.confirmed > 0) and not exists (
      select from commerce.returns r join commerce.return_lines i on i.site_id = r.site_id and i.return_id = r.id
      join commerce.order_lines l on l.site_id = i.site_id and l.id = i.line_id and l.refunded_quantity >= i.credited
      where r.site_id = o.site_id and r.order_id = o.id and (i.credited > 0 or r.credited > 0))`,
  'the received amount of a late order is the sum of its recorded payments': `
    select o.id from commerce.orders o join commerce.order_payments p on p.site_id = o.site_id and p.order_id = o.id
    where o.released is null group by o.site_id, o.id having o.captured is distinct from sum(p.amount) - (
      select coalesce(sum(e.exchange_credit), 0) from commerce.orders e where e.site_id = o.site_id and e.exchange_of = o.id)`,
  'an exchange moves at most the price of the pieces of its return': `
    select o.id from commerce.orders o where o.exchange_of is not null and (o.exchange_credit > o.total or not exists (
      select from commerce.returns r where r.site_id = o.site_id and r.order_id = o.exchange_of and r.exchange_order_id = o.id)
      or o.exchange_credit > (select f.credited from commerce.orders f where f.site_id = o.site_id and f.id = o.exchange_of))`,
  'an edit leaves lines and amounts that add up, and keeps what it replaced': `
    select o.id from commerce.orders o cross join lateral (
      select coalesce(sum(l.total), 0) as total, coalesce(sum(l.discount), 0) as discount from commerce.order_lines l
      where l.site_id = o.site_id and l.order_id = o.id) l
    where o.edits <> (select count(*) from commerce.order_versions v where v.site_id = o.site_id and v.order_id = o.id)
      or (o.edits > 0 and (l.total <> o.subtotal or l.discount <> o.discount))
      or exists (select from commerce.order_lines z where z.site_id = o.site_id and z.order_id = o.id and z.quantity = 0
        and (z.total <> 0 or z.discount <> 0 or z.tax <> 0))`,
  'the shipped quantity of a line is the sum of its fulfilments, at most the quantity that was not removed': `
    select l.id from commerce.order_lines l
    left join commerce.fulfillment_items i on i.site_id = l.site_id and i.line_id = l.id
    group by l.site_id, l.id having l.fulfilled <> coalesce(sum(i.quantity), 0) or l.fulfilled + l.removed > l.quantity`,
  'the quantities of a line do not contradict each other': `
    select id from commerce.order_lines
    where removed > refunded_quantity or refunded_quantity > quantity or returned > fulfilled
      or refunded_quantity - removed > fulfilled`,
  'every restocked piece was not shipped, or was returned': `
    select id from commerce.order_lines where restocked - returned > quantity - fulfilled`,
  'stock on hand and removed stock add up to the received quantity': `
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
      -- If a line has no variant, its order does not show which stock it took.
      and not exists (
        select from commerce.order_lines l where l.site_id = v.site_id and l.variant_id is null and l.stock_taken)`,
  'an order is cancelled if all of it was refunded before shipping': `
    select o.id from commerce.orders o
    join commerce.order_lines l on l.site_id = o.site_id and l.order_id = o.id
    where o.checkout_id is not null and o.status <> 'cancelled' and not exists (
      select from commerce.payment_moves m where m.site_id = o.site_id and m.order_id = o.id and m.status = 'pending')
    group by o.site_id, o.id having bool_and(l.removed = l.quantity)`,
  'money paid online for an amount due is recorded exactly once, in full': `
    select p.id from commerce.payments p
    left join commerce.order_payments r on r.site_id = p.site_id and r.payment_id = p.id
    where p.purpose = 'amount_due' and ((p.status = 'succeeded') <> (r.id is not null)
      or r.amount <> p.captured_amount or r.order_id <> p.order_id)`,
  'the refunds of a payment at a provider do not exceed its captured amount': `
    select p.id from commerce.payments p
    join commerce.payment_moves m on m.site_id = p.site_id and m.payment_id = p.id and m.kind = 'refund' and m.status <> 'failed'
    group by p.site_id, p.id having sum(m.amount) > coalesce(p.captured_amount, p.amount)`,
  'an order has at most one payment from its checkout, of its total': `
    select o.id from commerce.orders o
    join commerce.payments p on p.site_id = o.site_id and p.order_id = o.id
      and p.status in ('pending', 'authorized', 'succeeded') and p.purpose = 'checkout'
    group by o.site_id, o.id, o.total, o.payment_method
    -- An edit changes the total, not the payment.
    having count(*) > 1 or sum(p.amount) <> coalesce((select v.total from commerce.order_versions v
        where v.site_id = o.site_id and v.order_id = o.id order by v.version limit 1), o.total) or o.payment_method not in ('card', 'online')`,
  'the timeline of every order contains its creation': `
    select o.id from commerce.orders o where o.checkout_id is not null and not exists (
      select from commerce.order_events e where e.site_id = o.site_id and e.order_id = o.id and e.type = 'created')`,
  'the timeline of an order contains its payment and its cancellation': `
    select o.id from commerce.orders o where o.checkout_id is not null and (
      (o.payment_confirmed_at is not null and not exists (
        select from commerce.order_events e
        where e.site_id = o.site_id and e.order_id = o.id and e.type = 'payment_confirmed'))
      or (o.status = 'cancelled' and not exists (
        select from commerce.order_events e
        where e.site_id = o.site_id and e.order_id = o.id and e.type in ('cancelled', 'payment_expired'))))`,
  'the timeline contains each payment, expiry and cancellation once': `
    select e.site_id, e.order_id from commerce.order_events e
    where e.type in ('payment_confirmed', 'payment_expired', 'cancelled')
    group by e.site_id, e.order_id, e.type having count(*) > 1 + (
      -- A reverted payment may be confirmed again.
      select count(*) from commerce.order_events u
      where u.site_id = e.site_id and u.order_id = e.order_id and u.context #>> '{payment_status,from}' = 'paid'
        and u.context #>> '{payment_status,to}' = 'awaiting_payment')`,
  'a checkout and its cart refer to the same open payment': `
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
  'the reserved budget of an agent is the sum of its open payments': `
    select a.id, a.budget_held_cents from commerce.agent_tokens a
    left join commerce.checkouts k on k.site_id = a.site_id and k.agent_token_id = a.id
    left join commerce.payments p on p.site_id = k.site_id and p.id = k.payment_id
    group by a.site_id, a.id, a.budget_held_cents having a.budget_held_cents <> coalesce(sum(p.held_cents), 0)`,
  'an open return holds the pieces of its lines that have not arrived': `
    select l.id, l.in_returns from commerce.order_lines l where l.in_returns <> (
      select coalesce(sum(i.quantity - i.received_quantity), 0) from commerce.return_lines i
      join commerce.returns r on r.site_id = i.site_id and r.id = i.return_id
      where i.site_id = l.site_id and i.line_id = l.id and r.status not in ('declined', 'closed', 'cancelled'))`,
  'only open withdrawals, and confirmed ones whose refund failed, withhold pieces': `
    select l.id, l.withheld from commerce.order_lines l where l.withheld > (
      select coalesce(sum(i.quantity) filter (where w.status = 'to_confirm'), 0)
        + greatest(0, coalesce(sum(i.confirmed), 0) - l.removed)
      from commerce.withdrawal_lines i
      join commerce.withdrawals w on w.site_id = i.site_id and w.id = i.withdrawal_id
      where i.site_id = l.site_id and i.line_id = l.id)`,
  'what came back with returns counts as returned': `
    select l.id, l.returned from commerce.order_lines l where l.returned < (
      select coalesce(sum(i.received_quantity), 0) from commerce.return_lines i
      where i.site_id = l.site_id and i.line_id = l.id)`,
  'the refunds of a return hold at most its pieces': `
    select i.id from commerce.return_lines i where i.quantity < (
      select coalesce(sum(p.quantity), 0) from commerce.refunds f
      join commerce.refund_items p on p.site_id = f.site_id and p.refund_id = f.id and p.line_id = i.line_id
      left join commerce.payment_moves m on m.site_id = f.site_id and m.id = f.id
      where f.site_id = i.site_id and f.return_id = i.return_id and m.status is distinct from 'failed')`,
  'the refunded shipping cost is that of the refunds': `
    select o.id, o.shipping_refunded from commerce.orders o where o.shipping_refunded <> (
      select coalesce(sum(f.shipping), 0) from commerce.refunds f
      left join commerce.payment_moves m on m.site_id = f.site_id and m.id = f.id
      where f.site_id = o.site_id and f.order_id = o.id and m.status is distinct from 'failed')`,
  'the used budget of an agent is the sum of its orders in the period, and its total that of all orders': `
    select a.id, a.budget_used_cents from commerce.agent_tokens a
    left join commerce.orders o on o.site_id = a.site_id and o.agent_token_id = a.id
    group by a.site_id, a.id
    having a.budget_used_cents <> coalesce(sum(o.agent_spent_cents) filter (where o.agent_period_number = a.period_number), 0)
      or a.spent_total_cents <> coalesce(sum(o.agent_spent_cents), 0) or max(o.agent_period_number) > a.period_number`,
  'the orders of an agent in a period do not exceed its budget, and none exceeds its limit per order': `
    select a.id, o.agent_period_number from commerce.agent_tokens a
    join commerce.orders o on o.site_id = a.site_id and o.agent_token_id = a.id
    group by a.site_id, a.id, o.agent_period_number
    having sum(o.agent_spent_cents) > a.budget_cents or max(o.agent_spent_cents) > a.max_per_order_cents`,
  'an order of an agent uses its total less refunds of the budget, or nothing if it ended unpaid': `
    select o.id, o.agent_spent_cents from commerce.orders o join commerce.sites s using (site_id)
    -- An edit does not change what the agent has spent.
    cross join lateral (select coalesce((select v.total from commerce.order_versions v
        where v.site_id = o.site_id and v.order_id = o.id order by v.version limit 1), o.total)
        * power(10::numeric, s.currency_digits) as cents, (
      select coalesce(sum(r.amount), 0) * power(10::numeric, s.currency_digits) from commerce.refunds r
      where r.site_id = o.site_id and r.order_id = o.id) as refunded) t
    where o.agent_token_id is not null and case when o.payment_confirmed_at is null
        and (o.status = 'cancelled' or o.fulfillment_status = 'returned' and o.payment_method = 'manual')
      then o.agent_spent_cents <> 0 else o.agent_spent_cents not between greatest(0, t.cents - t.refunded) and t.cents end`,
  'a cart, its checkout and its order have the same agent token': `
    select k.id from commerce.checkouts k
    join commerce.carts c on c.site_id = k.site_id and c.id = k.cart_id
    left join commerce.orders o on o.site_id = k.site_id and o.checkout_id = k.id
    where k.agent_token_id is distinct from c.agent_token_id
      or (o.id is not null and o.agent_token_id is distinct from k.agent_token_id)`,
  'no customer has more than ten active agents': `
    select customer_id from commerce.tokens
    where kind = 'agent' and customer_id is not null and revoked_at is null and expires_at > now()
    group by site_id, customer_id having count(*) > 10`,
  'every agent token has a consumed consent, and every consumed consent has a token': `
    select a.id from commerce.agent_tokens a
    join commerce.agent_consents k on k.site_id = a.site_id and k.id = a.consent_id where k.status <> 'consumed'
    union all
    select k.id from commerce.agent_consents k where k.status = 'consumed' and not exists (
      select from commerce.agent_tokens a where a.site_id = k.site_id and a.consent_id = k.id)`,
  'a revoked agent has the actor who revoked it': `
    select t.id from commerce.tokens t join commerce.agent_tokens a using (site_id, id)
    where (t.revoked_at is not null) <> (a.revoked_by is not null)`,
  'every agent in the audit exists': `
    select e.actor_id from commerce.audit_events e where e.actor_type = 'agent' and not exists (
      select from commerce.agent_tokens a where a.site_id = e.site_id and a.id = e.actor_id)`,
  'an order from a widget has its checkout and its reference': `
    select s.id from commerce.sync_orders s
    left join commerce.checkouts k on k.site_id = s.site_id and k.id = s.checkout_id
    left join commerce.orders o on o.site_id = k.site_id and o.id = k.order_id
    where k.id is null or k.source <> 'ai_widget' or (s.payment = 'bank_transfer') > (o.id is not null)
      or o.external_reference <> s.reference or o.source <> 'ai_widget'`,
  'every checkout of a widget has exactly one synced order': `
    select k.id from commerce.checkouts k where k.source = 'ai_widget' and (
      select count(*) from commerce.sync_orders s where s.site_id = k.site_id and s.checkout_id = k.id) <> 1`,
  'every idempotency key has its response': `
    select key_hash from commerce.idempotency_keys where status is null`,
  'a pending delivery has a job with attempts left': `
    select id from commerce.webhook_deliveries d where status = 'pending' and not exists (
      select from graphile_worker._private_jobs j
      where j.payload->>'delivery_id' = d.id::text and j.attempts < j.max_attempts)`,
  'the attempt count of a delivery is correct, and its status matches the last attempt': `
    select d.id from commerce.webhook_deliveries d
    left join commerce.webhook_attempts a on a.site_id = d.site_id and a.delivery_id = d.id
    group by d.site_id, d.id having count(a.number) <> d.attempts_count
      or (d.status = 'succeeded' and (array_agg(a.outcome order by a.number desc))[1] <> 'succeeded')`,
  'a disabled webhook has no pending deliveries': `
    select d.id from commerce.webhook_deliveries d join commerce.webhooks w on w.site_id = d.site_id and w.id = d.webhook_id
    where w.status = 'disabled' and d.status = 'pending'`,
};

/**
 * Kept apart from the other invariants, because it is slower than all of them together: it calculates the index entry
 * of each product again. Checks only shops that were opened since $1.
 */
const SEARCH_INDEX = {
  rule: 'the search index matches the current products',
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

/** Returns the violated invariants with their rows. `db` must not be limited to one tenant. */
export function brokenInvariants(db: Pool): Promise<BrokenRule[]> {
  return brokenSince(db, '-infinity');
}

/** For each database URL, the time of the last check. Shops that were opened before it are not checked again. */
const checkedUntil = new Map<string | undefined, string>();

/**
 * Checks the invariants after each test file, but the invariants of the search index only for shops opened since the
 * last call. lasting-invariants.ts checks the whole index at the end.
 */
export async function newlyBrokenInvariants(db: Pool): Promise<BrokenRule[]> {
  const address = db.options.connectionString;
  const { rows } = await db.query<{ now: string }>('select now()::text as now');
  const broken = await brokenSince(db, checkedUntil.get(address) ?? '-infinity');
  if (rows[0]) checkedUntil.set(address, rows[0].now);
  return broken;
}

async function brokenSince(db: Pool, opened: string): Promise<BrokenRule[]> {
  const broken: BrokenRule[] = [];
  const client = await db.connect();
  // The names let PostgreSQL keep the plans for the next call, because planning takes longer than most statements.
  const look = async (name: string, rule: string, statement: string, values: string[] = []) => {
    const { rows } = await client.query({ name, text: `${statement} limit 5`, values });
    if (rows.length > 0) broken.push({ rule, rows });
  };
  try {
    for (const [i, [rule, statement]] of Object.entries(INVARIANTS).entries()) {
      await look(`invariant_${i}`, rule, statement);
    }
    await look('search_index', SEARCH_INDEX.rule, SEARCH_INDEX.statement, [opened]);
  } finally {
    client.release();
  }
  return broken;
}
