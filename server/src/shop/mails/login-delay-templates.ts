/** Mails to the owner of an account whose login is delayed after wrong passwords, with a link that ends the delay. */

import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import type { Language } from '../../language/language.ts';
import { unlockLink } from '../links.ts';
import { accountKey, customerAccount } from '../login-throttle.ts';
import { LINK_LIFE, mintUnlock } from '../login-unlocks.ts';
import type { Mails } from '../mail.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

export async function loginDelayed(
  context: MailContext,
  { email }: Mails['login_delayed'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, baseUrl } = context;
  const account = await shop.one<RowOf<'customers', 'locale'>>(
    sql`select locale from customers where site_id = ${shop.siteId} and email = ${email} and email_verified_at is not null
      and password_hash is not null`,
  );
  if (!account) return undefined;
  const token = await mintUnlock(shop, accountKey(customerAccount(shop.siteId, email)), shop.siteId);
  const language = languageOf(context, account.locale);
  const { say } = language;
  return delayMail(email, language, {
    subject: say('notification.delay_subject', { shop: shop_name }),
    what: say('notification.delay', { shop: shop_name }),
    how: say('notification.delay_code'),
    ...{ token, link: unlockLink(baseUrl, token) },
  });
}

/** Writes the mail for staff in the language of the sending shop, because a person may work for several shops. */
export async function staffLoginDelayed(
  context: MailContext,
  { email }: Mails['staff_login_delayed'],
): Promise<MailContent | undefined> {
  const { shop, serverUrl } = context;
  const person = await shop.one(sql`select from staff where lower(email) = ${email}`);
  if (!person) return undefined;
  const token = await mintUnlock(shop, accountKey(email), null);
  const language = languageOf(context, null);
  const { say } = language;
  return delayMail(email, language, {
    subject: say('notification.delay_staff_subject'),
    what: say('notification.delay_staff'),
    how: say('notification.delay_command'),
    ...{ token, link: unlockLink(serverUrl, token) },
  });
}

interface Delay {
  subject: string;
  what: string;
  /** Instructions for using the code without a browser. */
  how: string;
  token: string;
  link: string;
}

function delayMail(to: string, language: Language, { subject, what, how, token, link }: Delay): MailContent {
  const { say } = language;
  return {
    to,
    language,
    subject,
    parts: [
      { paragraph: what },
      { paragraph: say('notification.delay_open') },
      { link, label: say('notification.delay_button') },
      { paragraph: say('notification.delay_life', { life: language.duration(LINK_LIFE) }) },
      { paragraph: how },
      { facts: [[say('notification.code'), token]] },
      { paragraph: say('notification.delay_nothing') },
    ],
  };
}
