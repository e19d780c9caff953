import { escapeHtml } from '../escape-html.ts';
import { withoutHidden } from '../hidden-characters.ts';

/** A mail in parts, of which a plain and an HTML form are made. Whatever stands in it is text, and is escaped. */
export type Part =
  | { paragraph: string }
  /** A link with the words on it; the text form shows the address. */
  | { link: string; label: string }
  /** Names and values, such as bank details. */
  | { facts: [name: string, value: string][] };

export interface MailContent {
  to: string;
  subject: string;
  parts: Part[];
}

/** A mail ready to be sent. */
export interface Mail {
  to: string;
  /** Whom the mail comes from, in words: the shop. */
  from_name: string;
  subject: string;
  text: string;
  html: string;
}

/** Both forms of a mail, signed by the shop. */
export function render({ to, subject, parts }: MailContent, shop_name: string): Mail {
  return {
    to,
    from_name: singleLine(shop_name),
    subject: singleLine(subject),
    text: [...parts.map(asText), singleLine(shop_name)].join('\n\n'),
    html: page(singleLine(subject), [...parts.map(asHtml), `<p class="from">${escapeHtml(shop_name)}</p>`].join('\n')),
  };
}

function asText(part: Part): string {
  if ('paragraph' in part) return cleaned(part.paragraph);
  if ('link' in part) return `${cleaned(part.label)}:\n${part.link}`;
  return part.facts.map(([name, value]) => cleaned(`${name}: ${value}`)).join('\n');
}

function asHtml(part: Part): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph).replaceAll('\n', '<br>')}</p>`;
  if ('link' in part) {
    const href = escapeHtml(part.link);
    return `<p><a class="button" href="${href}">${escapeHtml(part.label)}</a></p>\n<p class="plain">${href}</p>`;
  }
  const rows = part.facts.map(([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`);
  return `<table>${rows.join('')}</table>`;
}

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; max-width: 34em; margin: 2em auto; padding: 0 1em }
a.button { display: inline-block; padding: .6em 1.2em; background: #1f2328; color: #fff; border-radius: .4em; text-decoration: none }
.plain { font-size: 13px; color: #57606a; overflow-wrap: anywhere }
th { text-align: left; font-weight: normal; color: #57606a; padding-right: 1em; vertical-align: top }
.from { margin-top: 2em; color: #57606a }
</style></head>
<body>
${body}
</body>
</html>
`;
}

/** Texts that were kept before such characters were refused are shown without them. */
function cleaned(text: string): string {
  return withoutHidden(text, { lines: true });
}

/** Without line breaks and other control characters, which have no place in a header. */
function singleLine(text: string): string {
  return withoutHidden(text.replaceAll(/\p{Cc}+/gu, ' '), { lines: false }).trim();
}
