import { type Language, languageFor } from '../../language/language.ts';
import type { Front } from '../merchant/front.ts';
import type { Shop } from '../shop.ts';

/** What a mail is written with besides the shop. */
export interface MailContext {
  shop: Shop;
  front: Front;
  shop_name: string;
  /** Where the pages of the shop are: its primary host, or the configured address. */
  baseUrl: string;
  /** The configured address, where staff work. */
  serverUrl: string;
}

/** The language of a reader; the shop's if the reader's is not known. */
export function languageOf({ front }: MailContext, locale: string | null | undefined): Language {
  return languageFor(locale ?? front.default_locale, front.time_zone);
}
