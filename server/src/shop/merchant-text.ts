/**
 * Sanitizes texts of merchants and customers for language models: removes markup, invisible characters and URLs, and
 * shortens the text. The result is still untrusted; responses to agents mark it with `content_trust: "merchant"`.
 */

import { plainText } from './plain-text.ts';

export const CONTENT_TRUST = 'merchant' as const;

export const CAPS = { name: 200, summary: 80, description: 1_000, value: 500 } as const;

/**
 * Invisible characters: formatting, bidirectional overrides, tag characters, private and unassigned code points, and
 * blank letters.
 */
const UNSEEN =
  /[\p{Cf}\p{Cs}\p{Co}\p{Cn}]|[\u115F\u1160\u2800\u3164\uFFA0]|\u034F|[\u17B4\u17B5]|[\u180B-\u180F]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu;
const BLANK = /[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu;
/** Matches a URL with or without scheme. Browsers treat the ideographic full stop as a dot. */
const ADDRESS =
  /:\/\/|www[.。][^.]|(?:^|\W)(?:javascript|data|mailto|tel|vbscript|file):\S|(?:[a-z0-9-]{1,63}[.。]){1,8}(?:com|net|org|info|biz|io|co|dev|app|ai|me|ly|gg|xyz|shop|store|site|online|top|club|link|eu|de|uk|fr|us|ru|cn|in|to|cc|tk)(?![a-z0-9])/i;
const REMOVED = '[address removed]';

/** Sanitizes text to one line of at most `cap` characters; null if nothing is left. */
export function sanitizeMerchantText(text: string | null | undefined, cap: number): string | null {
  if (!text) return null;
  // Limits the work on a long text: ignores all but the first `cap * 8` characters.
  const visible = withoutMarkup(text.slice(0, cap * 8).normalize('NFKC'))
    .replaceAll(BLANK, ' ')
    .replaceAll(UNSEEN, '')
    .trim()
    .split(' ')
    .map((word) => (ADDRESS.test(word) ? REMOVED : word))
    .join(' ');
  return capped(visible, cap) || null;
}

/**
 * Removes markup. Decoding an entity can reveal another tag, so tags are removed and entities decoded up to four times.
 * Then everything that could start an entity or a tag is removed.
 */
function withoutMarkup(text: string): string {
  let before = text.replaceAll(UNSEEN, '');
  for (let rounds = 0; rounds < 4; rounds += 1) {
    const after = plainText(before);
    if (after === before) break;
    before = after;
  }
  return before.replaceAll(/&+(?=#?[a-z0-9]+;)/gi, '').replaceAll(/<+(?=[a-z!/?])/gi, '');
}

function capped(text: string, cap: number): string {
  const points = Array.from(text);
  return points.length <= cap
    ? text
    : `${points
        .slice(0, cap - 1)
        .join('')
        .trimEnd()}…`;
}
