import type { Front } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';

/** What a mail is written with besides the shop. */
export interface MailContext {
  shop: Shop;
  front: Front;
  shop_name: string;
  /** The configured public address. */
  baseUrl: string;
}
