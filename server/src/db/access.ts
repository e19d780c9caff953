/**
 * The privileges and policies of all database roles except the owner of the tables. Migrations grant them. A restored
 * dump may lack the roles and with them their grants and policies, so they are listed here again; `roles.ts` and
 * `mend-access.ts` add the missing ones. When a migration grants a privilege, add it here too; a test compares the two.
 */

export interface TableRight {
  role: string;
  /** Table name with schema. */
  table: string;
  rights: readonly Right[];
}

export type Right = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE';

export interface Policy {
  table: string;
  name: string;
  role: string;
  command: 'select' | 'all';
  using: string;
}

/** Roles without which the server does not start. */
export const SERVER_ROLES = ['commerce_app', 'commerce_search', 'commerce_sweep'];

/**
 * The role that reads all rows for backups. Row-level security applies even to the owner of the tables. Policies let
 * this role read every row, because an ordinary login cannot create a role with BYPASSRLS.
 */
export const BACKUP_ROLE = 'commerce_backup';

/**
 * Members of this role may switch to commerce_backup. The role is NOINHERIT, so that the server's login, which is a
 * member, sees all rows only after an explicit switch. PostgreSQL 15 cannot express that for a single grant.
 */
export const BACKUP_MEMBERS = 'commerce_backup_members';

const READ = ['SELECT'] as const;
const ADD = ['SELECT', 'INSERT'] as const;
const WRITE = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] as const;
const SWEEP = ['SELECT', 'DELETE'] as const;

/** Tables on which commerce_app has fewer privileges than on the others. */
const APP_EXCEPTIONS: Record<string, readonly Right[]> = {
  audit_checkpoints: READ,
  audit_events: ADD,
  audit_keys: ['SELECT', 'INSERT', 'UPDATE'],
  audit_seals: READ,
  change_eras: READ,
  disputes: ['SELECT', 'INSERT', 'UPDATE'],
  document_counters: ['SELECT', 'INSERT', 'UPDATE'],
  documents: ADD,
  operator_audit_events: [],
  operator_keys: [],
  order_events: ADD,
  order_payments: ADD,
  order_versions: ADD,
  payment_events: ADD,
  public_tool_calls: ADD,
  refund_items: ADD,
  refunds: ADD,
  site_domains: READ,
  site_receivers: [],
  stock_movements: ADD,
  withdrawal_statements: ADD,
};

const SWEEP_RIGHTS: Record<string, readonly Right[]> = {
  agent_consents: SWEEP,
  assistant_actions: SWEEP,
  assistants: SWEEP,
  audit_events: READ,
  audit_keys: READ,
  audit_seals: ADD,
  carts: READ,
  catalog_schedule: SWEEP,
  change_eras: READ,
  checkouts: READ,
  customer_codes: SWEEP,
  customer_registrations: SWEEP,
  customer_tokens: SWEEP,
  discount_redemptions: READ,
  event_listeners: SWEEP,
  events: SWEEP,
  files: READ,
  idempotency_keys: SWEEP,
  login_throttles: SWEEP,
  login_unlocks: SWEEP,
  oauth_clients: SWEEP,
  order_events: READ,
  order_links: SWEEP,
  orders: READ,
  payment_moves: READ,
  payments: READ,
  product_changes: SWEEP,
  product_sales: READ,
  rate_counts: SWEEP,
  sites: READ,
  staff_invitations: SWEEP,
  staff_sessions: SWEEP,
  ucp_requests: SWEEP,
  webhook_attempts: SWEEP,
  webhook_deliveries: SWEEP,
};

/** Tables that the search functions read. */
const SEARCHED = ['customers', 'fulfillments', 'order_lines', 'orders', 'product_search', 'products', 'variants'];

