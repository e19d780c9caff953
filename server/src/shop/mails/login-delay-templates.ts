import sql from 'sql-template-tag';
import { unlockLink } from '../links.ts';
import { accountKey, customerAccount } from '../login-throttle.ts';
import { LINK_LIFE, mintUnlock } from '../login-unlocks.ts';
import type { Mails } from '../mail.ts';
import type { MailContext } from './context.ts';
import type { MailContent, Part } from './rendering.ts';

/** To the owner of an account whose login is delayed after wrong passwords: a link that logs in without waiting. */

export async function loginDelayed({ shop, shop_name, baseUrl }: MailContext, { email }: Mails['login_delayed']) {
  const account = await shop.one(
    sql`select from customers where site_id = ${shop.siteId} and email = ${email} and email_verified_at is not null
      and password_hash is not null`,
  );
  if (!account) return undefined;
  const token = await mintUnlock(shop, accountKey(customerAccount(shop.siteId, email)));
  return delayMail(email, shop_name, unlockLink(baseUrl, token), [
    { paragraph: 'A shop that asks for a code takes this one:' },
    { facts: [['Code', token]] },
  ]);
}

export async function staffLoginDelayed({ shop, baseUrl }: MailContext, { email }: Mails['staff_login_delayed']) {
  const person = await shop.one(sql`select from staff where lower(email) = ${email}`);
  if (!person) return undefined;
  const token = await mintUnlock(shop, accountKey(email));
  return delayMail(email, 'the dashboard', unlockLink(baseUrl, token), [
    { paragraph: 'On the command line: commerce login --unlock, which asks for this code.' },
    { facts: [['Code', token]] },
  ]);
}

function delayMail(to: string, place: string, link: string, code: Part[]): MailContent {
  return {
    to,
    subject: `Logging in to ${place} is delayed`,
    parts: [
      {
        paragraph: `Someone has tried several wrong passwords for your account at ${place}. To prevent further guessing, logging in is delayed for a while.`,
      },
      { paragraph: 'If you want to log in now, open this link in the browser in which you log in:' },
      { link, label: 'Log in without waiting' },
      { paragraph: `The link works once, for ${LINK_LIFE}. You still need your password.` },
      ...code,
      { paragraph: 'If you do not want to log in now, do nothing.' },
    ],
  };
}
