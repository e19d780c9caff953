import { escapeHtml } from '../escape-html.ts';
import { COLORS } from './layout.ts';
import type { Amount, Item, Part, ScanCode } from './parts.ts';

/** The Content-ID of the QR code. Mail programs such as Gmail block images in `data:` URLs. */
export const CODE_CID = 'transfer-code';

const { text, muted, line, box } = COLORS;
const TABLE = 'cellpadding="0" cellspacing="0" border="0"';
const PRESENTATION = `role="presentation" ${TABLE}`;
const SMALL = `font-size:14px;line-height:20px;color:${muted}`;

/** The parts as HTML. The first link is the button of the mail. */
export function htmlOf(parts: Part[], accent: string | null): string {
  const main = parts.find((part) => 'link' in part && !part.among_others);
  return parts.map((part) => (part === main ? button(part, accent ?? text) : asHtml(part, accent ?? text))).join('\n');
}

function asHtml(part: Part, accent: string): string {
  if ('paragraph' in part) {
    return part.in_text_only ? '' : `<p style="margin:0 0 16px">${withBreaks(part.paragraph)}</p>`;
  }
  if ('small' in part) return `<p class="muted" style="margin:0 0 12px;${SMALL}">${withBreaks(part.small)}</p>`;
  if ('heading' in part) {
    return `<h2 class="text line" style="margin:28px 0 12px;padding-top:24px;border-top:1px solid ${line};font-size:18px;line-height:24px;font-weight:600;color:${text}">${escapeHtml(part.heading)}</h2>`;
  }
  if ('link' in part) {
    return `<p style="margin:0 0 16px"><a class="link" href="${escapeHtml(part.link)}" style="color:${accent};font-weight:600">${escapeHtml(part.label)}</a></p>`;
  }
  if ('lines' in part) return `<p style="margin:0 0 16px">${part.lines.map(escapeHtml).join('<br>')}</p>`;
  if ('items' in part) return items(part.items);
  if ('amounts' in part) return amounts(part.amounts);
  if ('blocks' in part) return blocks(part.blocks);
  if ('transfer' in part) return transfer(part.transfer, part.code);
  return facts(part.facts, 'margin:0 0 16px');
}

function withBreaks(words: string): string {
  return escapeHtml(words).replaceAll('\n', '<br>');
}

/** Outlook for Windows ignores the padding of links, so the cell has it as well. */
function button(part: Part, accent: string): string {
  if (!('link' in part)) return '';
  return `<table ${PRESENTATION} class="wide" style="margin:8px 0 20px"><tr><td class="button" align="center" bgcolor="${accent}" style="background:${accent};border-radius:6px;mso-padding-alt:13px 24px"><a class="button-link" href="${escapeHtml(part.link)}" style="display:block;padding:13px 24px;border-radius:6px;background:${accent};color:#ffffff;font-size:16px;line-height:22px;font-weight:600;text-decoration:none">${escapeHtml(part.label)}</a></td></tr></table>`;
}

/** Maximum length of the names that stay on one line. */
const SHORT_NAME = 20;

/** With the class `stack`, phones show the values below their names. */
function facts(rows: [string, string][], style: string, classes = ''): string {
  const cells = rows.map(([name, value]) => {
    const wrap = name.length > SHORT_NAME ? 'word-break:normal;overflow-wrap:normal' : 'white-space:nowrap';
    return `<tr><th scope="row" class="muted ${classes}" style="padding:3px 20px 3px 0;text-align:left;vertical-align:top;font-weight:400;${wrap};color:${muted}">${escapeHtml(name)}</th><td class="${classes}" style="padding:3px 0;vertical-align:top">${escapeHtml(value)}</td></tr>`;
  });
  return `<table ${TABLE} style="${style}">${cells.join('')}</table>`;
}

