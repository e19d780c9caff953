/** Mails to staff about their own login, and to owners about sensitive changes. */

import type { Staff } from '@commerce-backend/spec';
import sql from 'sql-template-tag';
import { panelResetLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { mintReset, RESET_LIFE } from '../merchant/staff-passwords.ts';
import type { Shop } from '../shop.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

export async function staffPasswordReset(
  context: MailContext,
  { email }: Mails['staff_password_reset'],
): Promise<MailContent | undefined> {
  const { shop, serverUrl } = context;
  const person = await findStaff(shop, email);
  if (!person) return undefined;
  const token = await mintReset(shop, person.id);
  const language = languageOf(context, null);
  const { say } = language;
  return {
    to: person.email,
    language,
    subject: say('notification.staff_reset_subject'),
    parts: [
      { paragraph: say('notification.staff_reset', { name: person.name }) },
      { link: panelResetLink(serverUrl, token), label: say('notification.reset_button') },
      { paragraph: say('notification.staff_reset_life', { life: language.duration(RESET_LIFE) }) },
      { facts: [[say('notification.code'), token]] },
      { paragraph: say('notification.reset_not_you') },
    ],
  };
}

const CHANGES = {
  password: 'notification.staff_password',
  two_factor_on: 'notification.staff_two_factor_on',
  two_factor_off: 'notification.staff_two_factor_off',
  recovery_codes: 'notification.staff_recovery_codes',
} as const;

export async function staffAccountChanged(
  context: MailContext,
  { email, change }: Mails['staff_account_changed'],
): Promise<MailContent | undefined> {
  const person = await findStaff(context.shop, email);
  if (!person) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  return {
    to: person.email,
    language,
    subject: say('notification.staff_changed_subject'),
    parts: [{ paragraph: say(CHANGES[change]) }, { paragraph: say('notification.staff_not_you') }],
  };
}

const SENSITIVE = {
  assistants: 'notification.sensitive_assistants',
  keys: 'notification.sensitive_keys',
  payments: 'notification.sensitive_payments',
  settings: 'notification.sensitive_settings',
  staff: 'notification.sensitive_staff',
} as const;

export async function sensitiveChange(
  context: MailContext,
  { change, who, at, staff_id }: Mails['sensitive_change'],
): Promise<MailContent | undefined> {
  const { shop, shop_name } = context;
  const found = await shop.one<{ email: string; name: string | null; own_email: string | null }>(
    sql`select s.email, w.name, w.email as own_email from staff s left join staff w on w.id = ${who}::uuid
      where s.id = ${staff_id}`,
  );
  if (!found) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  const { email, name, own_email } = found;
  const by = name === null ? say('notification.sensitive_key') : `${name} (${own_email})`;
  return {
    to: email,
    language,
    subject: say('notification.sensitive_subject', { shop: shop_name }),
    parts: [
      { paragraph: say(SENSITIVE[change], { shop: shop_name }) },
      {
        facts: [
          [say('notification.sensitive_by'), by],
          [say('notification.sensitive_at'), language.moment(at)],
        ],
      },
      { paragraph: say('notification.sensitive_next') },
    ],
  };
}

function findStaff(shop: Shop, email: string) {
  return shop.one<Staff>(sql`select id, email, name from staff where lower(email) = ${email}`);
}
