import type pg from 'pg';
import type { TableColumns } from '../../backup/format.ts';

/**
 * Tables that do not move with a site, with the reason. All other tables with a column `site_id` move, so that none is
 * forgotten.
 */
export const LEFT_OUT: Record<string, string> = {
  agent_consent_links: 'links to requests for consent, which live for minutes',
  agent_consents: 'requests for consent, which live for minutes; what was granted is in agent_tokens',
  assistant_actions: 'questions to staff, which live for minutes',
  assistants: 'logins of programs at the server that exports; members connect them again',
  audit_checkpoints: 'belongs to the chain of seals, which is created again with the key of the server that imports',
  audit_seals: 'created again with the key of the server that imports',
  authorization_requests: 'requests for consent, which live for minutes',
  catalog_schedule: 'written again as products and collections arrive',
  event_listeners: 'connections to the server that exports',
  login_unlocks: 'secrets of links in mails about throttled logins, which live for an hour',
  public_tool_calls: 'calls to the server that exports, kept for 30 days',
  product_changes: 'numbered by the transactions of a cluster; integrations start again',
  signing_keys: 'secrets, which the header of an encrypted export contains; otherwise the shop creates a new key',
};

/** Tables that move only in an encrypted export (`--keep-secrets`), with the reason why they do not move otherwise. */
export const SECRET_TABLES: Record<string, string> = {
  checkout_links: 'secrets; open checkouts get new ones',
  customer_codes: 'secrets of links in mails, which lead to the server that sent them',
  customer_registrations: 'unfinished, and finished only by a link in a mail',
  customer_tokens: 'sessions',
  events: 'deliveries stay with the server that made them, and nothing is delivered twice',
  idempotency_keys: 'answers of the server that exports',
  low_stock_notices: 'mails that the server that exports has queued',
  order_links: 'secrets of links in mails, which lead to the server that sent them',
  payment_accounts: 'secrets of the payment provider, which are entered again',
  staff_invitations: 'secrets of links in mails, which lead to the server that sent them',
  ucp_requests: 'answers of the server that exports',
  webhook_attempts: 'deliveries stay with the server that made them',
  webhook_deliveries: 'deliveries stay with the server that made them',
};

/** Column names by table. */
type Columns = Record<string, string[]>;

/**
 * Columns that never move: secrets that SECRET_KEY encrypts, signatures, the state on this server, transaction numbers
 * of this database cluster, and counters.
 */
const LEFT_COLUMNS: Columns = {
  audit_events: ['key_id', 'hmac'],
  events: ['made_in'],
  file_usage: ['bytes'],
  payment_accounts: ['secret_key', 'webhook_secret'],
  payments: ['next_action'],
  sites: ['delete_at', 'delete_begun_at', 'delete_forced', 'moved_at'],
  variants: ['stock_changed_in', 'quantity_before', 'available_before'],
  webhooks: ['secret', 'secret_hash', 'previous_secret'],
};

/** Columns that move only in an encrypted export. */
const SECRET_COLUMNS: Columns = {
  // Only the server to which a shop moves notifies UCP platforms of its orders, not a copy of it.
  agent_profiles: ['webhook_url'],
  checkouts: ['platform_id'],
  files: ['token_hash'],
  tokens: ['token_hash'],
  webhooks: ['previous_secret_expires_at', 'made_by'],
};

/** Returns the columns that do not move and that the importing server fills. */
export function filledColumns(table: string, keepsSecrets: boolean): string[] {
  if (table === 'audit_events') return ['key_id', 'hmac'];
  if (keepsSecrets) return LEFT_SECRETS[table] ?? [];
  return { files: ['token_hash'], tokens: ['token_hash'], webhooks: ['secret', 'secret_hash'] }[table] ?? [];
}

const LEFT_SECRETS: Columns = {
  payment_accounts: ['secret_key', 'webhook_secret'],
  webhooks: ['secret', 'secret_hash', 'previous_secret'],
};

/** The columns with staff ids, even of former members. */
export const STAFF_IDS: [table: string, column: string][] = [
  ['staff_memberships', 'staff_id'],
  ['staff_memberships', 'invited_by'],
  ['tokens', 'created_by'],
  ['tokens', 'revoked_by'],
  ['audit_events', 'actor_id'],
  ['order_events', 'actor_id'],
  ['stock_movements', 'actor_id'],
  ['refunds', 'actor_id'],
  ['order_payments', 'actor_id'],
  ['order_versions', 'actor_id'],
  ['draft_orders', 'actor_id'],
  ['returns', 'actor_id'],
];

/** The logins of a site's staff, without passwords. The table belongs to no site. */
export const STAFF: TableColumns = { table: 'commerce.staff', columns: ['id', 'email', 'name'] };

export function bareName(table: string): string {
  return table.replace(/^commerce\./, '');
}

/** The tables that move, with the columns that move, `staff` first. The names are quoted. */
export async function movedTables(client: pg.ClientBase, keepsSecrets = false): Promise<TableColumns[]> {
  const { rows } = await client.query<TableColumns & { name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as table, c.relname as name,
        array_agg(quote_ident(a.attname) order by a.attnum) as columns
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where n.nspname = 'commerce' and c.relkind in ('r', 'p') and not c.relispartition
      group by n.nspname, c.relname having bool_or(a.attname = 'site_id') order by 1`,
  );
  const moved = rows.filter(({ name }) => !(name in LEFT_OUT) && (keepsSecrets || !(name in SECRET_TABLES)));
  const left = (name: string) => [...(LEFT_COLUMNS[name] ?? []), ...((!keepsSecrets && SECRET_COLUMNS[name]) || [])];
  const kept = ({ table, name, columns }: TableColumns & { name: string }) => ({
    table,
    columns: columns.filter((column) => !left(name).includes(column)),
  });
  return [STAFF, ...moved.map(kept)];
}
