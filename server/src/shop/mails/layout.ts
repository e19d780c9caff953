import { escapeHtml } from '../escape-html.ts';
import type { WholeBrand } from '../merchant/brand.ts';

/** Colours of the light mode, in the elements, because some mail programs ignore style sheets. */
export const COLORS = {
  text: '#1f2328',
  muted: '#57606a',
  line: '#d8dee4',
  ground: '#f3f4f6',
  card: '#ffffff',
  box: '#f6f8fa',
} as const;

const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/**
 * Colours of the dark mode, and the layout of phones. They need `!important` to override the styles in the elements. A
 * logo gets a white background, because it may be dark.
 */
const STYLE = `
:root { color-scheme: light dark; supported-color-schemes: light dark }
body, table, td, th, p, h1, h2, a { font-family: ${FONT}; -webkit-text-size-adjust: 100% }
@media (max-width: 480px) {
.ground-cell { padding: 0 !important }
.card { border-radius: 0 !important; border-left: 0 !important; border-right: 0 !important }
.pad { padding-left: 20px !important; padding-right: 20px !important }
.block { display: block !important; width: auto !important; padding-right: 0 !important }
.wide { width: 100% !important }
th.stack { display: block !important; padding: 0 !important; font-size: 14px !important; line-height: 20px !important }
td.stack { display: block !important; padding: 0 0 8px !important }
}
@media (prefers-color-scheme: dark) {
.ground { background: #0f1216 !important }
.card { background: #1b1f24 !important; border-color: #3d444d !important }
.box { background: #262c34 !important }
.text { color: #e6edf3 !important }
.muted { color: #aab4be !important }
.line { border-color: #3d444d !important }
.link { color: #9ecbff !important }
.button, .button-link { background: #e6edf3 !important; color: #16191d !important }
.logo { background: #fff !important; padding: 6px !important; border-radius: 4px !important }
}`;

interface Page {
  locale: string;
  title: string;
  headline: string;
  /** The text that a list of mails shows next to the subject. */
  preview: string;
  /** The name of the shop. */
  name: string;
  brand: Pick<WholeBrand, 'logo_url' | 'accent_color'>;
  links: { address: string; label: string }[];
  /** HTML. */
  body: string;
}

/**
 * The document of every mail: tables of at most 600 px. Outlook for Windows gets outer tables of 600 px, because it
 * supports neither `max-width` nor flexible boxes. Text has enough contrast in light and dark mode.
 */
export function page({ locale, title, headline, preview, name, brand, links, body }: Page): string {
  const { text, muted, line, ground, card } = COLORS;
  const accent = brand.accent_color ?? text;
  const shop = escapeHtml(name);
  const sender = brand.logo_url
    ? `<img class="logo" src="${escapeHtml(brand.logo_url)}" alt="${shop}" height="36" style="display:block;height:36px;max-width:240px;border:0;font-size:18px;font-weight:600">`
    : `<p class="text" style="margin:0;font-size:18px;line-height:24px;font-weight:600;color:${accent}">${shop}</p>`;
  const footer = links.map(
    ({ address, label }) =>
      `<a href="${escapeHtml(address)}" class="muted" style="color:${muted};text-decoration:underline">${escapeHtml(label)}</a>`,
  );
  return `<!doctype html>
<html lang="${locale}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark"><meta name="format-detection" content="telephone=no,date=no,address=no,email=no"><title>${escapeHtml(title)}</title>
<style>${STYLE}
</style></head>
<body class="ground" style="margin:0;padding:0;background:${ground};font-family:${FONT}">
<div style="display:none;max-height:0;overflow:hidden">${escapeHtml(preview)}</div>
<table role="presentation" class="ground" width="100%" cellpadding="0" cellspacing="0" border="0" style="background:${ground}"><tr><td class="ground-cell" align="center" style="padding:24px 12px">
<!--[if mso]><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px;background:${card};border:1px solid ${line};border-top:4px solid ${accent};border-radius:8px;border-collapse:separate">
<tr><td class="pad" style="padding:28px 32px 0">${sender}</td></tr>
<tr><td class="pad text" style="padding:24px 32px 28px;font-size:16px;line-height:24px;color:${text};text-align:left;word-break:break-word;overflow-wrap:anywhere">
<h1 class="text" style="margin:0 0 16px;font-size:24px;line-height:32px;font-weight:700;color:${text}">${escapeHtml(headline)}</h1>
${body}
</td></tr></table>
<!--[if mso]></td></tr></table><table role="presentation" width="600" cellpadding="0" cellspacing="0" border="0"><tr><td><![endif]-->
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:600px"><tr><td class="pad" style="padding:20px 32px">
<p class="muted" style="margin:0;font-size:13px;line-height:20px;color:${muted}">${[shop, ...footer].join(' · ')}</p>
</td></tr></table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
</body>
</html>
`;
}
