import { expect, test } from 'vitest';
import { everyMail } from '../../../test/every-mail.ts';
import { LANGUAGES } from '../../language/locales.ts';
import { MESSAGES } from '../../language/messages.ts';

const STAFF =
  /^(staff_|new_|sensitive_change|webhook_|low_stock|order_disputed|capture_failed|refund_failed|payment_kept)/;

/** An argument of a text, such as `{shop}` or `{count, plural, one {# item} other {# items}}`. */
const ARGUMENT = /\{\w+(?:, plural,(?:[^{}]|\{[^{}]*\})*)?\}/g;

/** Builds regular expressions for the sentences of mails in a language. */
function sentencesOf(code: 'en' | 'de' | 'fr'): { key: string; pattern: RegExp }[] {
  return (['mail', 'notification'] as const).flatMap((area) =>
    Object.entries(MESSAGES[code][area])
      .filter(([, text]) => text.replaceAll(ARGUMENT, '').trim().split(' ').length > 2)
      .map(([key, text]) => {
        const parts = text.split(ARGUMENT).map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
        return { key: `${area}.${key}`, pattern: new RegExp(parts.join('.+').replaceAll(/[ \u00a0]/g, '[ \u00a0]')) };
      }),
  );
}

test.each(['de', 'fr'] as const)(
  'sends every mail in the language %s, with a reply address',
  async (code) => {
    const foreign = LANGUAGES.filter((other) => other !== code).flatMap(sentencesOf);
    const own = sentencesOf(code);
    const said = new Set<string>();

    for (const { template, mail } of await everyMail(code)) {
      const all = `${mail.subject}\n${mail.text}`;
      for (const { key, pattern } of own) if (pattern.test(all)) said.add(key);
      expect([template, foreign.filter(({ pattern }) => pattern.test(all)).map(({ key }) => key)]).toEqual([
        template,
        [],
      ]);
      expect(mail.html).toContain(`<html lang="${code}">`);
      // Mails to staff have no links to the texts for customers.
      expect([template, mail.html.includes('https://shop.example/imprint')]).toEqual([template, !STAFF.test(template)]);
      expect(mail.reply_to?.address).toMatch(template === 'new_order' ? /^june@/ : /^help@shop.example$/);
    }

    // Every text must appear in a mail, except texts that depend on the payment, the parcels or the settings of a shop.
    const unsaid = own.map(({ key }) => key).filter((key) => !said.has(key));
    expect(
      unsaid.filter((key) => !/^mail\.(view|next_|cancelled_|refunded_|money_|nothing_|parcel_|call)/.test(key)),
    ).toEqual([]);
  },
  60_000,
);
