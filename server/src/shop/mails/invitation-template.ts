import sql from 'sql-template-tag';
import type { RowOf } from '../../db/row-of.ts';
import { invitationLink } from '../links.ts';
import type { Mails } from '../mail.ts';
import { mintLink } from '../merchant/invitations.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

/** Invites a person to the staff, in the shop's language. Creates the secret of the link. */
export async function staffInvited(
  context: MailContext,
  { invitation_id }: Mails['staff_invited'],
): Promise<MailContent | undefined> {
  const { shop, shop_name, serverUrl } = context;
  const token = await mintLink(shop, invitation_id);
  const invited = await shop.one<RowOf<'staff_invitations', 'email'> & RowOf<'staff', 'name'>>(
    sql`select v.email, s.name from staff_invitations v join staff s on s.id = v.invited_by
      where v.site_id = ${shop.siteId} and v.id = ${invitation_id}`,
  );
  if (!token || !invited) return undefined;
  const language = languageOf(context, null);
  const { say } = language;
  return {
    to: invited.email,
    language,
    subject: say('notification.invitation_subject', { shop: shop_name }),
    parts: [
      { paragraph: say('notification.invitation', { name: invited.name, shop: shop_name }) },
      { link: invitationLink(serverUrl, token), label: say('notification.invitation_button') },
      { paragraph: say('notification.invitation_life', { life: language.duration('7 days') }) },
      { paragraph: say('notification.invitation_nothing') },
    ],
  };
}
