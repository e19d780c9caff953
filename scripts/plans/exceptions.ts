import type { Finding } from './judge.ts';

/**
 * Statements that the check ignores, with the reason, by the files that send them. An unused exception fails the check.
 */
export interface Exception {
  from: string[];
  kinds: Finding['kind'][];
  /** Tables to which the exception applies; undefined means all. */
  tables?: string[];
  why: string;
}

/** Files whose statements run as commerce_sweep for all sites in one statement. */
export const SWEEPS = ['jobs/sweep.ts', 'jobs/buying.ts', 'jobs/seal-audit.ts', 'shop/audit/seals.ts'];

/** Files whose statements run as the owner of the tables, which may delete rows that commerce_app may not delete. */
export const OWNERS = ['jobs/retention.ts', 'shop/audit/deletion.ts'];

/**
 * Folders and files of operators' commands: migrations, backups, doctor, deletion of sites, operators' keys and lists.
 * They connect as the owner of the tables and read the whole database or PostgreSQL's catalogue.
 */
export const COMMANDS = [
  'backup/',
  'commands/',
  'db/',
  'shop/sites/',
  'shop/operators/',
  'shop/audit/adoption.ts',
  'shop/merchant/site-list.ts',
];

export const EXCEPTIONS: Exception[] = [
  { from: ['jobs/sweep.ts'], kinds: ['site', 'index'], why: 'Removes what has expired, of all sites, in batches.' },
  { from: ['jobs/buying.ts'], kinds: ['site', 'index'], why: 'Asks once a minute which sites have something due.' },
  {
    from: ['jobs/seal-audit.ts'],
    kinds: ['site', 'index'],
    why: 'Reads the newest rows of the audit of all sites, twice a minute.',
  },
  {
    from: ['shop/audit/keys.ts'],
    kinds: ['index'],
    tables: ['audit_keys'],
    why: 'One key, seldom more, for all sites: once when a process starts, and by commands.',
  },
  {
    from: ['demo/stored.ts'],
    kinds: ['site', 'index'],
    tables: ['sites'],
    why: 'Asks at the start whether there is any shop at all.',
  },
  {
    from: ['jobs/index-products.ts', 'jobs/learn-meanings.ts', 'jobs/retention.ts'],
    kinds: ['site', 'index'],
    tables: ['sites'],
    why: 'Goes through all sites: after an upgrade, and every ten minutes.',
  },
  {
    from: ['shop/merchant/second-factor.ts'],
    kinds: ['index'],
    tables: ['staff_second_factors'],
    why: 'The command that changes SECRET_KEY encrypts the secrets of all staff again.',
  },
  {
    from: ['shop/catalog/facets.ts'],
    kinds: ['index'],
    tables: ['products', 'product_options'],
    why: 'Counts all products that the shop shows, so that each filter reads what a list without filters reads anyway.',
  },
  {
    from: ['search/rank/browse.ts'],
    kinds: ['index'],
    tables: ['products', 'product_options'],
    why: 'A search by filters only checks every product that the caller may see; the options are those of one product.',
  },
  {
    from: ['search/rank/candidates.ts', 'shop/agents/buying.ts'],
    kinds: ['index'],
    tables: ['product_options'],
    why: 'The options are those of one product, found by its id.',
  },
  {
    from: ['jobs/send-mail.ts'],
    kinds: ['site', 'index'],
    tables: ['sites', 'staff_memberships'],
    why: 'A mail about a login names a shop that its owner works for.',
  },
  {
    from: ['http/callers/callers.ts', 'http/callers/shared-look-ups.ts'],
    kinds: ['site'],
    tables: ['tokens', 'customer_tokens', 'sites'],
    why: 'The secret of a credential, unique in all sites, tells the site.',
  },
  {
    from: ['http/callers/callers.ts'],
    kinds: ['site', 'index'],
    tables: ['sites', 'staff_memberships'],
    why: 'A session of staff tells the person: the sites are those where they work.',
  },
  {
    from: ['http/callers/callers.ts', 'shop/agents/assistants.ts'],
    kinds: ['site'],
    tables: ['assistants', 'staff_memberships', 'sites'],
    why: 'The secret of an assistant or of its code, unique in all sites, tells the site.',
  },
  {
    from: ['shop/merchant/staff-passwords.ts'],
    kinds: ['site', 'index'],
    tables: ['assistants'],
    why: 'A new password ends the assistants of the person in all sites.',
  },
  {
    from: ['http/pipeline/own-account.ts'],
    kinds: ['site', 'index'],
    tables: ['staff_memberships'],
    why: 'A change that a person makes to their own login is reported to each shop that they work for.',
  },
  {
    from: ['shop/merchant/staff.ts'],
    kinds: ['site', 'index'],
    tables: ['sites', 'staff_memberships'],
    why: 'The sites where a person works.',
  },
  {
    from: ['shop/merchant/invitations.ts'],
    kinds: ['site', 'index'],
    tables: ['staff_invitations', 'sites'],
    why: 'The token of an invitation, unique in all sites, tells the site.',
  },
  {
    from: ['http/callers/open-callers.ts'],
    kinds: ['site'],
    tables: ['agent_consent_links', 'sites'],
    why: 'The token of a link, unique in all sites, tells the site.',
  },
  {
    from: ['shop/checkout/links.ts'],
    kinds: ['site'],
    tables: ['checkout_links', 'sites'],
    why: 'The token of a link, unique in all sites, tells the site.',
  },
  {
    from: ['shop/login-unlocks.ts'],
    kinds: ['site', 'index'],
    tables: ['login_unlocks'],
    why: 'The hash of a link, or of the login that it is for, is unique in all sites; a login of staff has none.',
  },
  {
    from: ['shop/merchant/domains.ts'],
    kinds: ['site', 'index'],
    tables: ['site_domains'],
    why: 'The hosts of all sites, which each process keeps: once every five seconds.',
  },
  {
    from: ['http/pipeline/audit.ts'],
    kinds: ['site'],
    tables: ['tokens'],
    why: 'The token of an agent that was refused, unique in all sites, tells the site.',
  },
  {
    from: ['shop/products/list.ts'],
    kinds: ['index'],
    tables: ['products', 'product_options'],
    why: 'Prices are compared for all products that are counted; the options are those of one product.',
  },
  {
    from: ['shop/orders/guest-orders.ts', 'shop/orders/links.ts', 'shop/customers/erasure.ts'],
    kinds: ['index'],
    tables: ['orders'],
    why: 'The orders of guests of the shop, whose addresses are kept as they were typed: once for each account that begins or ends.',
  },
  {
    from: ['shop/orders/list.ts'],
    kinds: ['index'],
    tables: ['orders'],
    why: 'The orders of one guest, read when staff open the guest: all guest orders of the shop are compared.',
  },
];