/** The privileges on the given tables of the schema `commerce`. */
export function tableRights(tables: string[]): TableRight[] {
  return tables.flatMap((name) => {
    const table = `commerce.${name}`;
    const app = { role: 'commerce_app', table, rights: APP_EXCEPTIONS[name] ?? WRITE };
    const sweep = SWEEP_RIGHTS[name];
    const search = SEARCHED.includes(name) ? [{ role: 'commerce_search', table, rights: READ }] : [];
    return [app, ...(sweep ? [{ role: 'commerce_sweep', table, rights: sweep }] : []), ...search];
  });
}

/** Policies that apply to a single role. Tenant policies apply to every role, and are created with the tables. */
export const POLICIES: Policy[] = [
  due('audit_events', 'true'),
  sweep('audit_seals', 'true'),
  sweep('agent_consents', `expires_at <= now() - interval '1 day'`),
  sweep('assistant_actions', `expires_at <= now() - interval '1 day'`),
  sweep('customer_codes', `expires_at <= now() - interval '1 day'`),
  sweep('customer_registrations', `created_at <= now() - interval '7 days'`),
  sweep('event_listeners', `expires_at <= now() - interval '1 hour'`),
  sweep('events', `created_at <= now() - interval '30 days'`),
  sweep('idempotency_keys', `completed_at <= now() - interval '24 hours'`),
  sweep('oauth_clients', `expires_at <= now() - interval '1 day'`),
  sweep('product_changes', 'true'),
  sweep('ucp_requests', `created_at <= now() - interval '25 hours'`),
  { ...sweep('webhook_deliveries', 'true'), command: 'select' },
  due('carts', `status = 'active' and expires_at <= now()`),
  due(
    'checkouts',
    `reserved_until <= now() or (status in ('open', 'ready', 'requires_escalation') and expires_at <= now())`,
  ),
  due('discount_redemptions', `status = 'reserved' and expires_at <= now()`),
  due('files', 'true'),
  due('order_events', `created_at > now() - interval '180 days'`),
  sweep('order_links', `created_at <= now() - interval '180 days'`),
  due(
    'orders',
    `(payment_status = 'awaiting_payment'
        and (payment_due_at <= now() or (payment_reminded_at is null and payment_reminder_at <= now())))
      or (payment_terms_days is not null and payment_status = 'pending' and payment_reminded_at is null
        and payment_reminder_at <= now())`,
  ),
  due('payment_moves', `status = 'pending'`),
  due(
    'payments',
    `status in ('pending', 'authorized', 'abandoned')
      or (order_id is null and status in ('started', 'requires_action', 'succeeded'))
      or (purpose = 'amount_due' and status in ('started', 'requires_action'))`,
  ),
  due('product_sales', 'true'),
  ...SEARCHED.map(searched),
];

function sweep(name: string, using: string): Policy {
  return { table: `commerce.${name}`, name: 'sweep', role: 'commerce_sweep', command: 'all', using };
}

function due(name: string, using: string): Policy {
  return { table: `commerce.${name}`, name: 'due', role: 'commerce_sweep', command: 'select', using };
}

function searched(name: string): Policy {
  return { table: `commerce.${name}`, name: 'search_reads', role: 'commerce_search', command: 'select', using: 'true' };
}

/** The policy that lets backups read a table with row-level security. */
export function backupPolicy(table: string): Policy {
  return { table, name: 'backup', role: BACKUP_ROLE, command: 'select', using: 'true' };
}

/** Functions and procedures that run as their owner. Only commerce_app may call them. */
export const REQUEST_FUNCTIONS = [
  'begin_era',
  'enqueue',
  'enqueue_all',
  'enqueue_delivery',
  'enqueue_deliveries',
  'enqueue_file',
  'erase_audit_details',
  'erase_payment_references',
  'queue_state',
  'standby_state',
];

/**
 * Functions that run as commerce_search. Everyone may call them, because they return only ids of the current tenant.
 */
export const SEARCH_FUNCTIONS = [
  'search_products',
  'search_orders',
  'search_customers',
  'search_variants',
  'search_codes',
];
