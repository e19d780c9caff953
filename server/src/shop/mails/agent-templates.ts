import sql from 'sql-template-tag';
import { accountLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { decimal } from '../money.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

/** Mails about agents. */

interface Approved {
  email: string;
  locale: string | null;
  agent_name: string;
  budget_cents: number;
  categories: string[];
  token_expires_at: string;
}

/** Tells the customer what was just allowed, so that nobody allows it in their name unseen (RFC 8628 §5.4). */
export async function agentApproved(
  context: MailContext,
  { consent_id }: Mails['agent_approved'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const found = await shop.one<Approved>(
    sql`select c.email, c.locale, k.agent_name, k.budget_cents, k.categories, k.token_expires_at
      from agent_consents k join customers c on c.site_id = k.site_id and c.id = k.customer_id
      where k.site_id = ${shop.siteId} and k.id = ${consent_id} and k.status <> 'denied' and c.anonymized_at is null`,
  );
  if (!found) return undefined;
  const { email, locale, agent_name, budget_cents, categories, token_expires_at } = found;
  const language = languageOf(context, locale);
  const { say } = language;
  return {
    to: email,
    language,
    subject: say('notification.agent_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.agent', { shop: shop_name }) },
      {
        facts: [
          [say('notification.agent_name'), agent_name],
          [
            say('notification.agent_budget'),
            language.amount(decimal(budget_cents, shop.currencyDigits), shop.currency),
          ],
          [
            say('notification.agent_categories'),
            categories.length > 0 ? categories.join(', ') : say('notification.agent_everything'),
          ],
          [say('notification.agent_until'), language.moment(token_expires_at)],
        ],
      },
      { paragraph: say('notification.agent_not_you') },
      { link: accountLink(baseUrl, shop.siteId), label: say('notification.agent_button') },
    ],
  };
}
