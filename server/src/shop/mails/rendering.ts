import type { Language } from '../../language/language.ts';
import { withoutHidden } from '../hidden-characters.ts';
import { withdrawLink } from '../links.ts';
import type { Front } from '../merchant/front.ts';
import { LEGAL_KINDS, legalUrl } from '../merchant/legal-texts.ts';
import { CODE_CID, htmlOf } from './html-parts.ts';
import { page } from './layout.ts';
import type { Part } from './parts.ts';

export interface MailContent {
  to: string;
  subject: string;
  /** The headline of the mail. Default: the subject. */
  headline?: string;
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
  /** Set for an image that the HTML version shows by the URL `cid:…`. */
  cid?: string;
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

/** Renders the text and the HTML version of a mail. `baseUrl` is the base URL of the shop's pages. */
export function render(
  { to, subject, headline, parts, language, reply_to, attachments = [] }: MailContent,
  front: SignedBy,
  baseUrl: string,
): Mail {
  const signed = singleLine(front.name);
  const withdraw = { address: withdrawLink(baseUrl, front.site_id), label: language.say('withdrawal.link') };
  const legal = LEGAL_KINDS.flatMap((kind) => {
    const address = legalUrl(front, kind, baseUrl);
    return address ? [{ address, label: language.say(`page.${kind}`) }] : [];
  });
  const links = front.withdrawal_page ? [withdraw, ...legal] : legal;
  const attached = [...attachments, ...parts.flatMap(imagesOf)];
  return {
    to,
    from_name: signed,
    reply_to: reply_to ? { name: '', address: reply_to } : replyTo(signed, front.brand.support_email),
    subject: singleLine(subject),
    ...(attached.length > 0 && { attachments: attached }),
    text: [
      ...(headline ? [cleaned(headline)] : []),
      ...parts.map((part) => asText(part, language)),
      signed,
      ...links.map(({ address, label }) => `${language.say('mail.label', { name: label })} ${address}`),
    ].join('\n\n'),
    html: page({
      ...{ locale: language.locale, name: signed, brand: front.brand, links },
      title: singleLine(subject),
      headline: headline ?? singleLine(subject),
      preview: parts.flatMap((part) => ('paragraph' in part ? [part.paragraph] : []))[0] ?? '',
      body: htmlOf(parts, front.brand.accent_color),
    }),
  };
}

function replyTo(name: string, address: string | null): Mail['reply_to'] {
  return address ? { name, address } : null;
}

function imagesOf(part: Part): Attachment[] {
  if (!('transfer' in part) || !part.code) return [];
  return [{ filename: `${CODE_CID}.png`, content_type: 'image/png', bytes: part.code.bytes, cid: CODE_CID }];
}

type SignedBy = Pick<Front, 'site_id' | 'name' | 'brand' | 'legal' | 'legal_texts' | 'withdrawal_page'>;

function asText(part: Part, { say }: Language): string {
  const label = (name: string) => say('mail.label', { name: cleaned(name) });
  const pair = (name: string, value: string) => `${label(name)} ${cleaned(value)}`;
  if ('paragraph' in part) return cleaned(part.paragraph);
  if ('small' in part) return cleaned(part.small);
  if ('heading' in part) return cleaned(part.heading);
  if ('link' in part) return `${label(part.label)}\n${part.link}`;
  if ('lines' in part) return part.lines.map(cleaned).join('\n');
  if ('blocks' in part) {
    return part.blocks.map(({ heading, lines }) => [label(heading), ...lines.map(cleaned)].join('\n')).join('\n\n');
  }
  if ('items' in part) {
    return part.items
      .map(({ name, variant, detail, amount }) => {
        const what = `${detail} × ${variant ? `${name}, ${variant}` : name}`;
        return amount === null ? cleaned(what) : pair(what, amount);
      })
      .join('\n');
  }
  if ('amounts' in part) return part.amounts.map(({ name, amount }) => pair(name, amount)).join('\n');
  const facts = 'transfer' in part ? part.transfer : part.facts;
  return facts.map(([name, value]) => pair(name, value)).join('\n');
}

/** Texts stored by older versions may contain hidden characters. */
function cleaned(text: string): string {
  return withoutHidden(text, { lines: true });
}

/** Replaces line breaks and other control characters, which a header must not contain, with spaces. */
function singleLine(text: string): string {
  return withoutHidden(text.replaceAll(/\p{Cc}+/gu, ' '), { lines: false }).trim();
}
