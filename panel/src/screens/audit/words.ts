import { label } from '../../format.ts';
import { panelLanguage, t } from '../../language/texts.ts';
import { VALUES } from '../../language/values.ts';
import de from './texts/de.json';
import fr from './texts/fr.json';

/** Translations by operation name, such as `updateProduct`, and by field name. Other names are shown in English. */
interface Texts {
  actions: Partial<Record<string, string>>;
  fields: Partial<Record<string, string>>;
}

const TEXTS: Partial<Record<string, Texts>> = { de, fr };
const texts = TEXTS[panelLanguage()];

/** Fields whose values are words of the API, such as `archived`. Values of other fields are shown unchanged. */
const WORDS = /(^|[._])(status|role|type|kind|inventory_policy|resolution)$/;

/** Converts a field path to words: `brand.accent_color` to "brand accent color", or to "Marke › Akzentfarbe". */
export function fieldInWords(field: string): string {
  if (!texts) return field.replaceAll(/[_.]/g, ' ');
  const part = (name: string) => texts.fields[name] ?? VALUES[name] ?? name.replaceAll('_', ' ');
  return field.split('.').map(part).join(' › ');
}

/** Converts an operation id to words: `dashboard.updateProduct` to "Update product", or to "Produkt ändern". */
export function actionInWords(action: string): string {
  const name = action.slice(action.lastIndexOf('.') + 1);
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  return texts?.actions[name] ?? words.charAt(0).toUpperCase() + words.slice(1);
}

/** Matches a list of texts as JSON. A list that was shortened does not match. */
const LIST = /^\[("([^"\\]|\\.)*",?)*\]$/;

/** A value before or after a change: lists with commas, and statuses and the like in the member's language. */
export function valueInWords(field: string, value: string): string {
  if (LIST.test(value)) return (JSON.parse(value) as string[]).join(', ') || '–';
  if (!texts) return value;
  if (value === 'true') return t('yes');
  if (value === 'false') return t('no');
  return WORDS.test(field) ? label(value) : value;
}
