import type pg from 'pg';
import type { TableColumns } from '../../backup/format.ts';

/**
 * Defines which data of a site moves with it. All tables of the live schema with a column `site_id` move completely, so
 * that none is forgotten, unless they are listed here with the reason. Whoever adds a table in a migration decides
 * whether to list it.
 */
export const LEFT_OUT: Record<string, string> = {
  agent_consent_links: 'links to requests for consent, which live for minutes',
  agent_consents: 'requests for consent, which live for minutes; what was granted is in agent_tokens',
  audit_seals: 'made anew with the key of the server that imports',
  authorization_requests: 'requests for consent, which live for minutes',
  catalog_schedule: 'written again as products and collections arrive',
  checkout_links: 'secrets; open checkouts get new ones',
  customer_codes: 'secrets of links in mails, which lead to the server that sent them',
  customer_registrations: 'unfinished, and finished only by a link in a mail',
  customer_tokens: 'sessions',
  event_listeners: 'connections to the server that exports',
  events: 'deliveries stay with the server that made them, and nothing is delivered twice',
  idempotency_keys: 'answers of the server that exports',
  login_unlocks: 'secrets of links in mails, which lead to the server that sent them',
  low_stock_notices: 'mails that the server that exports has queued',
  order_links: 'secrets of links in mails, which lead to the server that sent them',
  payment_accounts: 'secrets of the payment provider, which are entered again',
  product_changes: 'numbered by the transactions of a cluster; integrations begin anew',
  staff_invitations: 'secrets of links in mails, which lead to the server that sent them',
  ucp_requests: 'answers of the server that exports',
  webhook_attempts: 'deliveries stay with the server that made them',
  webhook_deliveries: 'deliveries stay with the server that made them',
};

/**
 * Columns that do not move: secrets, the state on this server, transaction numbers of this database cluster, and
 * counters.
 */
const LEFT_COLUMNS: Record<string, string[]> = {
  audit_events: ['key_id', 'hmac'],
  file_usage: ['bytes'],
  files: ['token_hash'],
  payments: ['next_action'],
  sites: ['delete_at', 'delete_begun_at', 'delete_forced', 'moved_at'],
  tokens: ['token_hash'],
  variants: ['stock_changed_in', 'quantity_before', 'available_before'],
  webhooks: ['secret', 'secret_hash', 'previous_secret', 'previous_secret_expires_at', 'made_by'],
};

/** Columns that do not move but that the importing server fills. */
export const FILLED_COLUMNS: Record<string, string[]> = {
  audit_events: ['key_id', 'hmac'],
  files: ['token_hash'],
  tokens: ['token_hash'],
  webhooks: ['secret', 'secret_hash'],
};

/** The logins of a site's members, without passwords. The table belongs to no site. */
export const STAFF: TableColumns = { table: 'commerce.staff', columns: ['id', 'email', 'name'] };

/** The name of a table without its schema. */
export function bareName(table: string): string {
  return table.replace(/^commerce\./, '');
}

/** The tables that move, with the columns that move, `staff` first. The names are quoted. */
export async function movedTables(client: pg.ClientBase): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns & { name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, c.relname as name,
        array_agg(quote_ident(a.attname) order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where n.nspname = 'commerce' and c.relkind in ('r', 'p') and not c.relispartition
      group by n.nspname, c.relname having bool_or(a.attname = 'site_id') order by 1`,
  );
  const moved = rows.filter(({ name }) => !(name in LEFT_OUT));
  const kept = ({ table, name, columns }: TableColumns & { name: string }) => ({
    table,
    columns: columns.filter((column) => !LEFT_COLUMNS[name]?.includes(column)),
  });
  return [STAFF, ...moved.map(kept)];
}
