import type { Knex } from 'knex';

/**
 * What agents may spend in a week or a month, and on one order. Periods are counted from the consent, in UTC: months from the 31st
 * end on the last day of shorter ones, and on the 31st again where there is one. A token knows the period that its spending
 * belongs to, so that the first purchase of a new one starts from 0 in the UPDATE that it makes anyway.
 *
 * And an agent can ask for a consent that takes the place of the one that it has.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`select set_config('app.site_id', '00000000-0000-0000-0000-000000000000', true)`);
  await knex.raw(`
    -- First, for requests lock it before all other tables.
    lock table commerce.sites in access exclusive mode;

    -- The number of the period at a moment: 0 for the first, and always 0 for a budget without periods.
    create function commerce.budget_period_at(period text, since timestamptz, moment timestamptz) returns integer
      language sql immutable parallel safe
    return case period
      when 'week' then greatest(0, floor(extract(epoch from moment - since) / 604800)::integer)
      when 'month' then (
        select greatest(0, months - (began + months * interval '1 month' > present)::integer)
        from (select since at time zone 'UTC' as began, moment at time zone 'UTC' as present) as utc cross join lateral (
          select ((extract(year from present) - extract(year from began)) * 12
            + extract(month from present) - extract(month from began))::integer as months) as counted)
      else 0 end;

    -- When a period begins; null for a budget without periods.
    create function commerce.budget_period_start(period text, since timestamptz, number integer) returns timestamptz
      language sql immutable parallel safe
    return case period
      when 'week' then (since at time zone 'UTC' + number * interval '7 days') at time zone 'UTC'
      when 'month' then (since at time zone 'UTC' + number * interval '1 month') at time zone 'UTC' end;

    alter table commerce.agent_tokens
      add column max_per_order_cents bigint check (max_per_order_cents >= 0),
      add column budget_period text not null default 'once' check (budget_period in ('once', 'week', 'month')),
      -- When the customer consented: where the periods begin.
      add column budget_since timestamptz not null default now(),
      -- The period of budget_used_cents. Once it is over, nothing of the present one has been used.
      add column period_number integer not null default 0 check (period_number >= 0),
      add column spent_total_cents bigint not null default 0 check (spent_total_cents >= 0);
    alter table commerce.agent_tokens no force row level security;
    update commerce.agent_tokens set spent_total_cents = budget_used_cents where budget_used_cents > 0;
    alter table commerce.agent_tokens force row level security;

    -- The period of the agent's budget that the order was paid from.
    alter table commerce.orders add column agent_period_number integer not null default 0;

    alter table commerce.agent_consents
      add column max_per_order_cents bigint check (max_per_order_cents >= 0),
      add column budget_period text not null default 'once' check (budget_period in ('once', 'week', 'month')),
      add column approved_at timestamptz,
      -- The token that the new one takes the place of.
      add column replaces_token_id uuid,
      add foreign key (site_id, replaces_token_id) references commerce.agent_tokens;
    create index agent_consents_replacing on commerce.agent_consents (site_id, replaces_token_id)
      where replaces_token_id is not null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    lock table commerce.sites in access exclusive mode;
    alter table commerce.agent_consents drop column max_per_order_cents, drop column budget_period, drop column approved_at,
      drop column replaces_token_id;
    alter table commerce.orders drop column agent_period_number;
    alter table commerce.agent_tokens drop column max_per_order_cents, drop column budget_period, drop column budget_since,
      drop column period_number, drop column spent_total_cents;
    drop function commerce.budget_period_start;
    drop function commerce.budget_period_at;
  `);
}
