import type { Html } from '../html.ts';
import type { Key } from '../words.ts';

/** The content between the header and the footer. */
export interface Page {
  /** Empty to show only the shop's name. */
  title: string;
  main: Html;
  /** The pages above this one, each with its path without the language; the first page and this one are added. */
  trail?: readonly (readonly [string, string])[];
  /** For search engines and link previews: a sentence or two. */
  description?: string | null;
  image?: string | undefined;
  /** The canonical path of the page, if it was requested at another one; without the language. */
  path?: string;
  /** The subject of the page, in the vocabulary of schema.org. */
  data?: object;
  /** Whether search engines should ignore the page: a cart, an account, one of many ways to filter. */
  isPrivate?: boolean;
  /** Why the form that was posted is shown again. */
  refusal?: Key;
}
