import type { Knex } from 'knex';

/**
 * Sends customer.updated when data in a customer's event changes, including the address book. A customer created in the
 * same transaction sends only customer.created. Imported and anonymised customers send neither.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create function commerce.tell_customer_update() returns trigger language plpgsql as $$
    declare
      changed jsonb := case tg_op when 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
      c commerce.customers;
    begin
      select * into c from commerce.customers where site_id = (changed ->> 'site_id')::uuid
        and id = coalesce(changed ->> 'customer_id', changed ->> 'id')::uuid;
      if not found or c.anonymized_at is not null or now() in (c.created_at, c.imported_at) then return null; end if;
      perform commerce.emit(c.site_id, 'customer.updated', c.id,
        jsonb_build_object('id', c.id, 'created_at', commerce.iso(c.created_at)));
      return null;
    end $$;
    create constraint trigger tell_customer_update after update on commerce.customers deferrable initially deferred for each row
      when ((old.email, old.first_name, old.last_name, old.phone, old.marketing_opt_in, old.email_verified_at, old.metadata,
          old.note, old.locale, old.password_hash is null)
        is distinct from (new.email, new.first_name, new.last_name, new.phone, new.marketing_opt_in, new.email_verified_at,
          new.metadata, new.note, new.locale, new.password_hash is null))
      execute function commerce.tell_customer_update();
    create constraint trigger tell_customer_update after insert or update or delete on commerce.customer_addresses
      deferrable initially deferred for each row execute function commerce.tell_customer_update();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop trigger tell_customer_update on commerce.customer_addresses;
    drop trigger tell_customer_update on commerce.customers;
    drop function commerce.tell_customer_update();
  `);
}
