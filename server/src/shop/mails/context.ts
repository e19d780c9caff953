import { type Language, languageFor } from '../../language/language.ts';
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

/** The language of a reader; that of the shop where nobody knows theirs. */
export function languageOf({ front }: MailContext, locale: string | null | undefined): Language {
  return languageFor(locale ?? front.default_locale, front.time_zone);
}
