import { inShopAsSystem } from '../../server/src/shop/in-shop.ts';
import type { QueuedMail } from '../../server/src/shop/mail.ts';
import type { Mail } from '../../server/src/shop/mails/rendering.ts';
import { compose } from '../../server/src/shop/mails/templates.ts';
import type { World } from './tenant.ts';

/** The base URL of the proofs' servers, for the links in mails. */
const BASE_URL = 'http://localhost';

/**
 * Removes a site's mails from the queue, and renders them as the mail job does. Mails of other sites stay in the queue.
 */
export async function takeMails({ owner, db }: Pick<World, 'owner' | 'db'>, site_id: string): Promise<Mail[]> {
  const { rows } = await owner.query<{ payload: QueuedMail }>(
    `with taken as (
       delete from graphile_worker._private_jobs where payload ->> 'site_id' = $1 and payload ->> 'template' is not null
       returning id, payload
     )
     select payload from taken order by id`,
    [site_id],
  );
  const mails: Mail[] = [];
  for (const { payload } of rows) {
    const mail = await inShopAsSystem(db, site_id, (shop) => compose(shop, BASE_URL, payload));
    if (mail) mails.push(mail);
  }
  return mails;
}

/** Returns the secret in the link of the newest mail to this e-mail address. Throws if there is no such mail. */
export async function mailedSecret(world: World, site_id: string, email: string): Promise<string> {
  const mail = (await takeMails(world, site_id)).findLast(({ to }) => to === email);
  const [secret] = /(?:rst|vrf|unl)_[0-9A-Za-z]{38}/.exec(mail?.text ?? '') ?? [];
  if (!secret) throw new Error(`There is no link in a mail to ${email}.`);
  return secret;
}
