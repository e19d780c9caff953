import type { Knex } from 'knex';

/**
 * Edits of orders. `order_versions` keeps each replaced version. `refunds.overpaid` is the part of a refund that
 * returned money above the price, such as an overpayment or the difference after an edit; the rest of a refund lowers
 * the price. Earlier refunds returned an overpayment first. A line that an edit has removed keeps its row with quantity
 * 0, because refunds and withdrawals may refer to it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.order_versions (
      site_id uuid not null,
      order_id uuid not null,
      version integer not null check (version > 0),
      -- Lines, amounts and shipping before the edit, without personal data.
      content jsonb not null,
      total numeric not null,
      -- The money received before the edit.
      received numeric not null,
      actor_type text not null,
      actor_id uuid,
      replaced_at timestamptz not null default now(),
      primary key (site_id, order_id, version),
      foreign key (site_id, order_id) references commerce.orders (site_id, id)
    );
    call commerce.protect('commerce.order_versions');
    revoke update, delete on commerce.order_versions from commerce_app;
    alter table commerce.orders
      add column edits integer not null default 0,
      -- Set by the first edit of the paid order: what was neither received nor due then, because a capture had released it.
      add column released numeric;
    alter table commerce.order_lines
      drop constraint order_lines_quantity_check,
      add constraint order_lines_quantity_check check (quantity >= 0);
    alter table commerce.refunds
      add column overpaid numeric not null default 0,
      add constraint overpaid_at_most check (overpaid between 0 and amount);
    update commerce.refunds f set overpaid = known.overpaid from (
      select r.site_id, r.id, case when o.payment_status = 'expired' then r.amount
          else least(r.amount, greatest(0, o.captured - (o.total - o.credited) + r.amount - sum(r.amount) over (
            partition by r.site_id, r.order_id order by r.created_at, r.id))) end as overpaid
      from commerce.refunds r join commerce.orders o on o.site_id = r.site_id and o.id = r.order_id
      left join commerce.payment_moves m on m.site_id = r.site_id and m.id = r.id
      where (o.payment_status = 'expired' or o.captured > o.total - o.credited) and m.status is distinct from 'failed'
    ) known
    where f.site_id = known.site_id and f.id = known.id and known.overpaid > 0;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.refunds drop column overpaid;
    alter table commerce.order_lines
      drop constraint order_lines_quantity_check,
      add constraint order_lines_quantity_check check (quantity > 0) not valid;
    alter table commerce.orders drop column edits, drop column released;
    drop table commerce.order_versions;
  `);
}
