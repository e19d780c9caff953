import { plainText } from './plain-text.ts';

/**
 * Text that a merchant or a customer wrote, made ready for a language model to read (hazards §2.8): without markup, without
 * what cannot be seen, without addresses to follow, and short. It cannot be made trustworthy, so it stands in parts that
 * say `content_trust: "merchant"` alone, and nothing is decided by it.
 */
export const CONTENT_TRUST = 'merchant' as const;

export const CAPS = { name: 200, summary: 80, description: 1_000, value: 500 } as const;

/** Formatting, bidirectional overrides, tag characters, private and unassigned code points, and letters that are blank. */
const UNSEEN =
  /[\p{Cf}\p{Cs}\p{Co}\p{Cn}]|[\u115F\u1160\u2800\u3164\uFFA0]|\u034F|[\u17B4\u17B5]|[\u180B-\u180F]|[\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}]/gu;
const BLANK = /[\p{Cc}\p{Zl}\p{Zp}\p{Zs}]+/gu;
/** An address within a word, with a scheme or without; browsers take the ideographic full stop for a dot. */
const ADDRESS =
  /:\/\/|www[.。][^.]|(?:^|\W)(?:javascript|data|mailto|tel|vbscript|file):\S|(?:[a-z0-9-]{1,63}[.。]){1,8}(?:com|net|org|info|biz|io|co|dev|app|ai|me|ly|gg|xyz|shop|store|site|online|top|club|link|eu|de|uk|fr|us|ru|cn|in|to|cc|tk)(?![a-z0-9])/i;
const REMOVED = '[address removed]';

/** The text in one line, of at most `cap` characters; null when nothing is left of it. */
export function sanitizeMerchantText(text: string | null | undefined, cap: number): string | null {
  if (!text) return null;
  // What stands far behind the cap cannot be part of the answer, and only costs time.
  const visible = withoutMarkup(text.slice(0, cap * 8).normalize('NFKC'))
    .replaceAll(BLANK, ' ')
    .replaceAll(UNSEEN, '')
    .trim()
    .split(' ')
    .map((word) => (ADDRESS.test(word) ? REMOVED : word))
    .join(' ');
  return capped(visible, cap) || null;
}

/** Decoding an entity can bring another tag to light, so it is done until nothing changes; then no tag is left to open. */
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
