import type { BudgetPeriod } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { assistantsLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { decimal } from '../money.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

interface Approved {
  email: string;
  locale: string | null;
  agent_name: string;
  budget_cents: number;
  max_per_order_cents: number | null;
  budget_period: BudgetPeriod;
  categories: string[];
  token_expires_at: string;
}

const PERIODS = {
  once: 'consent.in_total',
  week: 'consent.each_week',
  month: 'consent.each_month',
} as const satisfies Record<BudgetPeriod, string>;

/** Notifies the customer of an approval, in case somebody else has approved in their name (RFC 8628 §5.4). */
export async function agentApproved(
  context: MailContext,
  { consent_id }: Mails['agent_approved'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const found = await shop.one<Approved>(
    sql`select c.email, c.locale, k.agent_name, k.budget_cents, k.max_per_order_cents, k.budget_period, k.categories, k.token_expires_at
      from agent_consents k join customers c on c.site_id = k.site_id and c.id = k.customer_id
      where k.site_id = ${shop.siteId} and k.id = ${consent_id} and k.status <> 'denied' and c.anonymized_at is null`,
  );
  if (!found) return undefined;
  const { email, locale, agent_name, budget_cents, max_per_order_cents, budget_period, categories } = found;
  const language = languageOf(context, locale);
  const { say } = language;
  const amountOf = (cents: number) => language.amount(decimal(cents, shop.currencyDigits), shop.currency);
  const perOrder: [string, string][] = [];
  if (max_per_order_cents !== null) perOrder.push([say('notification.agent_per_order'), amountOf(max_per_order_cents)]);
  return {
    to: email,
    language,
    subject: say('notification.agent_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.agent', { shop: shop_name }) },
      {
        facts: [
          [say('notification.agent_name'), agent_name],
          [say('notification.agent_budget'), say(PERIODS[budget_period], { amount: amountOf(budget_cents) })],
          ...perOrder,
          [
            say('notification.agent_categories'),
            categories.length > 0 ? categories.join(', ') : say('notification.agent_everything'),
          ],
          [say('notification.agent_until'), language.moment(found.token_expires_at)],
        ],
      },
      { paragraph: say('notification.agent_not_you') },
      { link: assistantsLink(baseUrl, shop.siteId), label: say('notification.agent_button') },
    ],
  };
}
