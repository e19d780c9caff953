import { type LanguageCode, type Locale, languageCode } from './locales.ts';
import { type ArgumentOf, type MessageKey, type MessageText, messageFor } from './messages.ts';

type Values<K extends MessageKey, V> = [ArgumentOf<MessageText<K>>] extends [never]
  ? []
  : [values: Record<ArgumentOf<MessageText<K>>, V>];

/** Texts in a language, and amounts, dates and country names in the format of its region. */
export class Language {
  readonly code: LanguageCode;
  readonly locale: Locale;
  readonly timeZone: string;
  /** Plain `en` uses the British order of day and month. */
  readonly #dates: string;

  constructor(locale: Locale, timeZone: string) {
    this.code = languageCode(locale);
    this.locale = locale;
    this.timeZone = timeZone;
    this.#dates = locale === 'en' ? 'en-GB' : locale;
  }

  /** Formats a text as a string. */
  readonly say = <K extends MessageKey>(key: K, ...[values]: Values<K, string | number>): string =>
    String(messageFor(this.code, this.locale, key).format(values));

  /** Formats a text as a list of pieces, which may contain objects as well: values, or the content of tags. */
  pieces<T extends object>(key: MessageKey, values: Record<string, string | number | T | ((inside: unknown) => T)>) {
    const said = messageFor(this.code, this.locale, key).format<T>(values as never);
    return (Array.isArray(said) ? said : [said]) as (string | T)[];
  }

  /** Formats the decimal string without converting it to a number, so that long amounts stay exact. */
  amount(amount: string, currency: string): string {
    const format = cached(
      `amount ${this.locale} ${currency}`,
      () => new Intl.NumberFormat(this.locale, { style: 'currency', currency }),
    );
    return format.format(amount as `${number}`);
  }

  /** An amount without currency and group separators, for banking forms: `1234,50`. */
  digits(amount: string): string {
    const minimumFractionDigits = amount.split('.')[1]?.length ?? 0;
    const options = { minimumFractionDigits, useGrouping: false };
    const format = cached(
      `digits ${this.locale} ${minimumFractionDigits}`,
      () => new Intl.NumberFormat(this.locale, options),
    );
    return format.format(amount as `${number}`);
  }

  number(value: number): string {
    return cached(`number ${this.locale}`, () => new Intl.NumberFormat(this.locale)).format(value);
  }

  /** Formats a rate as a percentage: `0.19` as 19 %. */
  percent(share: string): string {
    const format = cached(
      `percent ${this.locale}`,
      () => new Intl.NumberFormat(this.locale, { style: 'percent', maximumFractionDigits: 2 }),
    );
    return format.format(Number(share));
  }

  /** Formats an interval of the database, such as `24 hours`. */
  duration(interval: string): string {
    const [value = '', units = ''] = interval.split(' ');
    const unit = units.replace(/s$/, '');
    const format = new Intl.NumberFormat(this.locale, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(Number(value));
  }

  /** A date with its weekday, in the shop's time zone. */
  day(iso: string): string {
    return this.#date('day', { dateStyle: 'full' }).format(new Date(iso));
  }

  /** A calendar date, such as `2026-03-05`, independent of time zones. */
  date(day: string): string {
    const options = { dateStyle: 'long', timeZone: 'UTC' } as const;
    const format = cached(`date ${this.#dates}`, () => new Intl.DateTimeFormat(this.#dates, options));
    return format.format(new Date(day));
  }

  /** Date and time with the time zone, because the server does not know the reader's. */
  moment(iso: string): string {
    const time = this.#date('time', { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' });
    return `${this.day(iso)}, ${time.format(new Date(iso))}`;
  }

  /** Date and time with seconds, to distinguish requests of the same minute. */
  second(iso: string): string {
    const options = { hour: '2-digit', minute: '2-digit', second: '2-digit', timeZoneName: 'short' } as const;
    return `${this.day(iso)}, ${this.#date('second', options).format(new Date(iso))}`;
  }

  country(code: string): string {
    const names = cached(`names ${this.locale}`, () => new Intl.DisplayNames([this.locale], { type: 'region' }));
    try {
      return names.of(code) ?? code;
    } catch {
      return code;
    }
  }

  /** Sorts country codes by country name. */
  byName(codes: readonly string[]): string[] {
    const { compare } = cached(`order ${this.locale}`, () => new Intl.Collator(this.locale));
    const named = codes.map((code) => ({ code, name: this.country(code) }));
    return named.toSorted((a, b) => compare(a.name, b.name)).map(({ code }) => code);
  }

  #date(kind: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
    const { timeZone } = this;
    return cached(
      `${kind} ${this.#dates} ${timeZone}`,
      () => new Intl.DateTimeFormat(this.#dates, { ...options, timeZone }),
    );
  }
}

/**
 * Cached, because creating a formatter is slow. There are few locales, currencies and time zones, so the map stays
 * small.
 */
const formatters = new Map<string, unknown>();

function cached<T>(id: string, make: () => T): T {
  const known = formatters.get(id) as T | undefined;
  if (known) return known;
  const made = make();
  formatters.set(id, made);
  return made;
}

/** Returns a cached Language. */
export function languageFor(locale: Locale, timeZone: string): Language {
  return cached(`language ${locale} ${timeZone}`, () => new Language(locale, timeZone));
}
