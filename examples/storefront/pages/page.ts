import type { Html } from '../html.ts';

/** What stands between the header and the footer. */
export interface Page {
  /** Empty for the shop's name alone. */
  title: string;
  main: Html;
}
