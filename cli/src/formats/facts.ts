import { BOUNDS } from './bounds.ts';

/** Product data in a file for which there is no field. `column` is the name in the file. */
export interface Fact {
  key: string;
  value: string;
  column: string;
}

/**
 * Converts facts to metadata and keeps their order. Empty facts are skipped. A fact that does not fit is omitted with a
 * warning.
 */
export function metadataFrom<Given extends Fact>(
  facts: Given[],
  warn: (message: string, fact: Given) => void,
): Record<string, string> {
  const metadata: Record<string, string> = {};
  for (const fact of facts) {
    const { key, value, column } = fact;
    if (value === '') continue;
    const reason = whyNotKept(metadata, key, value);
    if (reason) warn(`${column}: ${reason}; this value is left out.`, fact);
    else metadata[key] = value;
  }
  return metadata;
}

function whyNotKept(metadata: Record<string, string>, key: string, value: string): string | undefined {
  const length = [...value].length;
  if (length > BOUNDS.metadata_value)
    return `the value has ${length} characters, at most ${BOUNDS.metadata_value} are kept`;
  if ([...key].length > BOUNDS.metadata_key) return `the name has more than ${BOUNDS.metadata_key} characters`;
  if (Object.hasOwn(metadata, key)) return `another column has the name "${key}"`;
  if (Object.keys(metadata).length >= BOUNDS.metadata) return `a product has at most ${BOUNDS.metadata} facts`;
  return undefined;
}

/** Adds the product and variant to a warning. */
export function warningOf(message: string, product: string, sku: string): string {
  return `${message} (${sku ? `${product}, SKU ${sku}` : product})`;
}

const OF_THE_SHOP =
  /(?:^|[^a-z])(?:cost|margin|supplier|wholesale|purchase[ _-]price|buying[ _-]price|internal|private|einkaufspreis|lieferant)(?![a-z])/i;

/** Whether a fact's name looks like internal data. Shoppers can read metadata, so the import warns about such facts. */
export function looksPrivate(name: string): boolean {
  return OF_THE_SHOP.test(name);
}

/**
 * Returns the warning that shoppers could read a column that looks like internal data. `rows` is the number of rows
 * with a value in it; the warning is reported at the first one.
 */
export function warningOfPrivate(column: string, rows: number): string {
  const words = 'shoppers can read metadata, and this looks like internal data of the shop';
  return `${column}: ${words}; ${rows} rows have a value in it, this is the first. Delete the column if it is not for them.`;
}
