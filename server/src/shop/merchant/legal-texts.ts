/** The shop's legal texts, and the URLs of its legal pages, to which pages, mails and programs link. */

import type { LegalTexts, LegalTextsInput, Shop as PublicShop, SettingsPatch } from '@commerce-backend/spec';
import sql, { type Sql } from 'sql-template-tag';
import { LANGUAGES, type LanguageCode } from '../../language/locales.ts';
import { bodyMistake, ValidationError } from '../errors.ts';
import { legalLink } from '../links.ts';
import { sanitizeHtml } from '../rich-text.ts';
import type { WholeLegal } from './brand.ts';

export const LEGAL_KINDS = ['terms', 'privacy', 'withdrawal', 'imprint'] as const;

export type LegalKind = (typeof LEGAL_KINDS)[number];

type TextName = keyof LegalTexts;

const NAMES = LEGAL_KINDS.flatMap((kind) => LANGUAGES.map((language) => `${kind}_${language}` as const));

const NO_TEXTS: LegalTexts = {
  terms_en: null,
  terms_de: null,
  terms_fr: null,
  privacy_en: null,
  privacy_de: null,
  privacy_fr: null,
  withdrawal_en: null,
  withdrawal_de: null,
  withdrawal_fr: null,
  imprint_en: null,
  imprint_de: null,
  imprint_fr: null,
};

/** The texts in `site_settings t`, with null for missing ones. */
export const legalTexts: Sql = sql`${JSON.stringify(NO_TEXTS)}::jsonb || t.legal_texts`;

/** The kinds that have a text in any language, in `site_settings t`. */
export const legalKinds: Sql = sql`to_jsonb(array(
  select distinct split_part(name, '_', 1) from jsonb_object_keys(t.legal_texts) name))`;

export interface LegalPages {
  site_id: string;
  legal: WholeLegal;
  /** The kinds that have a text on the hosted page. */
  legal_texts: LegalKind[];
}

/**
 * The URL of a legal page: the merchant's, otherwise the hosted page if it has a text, otherwise null. `baseUrl` is the
 * base URL of the shop's pages; it is empty for links between them.
 */
export function legalUrl({ site_id, legal, legal_texts }: LegalPages, kind: LegalKind, baseUrl: string): string | null {
  return legal[`${kind}_url`] ?? (legal_texts.includes(kind) ? legalLink(baseUrl, site_id, kind) : null);
}

/** Returns the URLs of all legal pages for API responses. */
export function legalUrls(pages: LegalPages, baseUrl: string): PublicShop['policies'] {
  return {
    terms_url: legalUrl(pages, 'terms', baseUrl),
    privacy_url: legalUrl(pages, 'privacy', baseUrl),
    imprint_url: legalUrl(pages, 'imprint', baseUrl),
    withdrawal_url: legalUrl(pages, 'withdrawal', baseUrl),
  };
}

const MOST_CHARACTERS = 50_000;

/** Returns the sanitized texts, without empty ones. Throws for a text that is too long when sanitized. */
export function storedTexts(texts: LegalTextsInput | undefined): LegalTextsInput | undefined {
  if (!texts) return undefined;
  const kept = keptTexts(texts);
  const mistakes = Object.entries(kept)
    .filter(([, html]) => html.length > MOST_CHARACTERS)
    .map(([name]) =>
      bodyMistake(
        ['legal_texts', name],
        'string_too_long',
        'With its special characters encoded, the text is too long.',
        {
          max_length: MOST_CHARACTERS,
        },
      ),
    );
  if (mistakes.length > 0) throw new ValidationError(mistakes);
  return kept;
}

/** Returns the sanitized texts of an untrusted file, without those that the API would reject. */
export function arrivingTexts(texts: unknown): LegalTextsInput {
  const kept = keptTexts((texts ?? {}) as Record<string, unknown>);
  return Object.fromEntries(Object.entries(kept).filter(([, html]) => html.length <= MOST_CHARACTERS));
}

function keptTexts(texts: Partial<Record<TextName, unknown>>): Record<string, string> {
  return Object.fromEntries(
    NAMES.flatMap((name) => {
      const given = texts[name];
      const { html } = sanitizeHtml(typeof given === 'string' ? given : '');
      return html ? [[name, html]] : [];
    }),
  );
}

/** Throws if the stored settings demand consent to terms that nobody can read. */
export function requireReadableTerms(patch: SettingsPatch, { legal, legal_texts }: Omit<LegalPages, 'site_id'>): void {
  if (!(patch.legal || patch.legal_texts)) return;
  if (!legal.terms_required || legal.terms_url || legal_texts.includes('terms')) return;
  const field = patch.legal ? ['legal', 'terms_required'] : ['legal_texts'];
  const message =
    'Send terms_url or terms in legal_texts too: shoppers must be able to read the terms that they accept.';
  throw new ValidationError([bodyMistake(field, 'value_error', message)]);
}

/** A text of a kind in the first language for which there is one. */
export function textIn(
  texts: Partial<Record<string, string>>,
  kind: LegalKind,
  preferred: LanguageCode[],
): { language: LanguageCode; html: string } | undefined {
  for (const language of [...preferred, ...LANGUAGES]) {
    const html = texts[`${kind}_${language}`];
    if (html) return { language, html };
  }
  return undefined;
}
