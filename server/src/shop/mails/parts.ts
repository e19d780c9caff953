/** A part of a mail, in plain text. Rendering escapes it for the HTML version. */
export type Part =
  /** `in_text_only`: the headline of the HTML version states it. */
  | { paragraph: string; in_text_only?: true }
  /** A note in small letters, such as a command. */
  | { small: string }
  | { heading: string }
  /**
   * A link with its label; only the text version shows the URL. The first link of a mail is its button, unless it is
   * one of several equal links (`among_others`).
   */
  | { link: string; label: string; among_others?: true }
  /** Names and values. */
  | { facts: [name: string, value: string][] }
  /** Bank details, with a QR code for banking apps where one exists. */
  | { transfer: [name: string, value: string][]; code: ScanCode | null }
  /** Names and amounts, such as the sums of an order. */
  | { amounts: Amount[] }
  /** Ordered items; images need https URLs. */
  | { items: Item[] }
  /** Lines of a block, such as a statement. */
  | { lines: string[] }
  /** Blocks with a heading, next to each other on wide screens, such as delivery address and payment. */
  | { blocks: { heading: string; lines: string[] }[] };

export interface Item {
  name: string;
  variant: string | null;
  detail: string;
  /** Null: only name and quantity are shown. */
  amount: string | null;
  picture: string | null;
}

export interface Amount {
  name: string;
  amount: string;
  /** `note`: a part of another amount, such as contained tax. */
  kind?: 'total' | 'note';
}

export interface ScanCode {
  /** A PNG. */
  bytes: Buffer;
  /** Describes the image to people who do not see it. */
  label: string;
  caption: string;
}
