import sql from 'sql-template-tag';
import { accountLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { decimal } from '../money.ts';
import type { MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

/** Mails about agents. */

interface Approved {
  email: string;
  agent_name: string;
  budget_cents: number;
  categories: string[];
  token_expires_at: string;
}

/** Tells the customer what was just allowed, so that nobody allows it in their name unseen (RFC 8628 §5.4). */
export async function agentApproved(
  { shop, shop_name, baseUrl }: MailContext,
  { consent_id }: Mails['agent_approved'],
): Promise<MailContent | undefined> {
  const found = await shop.one<Approved>(
    sql`select c.email, k.agent_name, k.budget_cents, k.categories, k.token_expires_at
      from agent_consents k join customers c on c.site_id = k.site_id and c.id = k.customer_id
      where k.site_id = ${shop.siteId} and k.id = ${consent_id} and k.status <> 'denied' and c.anonymized_at is null`,
  );
  if (!found) return undefined;
  const { email, agent_name, budget_cents, categories, token_expires_at } = found;
  return {
    to: email,
    subject: `You allowed an agent to act for you at ${shop_name}`,
    parts: [
      {
        paragraph: `You allowed an agent to act for you at ${shop_name}. Every purchase still waits for your confirmation.`,
      },
      {
        facts: [
          ['Name it gives itself', agent_name],
          ['It may spend', `${decimal(budget_cents, shop.currencyDigits)} ${shop.currency}`],
          ['In', categories.length > 0 ? categories.join(', ') : 'the whole shop'],
          ['Until', `${token_expires_at.slice(0, 10)} (UTC)`],
        ],
      },
      { paragraph: 'If it was not you, or you have changed your mind, stop it in your account.' },
      { link: accountLink(baseUrl, shop.siteId), label: 'Look at your agents' },
    ],
  };
}
