import type { Language } from '../../language/language.ts';
import { escapeHtml } from '../escape-html.ts';
import { withoutHidden } from '../hidden-characters.ts';
import { withdrawLink } from '../links.ts';
import type { Front } from '../merchant/front.ts';

/** A part of a mail, in plain text. Rendering escapes it for the HTML version. */
export type Part =
  | { paragraph: string }
  | { heading: string }
  /** A link with its label; the text version shows the URL. */
  | { link: string; label: string }
  /** Names and values, such as bank details. */
  | { facts: [name: string, value: string][] }
  /** Names and amounts that add up. */
  | { amounts: [name: string, amount: string][] }
  /** Ordered items; images need https URLs. */
  | { items: Item[] }
  /** Lines of a block, such as a postal address. */
  | { lines: string[] };

export interface Item {
  name: string;
  detail: string;
  /** Null: only name and quantity are shown. */
  amount: string | null;
  picture: string | null;
}

export interface MailContent {
  to: string;
  subject: string;
  parts: Part[];
  language: Language;
  /** Default: the shop's address. */
  reply_to?: string;
  attachments?: Attachment[];
}

export interface Attachment {
  filename: string;
  content_type: string;
  bytes: Buffer;
}

export interface Mail {
  to: string;
  /** The name of the shop. */
  from_name: string;
  reply_to: { name: string; address: string } | null;
  subject: string;
  text: string;
  html: string;
  attachments?: Attachment[];
}

const LEGAL = ['terms', 'privacy', 'withdrawal', 'imprint'] as const;

/** Renders the text and the HTML version of a mail. `baseUrl` is the base URL of the shop's pages. */
export function render(
  { to, subject, parts, language, reply_to, attachments }: MailContent,
  front: SignedBy,
  baseUrl: string,
): Mail {
  const signed = singleLine(front.name);
  const withdraw = { address: withdrawLink(baseUrl, front.site_id), label: language.say('withdrawal.link') };
  const legal = LEGAL.flatMap((kind) => {
    const address = front.legal[`${kind}_url`];
    return address ? [{ address, label: language.say(`page.${kind}`) }] : [];
  });
  const links = front.withdrawal_page ? [withdraw, ...legal] : legal;
  return {
    to,
    from_name: signed,
    reply_to: reply_to ? { name: '', address: reply_to } : replyTo(signed, front.brand.support_email),
    subject: singleLine(subject),
    ...(attachments && { attachments }),
    text: [
      ...parts.map((part) => asText(part, language)),
      signed,
      ...links.map(({ address, label }) => `${language.say('mail.label', { name: label })} ${address}`),
    ].join('\n\n'),
    html: page(language, singleLine(subject), front, [
      ...parts.map(asHtml),
      `<p class="from">${escapeHtml(signed)}${links.map(({ address, label }) => ` · <a href="${escapeHtml(address)}">${escapeHtml(label)}</a>`).join('')}</p>`,
    ]),
  };
}

function replyTo(name: string, address: string | null): Mail['reply_to'] {
  return address ? { name, address } : null;
}

type SignedBy = Pick<Front, 'site_id' | 'name' | 'brand' | 'legal' | 'withdrawal_page'>;

function asText(part: Part, { say }: Language): string {
  const label = (name: string) => say('mail.label', { name: cleaned(name) });
  const pair = (name: string, value: string) => `${label(name)} ${cleaned(value)}`;
  if ('paragraph' in part) return cleaned(part.paragraph);
  if ('heading' in part) return cleaned(part.heading);
  if ('link' in part) return `${label(part.label)}\n${part.link}`;
  if ('lines' in part) return part.lines.map(cleaned).join('\n');
  if ('items' in part) {
    return part.items
      .map(({ name, detail, amount }) => {
        const what = `${detail} × ${name}`;
        return amount === null ? cleaned(what) : pair(what, amount);
      })
      .join('\n');
  }
  const facts = 'amounts' in part ? part.amounts : part.facts;
  return facts.map(([name, value]) => pair(name, value)).join('\n');
}

function asHtml(part: Part): string {
  if ('paragraph' in part) return `<p>${escapeHtml(part.paragraph).replaceAll('\n', '<br>')}</p>`;
  if ('heading' in part) return `<h2>${escapeHtml(part.heading)}</h2>`;
  if ('lines' in part) return `<p>${part.lines.map(escapeHtml).join('<br>')}</p>`;
  if ('items' in part) return `<table class="items">${part.items.map(itemRow).join('')}</table>`;
  if ('link' in part) {
    const href = escapeHtml(part.link);
    return `<p><a class="button" href="${href}">${escapeHtml(part.label)}</a></p>\n<p class="plain">${href}</p>`;
  }
  const isSum = 'amounts' in part;
  const rows = (isSum ? part.amounts : part.facts).map(
    ([name, value]) => `<tr><th>${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
  );
  return `<table${isSum ? ' class="sum"' : ''}>${rows.join('')}</table>`;
}

function itemRow({ name, detail, amount, picture }: Item): string {
  const image = picture ? `<img src="${escapeHtml(picture)}" alt="" width="56" height="56">` : '';
  return `<tr><td class="picture">${image}</td><td>${escapeHtml(detail)} × ${escapeHtml(name)}</td><td class="amount">${escapeHtml(amount ?? '')}</td></tr>`;
}

/**
 * The styles are in the document, because mail programs load no style sheets. Text has enough contrast in light and
 * dark mode.
 */
function page(language: Language, title: string, { name, brand }: SignedBy, body: string[]): string {
  const accent = brand.accent_color ?? '#1f2328';
  const logo = brand.logo_url
    ? `<p><img class="logo" src="${escapeHtml(brand.logo_url)}" alt="${escapeHtml(singleLine(name))}" height="32"></p>\n`
    : '';
  return `<!doctype html>
<html lang="${language.locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; color: #1f2328; background: #fff; max-width: 34em; margin: 2em auto; padding: 0 1em }
h2 { font-size: 18px; margin: 1.5em 0 .25em }
a { color: ${accent} }
a.button { display: inline-block; padding: .6em 1.2em; background: ${accent}; color: #fff; border-radius: .4em; text-decoration: none }
.plain { font-size: 13px; color: #57606a; overflow-wrap: anywhere }
table { border-collapse: collapse }
th { text-align: left; font-weight: normal; color: #57606a; padding-right: 1em; vertical-align: top }
td { overflow-wrap: anywhere }
.items, .sum { width: 100% }
.sum { margin-top: .5em }
.sum td { text-align: right; white-space: nowrap }
.items td { padding: .4em 0; border-bottom: 1px solid #d0d7de; vertical-align: middle }
.picture { width: 72px }
.picture img { display: block; width: 56px; height: 56px; object-fit: cover; border-radius: 6px }
.amount { text-align: right; white-space: nowrap; padding-left: 1em }
.from { margin-top: 2em; color: #57606a }
@media (prefers-color-scheme: dark) {
body { color: #e6edf3; background: #16191d }
a, .from a { color: #9ecbff }
a.button { background: #e6edf3; color: #16191d }
th, .plain, .from { color: #aab4be }
.items td { border-color: #3d444d }
.logo { background: #fff; padding: 4px; border-radius: 4px }
}
</style></head>
<body>
${logo}${body.join('\n')}
</body>
</html>
`;
}

/** Texts stored by older versions may contain hidden characters. */
function cleaned(text: string): string {
  return withoutHidden(text, { lines: true });
}

/** Removes line breaks and other control characters, which a header must not contain. */
function singleLine(text: string): string {
  return withoutHidden(text.replaceAll(/\p{Cc}+/gu, ' '), { lines: false }).trim();
}
