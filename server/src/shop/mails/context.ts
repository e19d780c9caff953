import type { Shop } from '../shop.ts';

/** What a mail is written with besides the shop. */
export interface MailContext {
  shop: Shop;
  shop_name: string;
  /** The configured public address. */
  baseUrl: string;
}
