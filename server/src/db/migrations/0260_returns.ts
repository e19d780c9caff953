import type { Knex } from 'knex';

/**
 * Returns of shipped pieces. `order_lines` counts the pieces that came back, the pieces in open returns, and the pieces
 * refunded without a return. A check keeps the sum within the shipped pieces, so no piece is returned twice.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.returns (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      -- 1 for the first return of the order; a part of its number.
      ordinal integer not null check (ordinal > 0),
      kind text not null check (kind in ('return', 'withdrawal', 'exchange')),
      status text not null check (status in ('requested', 'approved', 'declined', 'in_transit', 'received', 'closed', 'cancelled')),
      late boolean not null default false,
      resolution text not null check (resolution in ('refund', 'exchange')),
      keep_goods boolean not null default false,
      fee numeric not null default 0 check (fee >= 0),
      label_url text,
      carrier text,
      tracking_number text,
      customer_note text,
      staff_note text,
      decline_reason text,
      close_reason text,
      exchange_order_id uuid,
      created_by text not null,
      actor_id uuid,
      requested_at timestamptz not null default now(),
      decided_at timestamptz,
      received_at timestamptz,
      closed_at timestamptz,
      updated_at timestamptz not null default now(),
      primary key (site_id, id),
      constraint return_number_taken unique (site_id, order_id, ordinal),
      constraint return_declined check ((status = 'declined') = (decline_reason is not null)),
      constraint return_ended check ((status in ('closed', 'cancelled')) = (closed_at is not null)),
      foreign key (site_id, order_id) references commerce.orders (site_id, id),
      foreign key (site_id, exchange_order_id) references commerce.orders (site_id, id)
    );
    create index returns_newest on commerce.returns (site_id, id desc);
    create table commerce.return_lines (
      site_id uuid not null,
      id uuid not null,
      return_id uuid not null,
      line_id uuid not null,
      position integer not null,
      quantity integer not null check (quantity > 0),
      reason text not null,
      note text,
      received_quantity integer not null default 0,
      condition text check (condition in ('resellable', 'damaged', 'missing')),
      restocked integer not null default 0,
      primary key (site_id, id),
      constraint one_return_line_per_order_line unique (site_id, return_id, line_id),
      constraint pieces_received check (received_quantity between 0 and quantity),
      constraint pieces_restocked check (restocked between 0 and received_quantity),
      foreign key (site_id, return_id) references commerce.returns (site_id, id),
      foreign key (site_id, line_id) references commerce.order_lines (site_id, id)
    );
    create index return_lines_of on commerce.return_lines (site_id, line_id);
    call commerce.protect('commerce.returns');
    call commerce.protect('commerce.return_lines');
    alter table commerce.refunds
      add column return_id uuid,
      add column shipping numeric not null default 0 check (shipping between 0 and amount),
      add foreign key (site_id, return_id) references commerce.returns (site_id, id);
    create index refunds_of_return on commerce.refunds (site_id, return_id) where return_id is not null;
    alter table commerce.refund_items
      -- Shipped pieces that are counted in order_lines.refunded_unreturned.
      add column unreturned integer not null default 0 check (unreturned between 0 and quantity);
    create function commerce.shipping_charged(cost numeric, tax_included boolean, tax numeric, taxes jsonb)
    returns numeric language sql immutable parallel safe as $$
      select cost + case when tax_included then 0
        else coalesce((select sum((part ->> 'tax')::numeric) from jsonb_array_elements(taxes) part), tax, 0) end
    $$;
    alter table commerce.orders
      -- The shipping parts of all refunds except failed ones.
      add column shipping_refunded numeric not null default 0,
      add constraint shipping_refunded_at_most check (
        shipping_refunded between 0 and commerce.shipping_charged(shipping_cost, tax_included, shipping_tax, shipping_taxes));
    alter table commerce.stock_movements
      drop constraint stock_movements_reference_type_check,
      add constraint stock_movements_reference_type_check
        check (reference_type in ('checkout', 'order', 'refund', 'import', 'return'));
    alter table commerce.site_settings
      add column return_policy jsonb not null default '{}';
    alter table commerce.products add column returnable boolean not null default true;
    do $$ begin
      execute replace(replace(pg_get_functiondef('commerce.note_products'::regproc),
        '(o.id,', '(o.id,o.returnable,'), '(n.id,', '(n.id,n.returnable,');
    end $$;
  `);
  await countUnreturned(knex);
  await tellReturn(knex);
}

/** Fills in the number of pieces that were refunded after they shipped, and did not come back. */
async function countUnreturned(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A migration changes rows of all tenants.
    ${forced('no force')}
    alter table commerce.order_lines
      -- Pieces that open returns have and that have not arrived.
      add column in_returns integer not null default 0,
      -- Shipped pieces that were refunded without a return, and did not come back.
      add column refunded_unreturned integer not null default 0;
    update commerce.order_lines set refunded_unreturned = greatest(0, least(refunded_quantity - removed, fulfilled) - returned)
      where refunded_quantity > removed;
    alter table commerce.order_lines
      drop constraint pieces_returned,
      add constraint pieces_returned check (returned >= 0 and in_returns >= 0 and refunded_unreturned >= 0
        and returned + in_returns + refunded_unreturned <= fulfilled);
    update commerce.refund_items i set unreturned = least(i.quantity, l.refunded_unreturned)
      from commerce.order_lines l, commerce.refunds r
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where l.site_id = i.site_id and l.id = i.line_id and r.site_id = i.site_id and r.id = i.refund_id
        and i.shipped and l.refunded_unreturned > 0
        and case when i.restock then m.status = 'pending' else m.status is distinct from 'failed' end;
    ${forced('force')}
  `);
}

const TABLES = ['order_lines', 'refunds', 'refund_items', 'payment_moves'];

function forced(how: 'force' | 'no force'): string {
  return TABLES.map((table) => `alter table commerce.${table} ${how} row level security;`).join('\n');
}

/** Sends the event of each timeline entry about a return. The entry names the event. */
async function tellReturn(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.tell_return() returns trigger language plpgsql as $$
    declare
      r commerce.returns;
      o commerce.orders;
    begin
      if not commerce.is_told(new.site_id) then return null; end if;
      select * into r from commerce.returns where site_id = new.site_id and id = (new.context ->> 'return_id')::uuid;
      select * into o from commerce.orders where site_id = r.site_id and id = r.order_id;
      perform commerce.emit(r.site_id, case new.context ->> 'event'
          when 'requested' then 'return.requested'
          when 'approved' then 'return.approved'
          when 'declined' then 'return.declined'
          when 'received' then 'return.received'
          when 'closed' then 'return.closed'
          when 'cancelled' then 'return.cancelled'
        end, r.id,
        jsonb_build_object('id', r.id, 'number', o.order_number || '-R' || r.ordinal, 'order_id', o.id,
          'order_number', o.order_number, 'status', r.status, 'kind', r.kind, 'updated_at', commerce.iso(r.updated_at)));
      return null;
    end $$;
    create constraint trigger tell_return after insert on commerce.order_events deferrable initially deferred for each row
      when (new.type = 'return_changed' and jsonb_exists(new.context, 'event')) execute function commerce.tell_return();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_return on commerce.order_events;
    drop function commerce.tell_return();
    ${forced('no force')}
    alter table commerce.order_lines
      drop constraint pieces_returned,
      add constraint pieces_returned check (returned between 0 and fulfilled),
      drop column in_returns, drop column refunded_unreturned;
    ${forced('force')}
    do $$ begin
      execute replace(replace(pg_get_functiondef('commerce.note_products'::regproc),
        '(o.id,o.returnable,', '(o.id,'), '(n.id,n.returnable,', '(n.id,');
    end $$;
    alter table commerce.products drop column returnable;
    alter table commerce.site_settings drop column return_policy;
    alter table commerce.stock_movements
      drop constraint stock_movements_reference_type_check,
      add constraint stock_movements_reference_type_check check (reference_type in ('checkout', 'order', 'refund', 'import'));
    alter table commerce.orders drop column shipping_refunded;
    drop function commerce.shipping_charged;
    alter table commerce.refund_items drop column unreturned;
    alter table commerce.refunds drop column return_id, drop column shipping;
    drop table commerce.return_lines;
    drop table commerce.returns;
  `);
}
