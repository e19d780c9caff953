import type { ReturnPolicy, ReturnPolicyInput } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { canonicalAmount } from '../money.ts';
import type { Shop } from '../shop.ts';

/** The policy of a new shop, and the values of fields that a stored one lacks. */
const INITIAL: Omit<ReturnPolicy, 'fee'> = {
  enabled: true,
  window_days: 30,
  exchange_days: 30,
  auto_approve: false,
  return_address: null,
  instructions: null,
};

/** An SQL expression for a ReturnPolicy, from `site_settings t` and `sites s`. */
export const returnPolicy: Sql = sql`${JSON.stringify(INITIAL)}::jsonb || t.return_policy || jsonb_build_object(
  'fee', round(coalesce((t.return_policy ->> 'fee')::numeric, 0), s.currency_digits)::text)`;

export async function policyOf(shop: Shop): Promise<ReturnPolicy> {
  const found = await shop.one<{ policy: ReturnPolicy }>(
    sql`select ${returnPolicy} as policy from sites s join site_settings t using (site_id)
      where s.site_id = ${shop.siteId}`,
  );
  if (!found) throw new Error(`Site ${shop.siteId} has no settings.`);
  return found.policy;
}

/** The policy to store. Throws a ValidationError for a fee with more decimals than the currency has. */
export function storedPolicy(input: ReturnPolicyInput | undefined, digits: number): ReturnPolicyInput | undefined {
  if (input?.fee === undefined) return input;
  return { ...input, fee: canonicalAmount(input.fee, digits, ['body', 'return_policy', 'fee']) };
}
