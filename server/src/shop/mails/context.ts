import { type Language, languageFor } from '../../language/language.ts';
import type { Front } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';

/** Everything that a mail template needs besides the shop. */
export interface MailContext {
  shop: Shop;
  front: Front;
  shop_name: string;
  /** Base address of the shop's pages: its primary host, or the configured address. */
  baseUrl: string;
  /** The configured address, where staff work. */
  serverUrl: string;
}

/** The language of a reader, or the shop's if unknown. */
export function languageOf({ front }: MailContext, locale: string | null | undefined): Language {
  return languageFor(locale ?? front.default_locale, front.time_zone);
}
