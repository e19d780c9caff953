/** HTML that is already escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | false | null | undefined | readonly Part[];

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Template tag that escapes texts but not Html: html`<p>${name}</p>`. False, null and undefined are omitted. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((done, text, index) => done + rendered(parts[index - 1]) + text));
}

function rendered(part: Part): string {
  if (part instanceof Html) return part.text;
  if (Array.isArray(part)) return part.map(rendered).join('');
  if (part === undefined || part === null || part === false) return '';
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
