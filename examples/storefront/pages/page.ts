import type { Html } from '../html.ts';
import type { Key } from '../words.ts';

/** The content between the header and the footer. */
export interface Page {
  /** Empty for the shop's name alone. */
  title: string;
  main: Html;
  /** The pages above this one, each with its path without the language; the first page and this one are added. */
  trail?: readonly (readonly [string, string])[];
  /** For search engines and for whoever shares the page: a sentence or two. */
  description?: string | null;
  image?: string | undefined;
  /** Where the page is, when it was not asked for at its own address; without the language. */
  path?: string;
  /** The subject of the page, in the vocabulary of schema.org. */
  data?: object;
  /** Not for search engines: a cart, an account, one of many ways to filter. */
  isPrivate?: boolean;
  /** Why the form that was posted is shown again. */
  refusal?: Key;
}
