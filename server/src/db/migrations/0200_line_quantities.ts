import type { Knex } from 'knex';

/**
 * Counts how many pieces of each order line were shipped, refunded and removed, with constraints between the counts.
 * `quantity - fulfilled - removed` pieces are still to be shipped. A trigger counts `fulfilled`, so that shipments by
 * processes of the previous version are counted; their refunds of lines fail, because they do not contain the counts.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A migration changes rows of all tenants.
    ${forced('no force')}
    alter table commerce.orders
      -- The amount that the shop keeps of a cancelled order: not 0 if the refund that cancelled it was below the payment.
      add column retained numeric not null default 0 check (retained >= 0);
    alter table commerce.order_lines
      add column fulfilled integer not null default 0,
      -- Pieces that were refunded before they shipped. These pieces are no longer to be shipped.
      add column removed integer not null default 0,
      -- Shipped pieces that a refund put back into stock.
      add column returned integer not null default 0;
  `);
  await fillLines(knex);
  await countFulfilled(knex);
  await splitRefunds(knex);
  await knex.raw(`
    alter table commerce.order_lines
      drop constraint order_lines_check,
      add constraint pieces_to_fulfill check (fulfilled >= 0 and removed >= 0 and fulfilled + removed <= quantity),
      add constraint pieces_refunded check (removed <= refunded_quantity and refunded_quantity <= quantity and refunded_quantity - removed <= fulfilled),
      add constraint pieces_returned check (returned between 0 and fulfilled),
      -- A piece is shipped or back in stock, unless it came back.
      add constraint pieces_in_stock check (fulfilled + restocked - returned <= quantity);
    ${forced('force')}
  `);
}

const TABLES = [
  'orders',
  'order_lines',
  'fulfillments',
  'fulfillment_items',
  'refunds',
  'refund_items',
  'payment_moves',
];

function forced(how: 'force' | 'no force'): string {
  return TABLES.map((table) => `alter table commerce.${table} ${how} row level security;`).join('\n');
}

/** Assigns earlier refunds to unshipped pieces first, as new refunds do by default. */
async function fillLines(knex: Knex): Promise<void> {
  await knex.raw(`
    update commerce.order_lines l set fulfilled = f.quantity
      from (select site_id, line_id, sum(quantity)::int as quantity from commerce.fulfillment_items group by 1, 2) f
      where l.site_id = f.site_id and l.id = f.line_id;
    update commerce.order_lines
      set removed = least(refunded_quantity, quantity - fulfilled), returned = greatest(0, restocked - (quantity - fulfilled))
      where refunded_quantity > 0 or restocked > 0;
    -- Refunded as a whole before anything shipped.
    update commerce.order_lines l set refunded_quantity = l.quantity, removed = l.quantity
      from commerce.orders o
      where o.site_id = l.site_id and o.id = l.order_id and o.payment_status = 'refunded' and o.status <> 'cancelled'
        and o.fulfillment_status = 'unfulfilled';
    -- The rest was refunded before it shipped.
    update commerce.orders o set fulfillment_status = 'fulfilled', shipped_at = coalesce(o.shipped_at, (
        select max(f.created_at) from commerce.fulfillments f where f.site_id = o.site_id and f.order_id = o.id))
      where o.fulfillment_status = 'partially_fulfilled' and not exists (
        select from commerce.order_lines l
        where l.site_id = o.site_id and l.order_id = o.id and l.quantity > l.fulfilled + l.removed);
  `);
}

/** Counts all lines of the inserted items in one statement, because an imported site has many. */
async function countFulfilled(knex: Knex): Promise<void> {
  await knex.raw(`
    create index fulfillment_items_of on commerce.fulfillment_items (site_id, line_id);
    create function commerce.count_fulfilled() returns trigger language plpgsql as $$
    begin
      update commerce.order_lines l set fulfilled = shipped.quantity
        from (
          select i.site_id, i.line_id, sum(i.quantity)::int as quantity from commerce.fulfillment_items i
          where (i.site_id, i.line_id) in (select site_id, line_id from added) group by 1, 2
        ) shipped
        where l.site_id = shipped.site_id and l.id = shipped.line_id and l.fulfilled <> shipped.quantity;
      return null;
    end $$;
    create trigger count_fulfilled after insert on commerce.fulfillment_items referencing new table as added
      for each statement execute function commerce.count_fulfilled();
  `);
}

/** Splits the refunded pieces of a line into shipped and unshipped ones. */
async function splitRefunds(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.refund_items
      add column shipped boolean not null default false,
      drop constraint refund_items_pkey,
      add primary key (site_id, refund_id, line_id, shipped);
    with placed as (
      select i.site_id, i.refund_id, i.line_id, i.quantity, i.restock, l.removed, sum(i.quantity)
        over (partition by i.site_id, i.line_id order by r.created_at, r.id) - i.quantity as before
      from commerce.refund_items i
      join commerce.refunds r on r.site_id = i.site_id and r.id = i.refund_id
      join commerce.order_lines l on l.site_id = i.site_id and l.id = i.line_id
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where m.status is distinct from 'failed'
    ), split as (
      select *, greatest(0, least(quantity, removed - before))::int as unshipped from placed
    ), changed as (
      update commerce.refund_items i set shipped = s.unshipped = 0, quantity = case s.unshipped when 0 then i.quantity else s.unshipped end
      from split s where i.site_id = s.site_id and i.refund_id = s.refund_id and i.line_id = s.line_id and s.unshipped < s.quantity
    )
    insert into commerce.refund_items (site_id, refund_id, line_id, quantity, restock, shipped)
      select site_id, refund_id, line_id, quantity - unshipped, restock, true from split
      where unshipped > 0 and unshipped < quantity;
    alter table commerce.refund_items alter column shipped drop default;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${forced('no force')}
    drop trigger count_fulfilled on commerce.fulfillment_items;
    drop function commerce.count_fulfilled;
    drop index commerce.fulfillment_items_of;
    update commerce.refund_items i set quantity = i.quantity + s.quantity from commerce.refund_items s
      where not i.shipped and s.shipped and s.site_id = i.site_id and s.refund_id = i.refund_id and s.line_id = i.line_id;
    delete from commerce.refund_items s where s.shipped and exists (
      select from commerce.refund_items i
      where not i.shipped and s.site_id = i.site_id and s.refund_id = i.refund_id and s.line_id = i.line_id);
    alter table commerce.refund_items
      drop constraint refund_items_pkey,
      drop column shipped,
      add primary key (site_id, refund_id, line_id);
    alter table commerce.order_lines
      drop constraint pieces_to_fulfill, drop constraint pieces_refunded, drop constraint pieces_returned,
      drop constraint pieces_in_stock,
      drop column fulfilled, drop column removed, drop column returned;
    alter table commerce.order_lines
      add constraint order_lines_check check (refunded_quantity >= 0 and refunded_quantity <= quantity);
    alter table commerce.orders drop column retained;
    ${forced('force')}
  `);
}
