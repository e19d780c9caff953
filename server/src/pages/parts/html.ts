import { escapeHtml } from '../../shop/escape-html.ts';

/** HTML that is safe to send: only `html` makes it. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Markup with values in it. Everything that is not made by `html` itself is escaped, for text and for quoted attributes;
 * lists are joined; false, null and undefined are left out. Attributes must be quoted.
 */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(textOf)));
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(textOf).join('');
  if (part === false || part === null || part === undefined) return '';
  return escapeHtml(String(part));
}
