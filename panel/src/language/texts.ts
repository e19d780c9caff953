/**
 * The panel's texts. The code contains them in English; a dictionary maps each English text to the member's language.
 * A text without a translation is shown in English.
 */

type Values = Record<string, string | number>;

/** The text, with each `{name}` replaced by the value of that name. */
export function t(text: string, values: Values = {}): string {
  return text.replace(/\{(\w+)\}/g, (placeholder, name: string) => String(values[name] ?? placeholder));
}