/** Bank details in a box. Many mail programs show images only on request, so the details need no image. */
function transfer(rows: [string, string][], code: ScanCode | null): string {
  const scan = code
    ? `<table ${PRESENTATION} style="margin:12px 0 0"><tr><td style="padding:0 16px 0 0"><img src="cid:${CODE_CID}" alt="${escapeHtml(code.label)}" width="148" height="148" style="display:block;border:0;border-radius:4px"></td><td class="muted" style="vertical-align:middle;${SMALL}">${escapeHtml(code.caption)}</td></tr></table>`
    : '';
  return `<table ${PRESENTATION} width="100%" style="margin:0 0 20px"><tr><td class="box text" style="padding:16px 20px;background:${box};border-radius:6px;color:${text}">${facts(rows, 'margin:0', 'stack')}${scan}</td></tr></table>`;
}

/** Shows pictures only if an item has one. */
function items(all: Item[]): string {
  const hasPictures = all.some(({ picture }) => picture);
  return `<table ${TABLE} width="100%" style="margin:0 0 12px">${all.map((item) => itemRow(item, hasPictures)).join('')}</table>`;
}

function itemRow({ name, variant, detail, amount, picture }: Item, hasPictures: boolean): string {
  const cell = `padding:12px 0;border-bottom:1px solid ${line};vertical-align:middle`;
  const image = picture
    ? `<img src="${escapeHtml(picture)}" alt="" width="64" height="64" style="display:block;width:64px;height:64px;object-fit:cover;border-radius:6px;border:0">`
    : '';
  const options = variant ? `<br><span class="muted" style="${SMALL}">${escapeHtml(variant)}</span>` : '';
  return `<tr>${hasPictures ? `<td class="line" width="80" style="${cell}">${image}</td>` : ''}<td class="line" style="${cell}">${escapeHtml(detail)} × ${escapeHtml(name)}${options}</td><td class="line" align="right" style="${cell};padding-left:16px;white-space:nowrap">${escapeHtml(amount ?? '')}</td></tr>`;
}

function amounts(rows: Amount[]): string {
  return `<table ${TABLE} width="100%" style="margin:0 0 16px">${rows.map(amountRow).join('')}</table>`;
}

const AMOUNT_STYLES = {
  plain: { classes: '', style: 'padding:4px 0' },
  total: { classes: ' class="line"', style: 'padding:8px 0;font-size:20px;line-height:28px;font-weight:700' },
  note: { classes: ' class="muted"', style: `padding:2px 0;${SMALL}` },
} as const;

/** A line separates the total from the amounts before it. */
function amountRow({ name, amount, kind }: Amount, at: number): string {
  const { classes, style: own } = AMOUNT_STYLES[kind ?? 'plain'];
  const style = kind === 'total' && at > 0 ? `${own};border-top:1px solid ${line}` : own;
  const weight = kind === 'total' ? '' : ';font-weight:400';
  return `<tr><th scope="row"${classes} style="text-align:left;${style}${weight}">${escapeHtml(name)}</th><td${classes} align="right" style="${style};white-space:nowrap">${escapeHtml(amount)}</td></tr>`;
}

/** Of three blocks, the first one is the widest, because it is an address. */
function blocks(all: { heading: string; lines: string[] }[]): string {
  const cells = all.map(
    ({ heading, lines }, at) =>
      `<td class="block" width="${all.length === 3 ? (at === 0 ? 42 : 29) : Math.floor(100 / all.length)}%" style="padding:0 20px 16px 0;vertical-align:top"><h2 class="text" style="margin:0 0 4px;font-size:16px;line-height:24px;font-weight:600;color:${text}">${escapeHtml(heading)}</h2><p style="margin:0">${lines.map(escapeHtml).join('<br>')}</p></td>`,
  );
  return `<table ${PRESENTATION} class="line" width="100%" style="margin:28px 0 0;border-top:1px solid ${line};padding-top:20px;border-collapse:separate"><tr>${cells.join('')}</tr></table>`;
}
