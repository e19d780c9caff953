import { type Language, languageFor } from '../../language/language.ts';
import type { Front } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';

export interface MailContext {
  shop: Shop;
  front: Front;
  shop_name: string;
  /** Base URL of the shop's pages: its primary host, or the server's base URL. */
  baseUrl: string;
  /** The server's base URL, where staff work. */
  serverUrl: string;
}

/** Returns the reader's language, or the shop's if it is unknown. */
export function languageOf({ front }: MailContext, locale: string | null | undefined): Language {
  return languageFor(locale ?? front.default_locale, front.time_zone);
}
