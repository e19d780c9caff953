import { escapeHtml } from '../../shop/escape-html.ts';

/** Escaped HTML. Created only by `html` and `sanitizedHtml`. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  toString(): string {
    return this.text;
  }
}

/** Inserts a merchant's text that was stored after `sanitizeHtml` (shop/rich-text.ts). */
export function sanitizedHtml(text: string): Html {
  return new Html(text);
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

/**
 * Template tag for HTML. Escapes every value that is not `Html`, for text and quoted attributes. Joins lists,
 * and omits false, null and undefined. Attributes must be quoted.
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
