import type { Mails } from '../mail.ts';
import { find } from '../withdrawals/statements.ts';
import { languageOf, type MailContext } from './context.ts';
import type { MailContent } from './rendering.ts';

/**
 * Acknowledges a statement of withdrawal. Anyone can enter any e-mail address, so the mail shows no data of an order,
 * and mail programs find no links in the entries.
 */
export async function withdrawalStated(
  context: MailContext,
  { statement_id }: Mails['withdrawal_stated'],
): Promise<MailContent | undefined> {
  const statement = await find(context.shop, statement_id);
  if (!statement) return undefined;
  const { name, email, contract, items, locale, created_at } = statement;
  const language = languageOf(context, locale);
  const { say } = language;
  const entry = (label: string, text: string) => say('mail.label', { name: label }).concat(' ', withoutLinks(text));
  return {
    to: email,
    language,
    subject: say('withdrawal.stated_subject'),
    parts: [
      { paragraph: say('withdrawal.stated', { shop: context.shop_name, moment: language.second(created_at) }) },
      { heading: say('withdrawal.stated_statement') },
      {
        lines: [
          say('withdrawal.declare'),
          entry(say('withdrawal.contract'), contract),
          ...entry(say('withdrawal.items'), items ?? say('withdrawal.all')).split('\n'),
          entry(say('withdrawal.name'), name),
          entry(say('withdrawal.email'), email),
        ],
      },
      { paragraph: say('withdrawal.stated_next') },
      { paragraph: say('withdrawal.stated_not_you') },
    ],
  };
}

/** Puts the characters by which mail programs recognize links in brackets: `https[:]//evil[.]example`. */
export function withoutLinks(text: string): string {
  return text
    .replaceAll(/[.\u3002\uff0e\uff61](?=[\p{L}\p{N}])/gu, (dot) => `[${dot}]`)
    .replaceAll(/:(?=\S)/g, '[:]')
    .replaceAll('@', '[@]');
}
