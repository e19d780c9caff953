import type { Html } from '../html.ts';
import type { Key } from '../words.ts';

/** A page's content between header and footer. */
export interface Page {
  /** Empty for a page whose title is the shop's name. */
  title: string;
  main: Html;
  /** Breadcrumbs between the start page and this page, with paths without the language. */
  trail?: readonly (readonly [string, string])[];
  /** One or two sentences for search engines and link previews. */
  description?: string | null;
  image?: string | undefined;
  /** Canonical path without the language; by default the path of the request. */
  path?: string;
  /** Structured data of the page's subject (schema.org). */
  data?: object;
  /** Whether to hide the page from search engines: carts, accounts, and filtered lists. */
  isPrivate?: boolean;
  /** The error message of a rejected form, which is shown again. */
  refusal?: Key;
}
