import type { Language } from '../../language/language.ts';
import type { Front } from '../../shop/merchant/front.ts';
import { checkBox, type FormState } from './form-parts.ts';
import type { Html } from './html.ts';

/** The checkbox for marketing consent. Shown only if the shop asks for consent, and never preselected. */
export function marketingBox<Name extends string>(
  form: FormState<Name | 'marketing'>,
  language: Language,
  front: Front,
): Html | false {
  if (!front.ask_for_marketing) return false;
  return checkBox<Name | 'marketing'>(form, {
    name: 'marketing',
    value: 'yes',
    label: marketingWording(language, front),
  });
}

/** The text of the consent. It is stored word for word. */
export function marketingWording(language: Language, front: Front): string {
  return language.say('account.marketing_wording', { shop: front.name });
}
