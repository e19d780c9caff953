import type { Knex } from 'knex';
import { createAgents } from './baseline/agents.ts';
import { createCatalogueChanges } from './baseline/catalogue-changes.ts';
import { createCheckout } from './baseline/checkout.ts';
import { createColumns } from './baseline/columns.ts';
import { createCustomers } from './baseline/customers.ts';
import { createEvents } from './baseline/events.ts';
import { createJobs } from './baseline/jobs.ts';
import { createLaterReferences } from './baseline/later-references.ts';
import { createOrders } from './baseline/orders.ts';
import { createPayments } from './baseline/payments.ts';
import { createProductSearch } from './baseline/product-search.ts';
import { createProducts } from './baseline/products.ts';
import { createReports } from './baseline/reports.ts';
import { createRights } from './baseline/rights.ts';
import { createSearch } from './baseline/search.ts';
import { createSites } from './baseline/sites.ts';
import { createStaff } from './baseline/staff.ts';
import { createWebhooks } from './baseline/webhooks.ts';

/**
 * The schema of the migrations 0001 to 0195 in one step; `db/baseline.ts` handles databases that ran those. Keys of
 * tenant tables begin with `site_id`, so the schema can be sharded by it. Money is `numeric` with exactly the digits of
 * the currency. Tables that requests read to find their tenant (sites, tokens, staff…) have no row-level security.
 */
export async function up(knex: Knex): Promise<void> {
  await createExtensions(knex);
  await createRoles(knex);
  await createColumns(knex);

  await createSites(knex);
  await createStaff(knex);
  await createProducts(knex);
  await createProductSearch(knex);
  await createCustomers(knex);
  await createCheckout(knex);
  await createOrders(knex);
  await createPayments(knex);
  await createAgents(knex);
  await createWebhooks(knex);
  await createLaterReferences(knex);

  await createJobs(knex);
  await createEvents(knex);
  await createCatalogueChanges(knex);
  await createSearch(knex);
  await createReports(knex);
  await createRights(knex);
}

async function createExtensions(knex: Knex): Promise<void> {
  await knex.raw(`
    create extension if not exists pg_trgm;
    create extension if not exists unaccent;
    create extension if not exists fuzzystrmatch;
    create extension if not exists btree_gin;

    create schema if not exists commerce;
    create text search configuration commerce.shop (copy = pg_catalog.english);
    alter text search configuration commerce.shop
      alter mapping for hword, hword_part, word with public.unaccent, english_stem;
  `);
}

/**
 * `commerce_app` runs requests and owns nothing. `commerce_search` owns the search functions. `commerce_sweep` deletes
 * expired rows of all tenants; its policies show only such rows. `roles.ts` creates the roles for backups.
 */
async function createRoles(knex: Knex): Promise<void> {
  for (const role of ['commerce_app', 'commerce_search', 'commerce_sweep']) {
    await knex.raw(`
      do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then create role ${role} nologin; end if;
      exception when duplicate_object or unique_violation then null;
      end $$;
      -- If an administrator created the role, the login may be a member without the right to grant it.
      do $$ begin grant ${role} to current_user; exception when insufficient_privilege then null; end $$;
      grant usage on schema commerce to ${role};
    `);
  }
  await knex.raw(`
    grant select on public.commerce_migrations to commerce_app;
    alter default privileges in schema commerce grant select, insert, update, delete on tables to commerce_app;
    alter default privileges in schema commerce grant usage on sequences to commerce_app;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop schema commerce cascade');
}
