import type { Knex } from 'knex';

/** Sends document.issued for each invoice and credit note. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.tell_document() returns trigger language plpgsql as $$
    begin
      perform commerce.emit(new.site_id, 'document.issued', new.id,
        jsonb_build_object('id', new.id, 'kind', new.kind, 'number', new.number, 'order_id', new.order_id,
          'order_number', new.content -> 'order' ->> 'number', 'issued_at', commerce.iso(new.issued_at)));
      return null;
    end $$;
    create constraint trigger tell_document after insert on commerce.documents deferrable initially deferred for each row
      execute function commerce.tell_document();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_document on commerce.documents;
    drop function commerce.tell_document();
  `);
}
