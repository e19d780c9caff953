import type { Knex } from 'knex';

/**
 * Adds the processing state of statements of withdrawal. Pieces that a statement covers and that have not shipped are
 * withheld: they cannot ship until staff confirm the withdrawal, which removes and refunds them, or close it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table commerce.withdrawals (
      site_id uuid not null,
      -- That of the statement.
      id uuid not null,
      status text not null default 'received' check (status in ('received', 'unmatched', 'to_confirm', 'closed')),
      order_id uuid,
      return_id uuid,
      late boolean not null default false,
      closed_at timestamptz,
      primary key (site_id, id),
      constraint withdrawal_closed check ((status = 'closed') = (closed_at is not null)),
      foreign key (site_id, id) references commerce.withdrawal_statements (site_id, id),
      foreign key (site_id, order_id) references commerce.orders (site_id, id),
      foreign key (site_id, return_id) references commerce.returns (site_id, id)
    );
    create index withdrawals_newest on commerce.withdrawals (site_id, id desc);
    create index withdrawals_of_order on commerce.withdrawals (site_id, order_id) where order_id is not null;
    create table commerce.withdrawal_lines (
      site_id uuid not null,
      withdrawal_id uuid not null,
      line_id uuid not null,
      -- The unshipped pieces that it withholds, and those that staff confirmed.
      quantity integer not null check (quantity > 0),
      confirmed integer not null default 0,
      primary key (site_id, withdrawal_id, line_id),
      constraint pieces_confirmed check (confirmed between 0 and quantity),
      foreign key (site_id, withdrawal_id) references commerce.withdrawals (site_id, id),
      foreign key (site_id, line_id) references commerce.order_lines (site_id, id)
    );
    create index withdrawal_lines_of on commerce.withdrawal_lines (site_id, line_id);
    call commerce.protect('commerce.withdrawals');
    call commerce.protect('commerce.withdrawal_lines');
    alter table commerce.order_lines
      -- Unshipped pieces that open withdrawals withhold.
      add column withheld integer not null default 0,
      drop constraint pieces_to_fulfill,
      add constraint pieces_to_fulfill check (
        fulfilled >= 0 and removed >= 0 and withheld >= 0 and fulfilled + removed + withheld <= quantity);
    alter table commerce.returns
      add constraint withdrawal_without_fee check (kind <> 'withdrawal' or fee = 0);
    create index orders_numbered on commerce.orders (site_id, lower(order_number));
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index commerce.orders_numbered;
    alter table commerce.returns drop constraint withdrawal_without_fee;
    alter table commerce.order_lines
      drop constraint pieces_to_fulfill,
      add constraint pieces_to_fulfill check (fulfilled >= 0 and removed >= 0 and fulfilled + removed <= quantity),
      drop column withheld;
    drop table commerce.withdrawal_lines;
    drop table commerce.withdrawals;
  `);
}
