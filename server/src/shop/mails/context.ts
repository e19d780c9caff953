import { type Language, languageFor } from '../../language/language.ts';
import type { Front } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';

/** The data that mail templates need in addition to the shop. */
export interface MailContext {
  shop: Shop;
  front: Front;
  shop_name: string;
  /** Base URL of the shop's pages: its primary host, or the configured base URL. */
  baseUrl: string;
  /** The configured base URL, at which staff work. */
  serverUrl: string;
}

/** The reader's language, or the shop's if it is unknown. */
export function languageOf({ front }: MailContext, locale: string | null | undefined): Language {
  return languageFor(locale ?? front.default_locale, front.time_zone);
}
