import type pg from 'pg';
import type { TableColumns } from '../../backup/format.ts';
import { arrivingTexts } from '../merchant/legal-texts.ts';
import { sanitizeHtml } from '../rich-text.ts';
import { bareName, filledColumns, STAFF, STAFF_IDS } from './moved-tables.ts';

/**
 * The name of a table's temporary copy, with the rows of an imported site. The copies belong to the connection, not to
 * a transaction, because a long transaction would delay the events of all other sites.
 */
export function staged(table: string): string {
  return `pg_temp.arriving_${bareName(table)}`;
}

/** Creates an empty copy of a table, without constraints. */
export async function stage(client: pg.ClientBase, table: string): Promise<void> {
  await client.query(`create temporary table arriving_${bareName(table)} as select * from ${table} with no data`);
}

/**
 * Inserts the rows of all tables in one statement. Foreign keys are checked at its end, so the order does not matter.
 * All rows get the tenant's site id, whatever the file contains.
 */
export async function insertStaged(
  client: pg.ClientBase,
  tables: TableColumns[],
  keepsSecrets: boolean,
): Promise<void> {
  const parts = tables.map(({ table, columns }, i) => {
    const filled = [...columns, ...filledColumns(bareName(table), keepsSecrets)];
    const values = filled.map((column) => (column === 'site_id' ? '(select commerce.current_site())' : column));
    return `i${i} as (insert into ${table} (${filled.join(', ')}) select ${values.join(', ')} from ${staged(table)})`;
  });
  await client.query(`with ${parts.join(', ')} select`);
}

/** Further columns with staff ids, which move only in an encrypted export. */
const STAFF_IDS_WITH_SECRETS: typeof STAFF_IDS = [
  ['staff_invitations', 'invited_by'],
  ['webhooks', 'made_by'],
  ['idempotency_keys', 'principal_id'],
];

export interface ArrivingStaff {
  id: string;
  /** The id on the server that exports. */
  former_id: string;
  email: string;
  name: string;
  /** Whether this server already has a login with this id or e-mail address. */
  known: boolean;
}

/**
 * Finds the logins that imported staff already have on this server. If a login has another id here, the person's
 * actions are assigned to that id.
 */
export async function matchStaff(client: pg.ClientBase, keepsSecrets: boolean): Promise<ArrivingStaff[]> {
  const { rows } = await client.query<Omit<ArrivingStaff, 'known' | 'former_id'> & { known_id: string | null }>(
    `select a.id, a.email, a.name, coalesce(by_id.id, by_email.id) as known_id
      from ${staged(STAFF.table)} a
      left join commerce.staff by_id on by_id.id = a.id
      left join commerce.staff by_email on lower(by_email.email) = lower(a.email) order by a.email`,
  );
  for (const { id, known_id } of rows) {
    if (known_id === null || known_id === id) continue;
    for (const [table, column] of keepsSecrets ? [...STAFF_IDS, ...STAFF_IDS_WITH_SECRETS] : STAFF_IDS) {
      await client.query(`update ${staged(table)} set ${column} = $2 where ${column} = $1`, [id, known_id]);
    }
  }
  return rows.map(({ known_id, ...member }) => ({
    ...member,
    id: known_id ?? member.id,
    former_id: member.id,
    known: known_id !== null,
  }));
}

/** Columns with image URLs, which begin with the server's base URL. */
const ADDRESSES: [table: string, column: string, type: 'text' | 'jsonb'][] = [
  ['files', 'url', 'text'],
  ['files', 'sources', 'jsonb'],
  ['product_images', 'url', 'text'],
  ['product_images', 'sources', 'jsonb'],
  ['products', 'description_html', 'text'],
  ['variants', 'image_url', 'text'],
  ['collections', 'image_url', 'text'],
  ['order_lines', 'image_url', 'text'],
  ['site_settings', 'brand', 'jsonb'],
  ['site_settings', 'legal_texts', 'jsonb'],
];

/** Replaces the other server's base URL in the site's image URLs. */
export async function moveAddresses(client: pg.ClientBase, site_id: string, baseUrl: string): Promise<void> {
  const former = `https?://[^"\\s<>]*?/files/${site_id}/`;
  for (const [table, column, type] of ADDRESSES) {
    await client.query(
      `update ${staged(table)} set ${column} = regexp_replace(${column}::text, $1, $2, 'g')::${type}
        where ${column}::text ~ $1`,
      [former, `${baseUrl}/files/${site_id}/`],
    );
  }
}

/** Columns with links for customers and staff. */
const LINKS: [table: string, column: string][] = [
  ['fulfillments', 'tracking_url'],
  ['orders', 'tracking_url'],
  ['returns', 'label_url'],
];

const NO_ID = '00000000-0000-0000-0000-000000000000';
const CLEANED_AT_ONCE = 500;

/** SQL for the keys in a jsonb column whose URL has a scheme other than http or https, such as `javascript:`. */
const notOfTheWeb = (column: string) =>
  `array(select key from jsonb_each_text(${column}) where key ~ '_url$' and value !~* '^https?://')`;

/** SQL that removes control characters, which could manipulate an operator's terminal. */
const shown = (column: string) => `regexp_replace(${column}, '[[:cntrl:]]', '', 'g')`;

/** Sanitizes the texts of an untrusted file as the API does: formatted descriptions, names, links and the time zone. */
export async function cleanTexts(client: pg.Client): Promise<void> {
  await client.query(
    `update ${staged('site_settings')} set brand = brand - ${notOfTheWeb('brand')}, legal = legal - ${notOfTheWeb('legal')},
      storefront_url = case when storefront_url ~* '^https?://' then storefront_url end,
      product_url_template = case when product_url_template ~* '^https?://[^[:space:][:cntrl:]]+$' then product_url_template end,
      name = ${shown('name')},
      time_zone = case when lower(time_zone) in (select lower(name) from pg_timezone_names) then time_zone else 'UTC' end`,
  );
  const settings = await client.query<{ site_id: string; legal_texts: unknown }>(
    `select site_id, legal_texts from ${staged('site_settings')}`,
  );
  for (const { site_id, legal_texts } of settings.rows) {
    await client.query(`update ${staged('site_settings')} set legal_texts = $2 where site_id = $1`, [
      site_id,
      JSON.stringify(arrivingTexts(legal_texts)),
    ]);
  }
  await client.query(`update ${staged('sites')} set merchant_name = ${shown('merchant_name')}`);
  for (const [table, column] of LINKS) {
    await client.query(`update ${staged(table)} set ${column} = null where ${column} !~* '^https?://'`);
  }
  await client.query(`create index on ${staged('products')} (id) where description_html is not null`);
  for (let last = NO_ID; ; ) {
    const { rows } = await client.query<{ id: string; description_html: string }>(
      `select id, description_html from ${staged('products')}
        where id > $1 and description_html is not null order by id limit ${CLEANED_AT_ONCE}`,
      [last],
    );
    const changed = rows.flatMap(({ id, description_html }) => {
      const { html } = sanitizeHtml(description_html);
      return html === description_html ? [] : [{ id, html }];
    });
    await client.query(
      `update ${staged('products')} p set description_html = c.html
        from jsonb_to_recordset($1::jsonb) as c (id uuid, html text) where p.id = c.id`,
      [JSON.stringify(changed)],
    );
    if (rows.length < CLEANED_AT_ONCE) return;
    last = rows.at(-1)?.id ?? NO_ID;
  }
}
