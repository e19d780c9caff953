import sql from 'sql-template-tag';
import { agentPolicy } from '../agent-limits/policy.ts';
import type { Shop } from '../shop.ts';
import { NO_BRAND, NO_LEGAL, type WholeBrand } from './brand.ts';
import { type LegalPages, legalKinds } from './legal-texts.ts';
import { withdrawalPage } from './withdrawal-page.ts';

/** The profile of a shop that its pages and mails show. */
export interface Front extends LegalPages {
  name: string;
  default_locale: string;
  time_zone: string;
  brand: WholeBrand;
  storefront_url: string | null;
  product_url_template: string | null;
  allowed_origins: string[];
  /** Whether checkouts ask for consent to marketing mails. */
  ask_for_marketing: boolean;
  /** Whether UCP requests must be signed by a key of their caller's profile. */
  require_ucp_signatures: boolean;
  /** Whether anybody may call the tools at /mcp/public. */
  public_tools: boolean;
  /** Whether consumers can withdraw from contracts on the hosted page. */
  withdrawal_page: boolean;
}

/** The profile as JSON, from `site_settings t`. */
export const frontObject = sql`json_build_object('site_id', t.site_id, 'name', t.name,
  'default_locale', t.default_locale, 'time_zone', t.time_zone, 'brand', ${JSON.stringify(NO_BRAND)}::jsonb || t.brand,
  'legal', ${JSON.stringify(NO_LEGAL)}::jsonb || t.legal, 'legal_texts', ${legalKinds},
  'storefront_url', t.storefront_url,
  'product_url_template', t.product_url_template, 'ask_for_marketing', t.ask_for_marketing,
  'require_ucp_signatures', t.require_ucp_signatures,
  'public_tools', (${agentPolicy} ->> 'public_tools')::boolean,
  'withdrawal_page', ${withdrawalPage},
  'allowed_origins', (select s.allowed_origins from sites s where s.site_id = t.site_id))`;

export async function readFront(shop: Shop): Promise<Front> {
  const found = await shop.one<{ front: Front }>(
    sql`select ${frontObject} as front from site_settings t where t.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found.front;
}
