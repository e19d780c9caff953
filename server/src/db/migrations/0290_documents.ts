import type { Knex } from 'knex';

/**
 * Invoices and credit notes. The server's login can add and read them, and cannot change or delete them. Numbers have
 * no gaps, because the counter, the number and the content are written in one transaction.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table commerce.site_settings add column invoicing jsonb not null default '{}';
    create table commerce.document_counters (
      site_id uuid not null,
      -- Prefix and year.
      series text not null,
      last integer not null check (last > 0),
      primary key (site_id, series),
      foreign key (site_id) references commerce.sites (site_id)
    );
    create table commerce.documents (
      site_id uuid not null,
      id uuid not null,
      order_id uuid not null,
      kind text not null check (kind in ('invoice', 'credit_note')),
      number text not null,
      -- The invoice that a credit note lowers.
      invoice_id uuid,
      issued_at timestamptz not null default now(),
      locale text not null,
      content jsonb not null,
      -- The hash of the content's text, which PostgreSQL writes the same way each time.
      sha256 text not null,
      primary key (site_id, id),
      constraint document_number_taken unique (site_id, number),
      constraint credit_note_of_invoice check ((kind = 'credit_note') = (invoice_id is not null)),
      foreign key (site_id, order_id) references commerce.orders (site_id, id),
      foreign key (site_id, invoice_id) references commerce.documents (site_id, id)
    );
    create index documents_of on commerce.documents (site_id, order_id, id);
    create index documents_issued on commerce.documents (site_id, issued_at);
    call commerce.protect('commerce.document_counters');
    call commerce.protect('commerce.documents');
    revoke update, delete on commerce.documents from commerce_app;
    revoke delete on commerce.document_counters from commerce_app;

    -- An invoice follows a change of the order's status, so that a later change of an old order issues none.
    create function commerce.notice_documents() returns trigger language plpgsql as $$
    begin
      if exists (select from commerce.documents d where d.site_id = new.site_id and d.order_id = new.id)
        or exists (
          select from commerce.site_settings t where t.site_id = new.site_id and t.invoicing <> '{}'
            and case coalesce(t.invoicing ->> 'issue', 'on_fulfillment')
              when 'on_fulfillment' then new.fulfillment_status in ('fulfilled', 'delivered')
                and new.fulfillment_status is distinct from old.fulfillment_status
              when 'on_payment' then new.payment_status in ('paid', 'partially_refunded')
                and coalesce(old.payment_status, '') not in ('paid', 'partially_refunded', 'refunded')
              else false end)
      then
        perform commerce.enqueue('issue_documents', json_build_object('site_id', new.site_id, 'order_id', new.id), now());
      end if;
      return null;
    end $$;
    -- Orders that are paid when they are placed, such as by card. Imported orders were invoiced elsewhere.
    create trigger notice_paid_orders after insert on commerce.orders for each row
      when (new.payment_status = 'paid' and new.source <> 'import')
      execute function commerce.notice_documents();
    -- Each change sets updated_at to the start of its transaction, so that a second change in it does not change it again.
    create trigger notice_documents after update on commerce.orders for each row
      when (old.updated_at is distinct from new.updated_at or old.status is distinct from new.status
        or old.fulfillment_status is distinct from new.fulfillment_status
        or old.payment_status is distinct from new.payment_status or old.credited is distinct from new.credited)
      execute function commerce.notice_documents();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger notice_paid_orders on commerce.orders;
    drop trigger notice_documents on commerce.orders;
    drop function commerce.notice_documents();
    drop table commerce.documents;
    drop table commerce.document_counters;
    alter table commerce.site_settings drop column invoicing;
  `);
}
