import type { Pool } from 'pg';
import type { Config } from '../../config.ts';
import { inTransaction } from '../../db/transaction.ts';
import { mistakesInRow } from '../../http/contract/rows.ts';
import { inventedEmail, type Opened, type Opening, openShop } from '../../shop/merchant/opening.ts';
import type { NewPassword } from '../../shop/merchant/sites.ts';
import { TEST_PROVIDER } from '../../shop/payments/test-provider.ts';
import { inFile, type ShopFile } from './shop-file.ts';

type Unhashed = Omit<Opening, 'password'>;

/** Opens a shop in its own transaction. With `file`, error messages name the field in that file. */
export function openIn(
  db: Pool,
  { baseUrl, cardProvider }: Config,
  opening: Unhashed & { password: NewPassword },
  file?: string,
): Promise<Opened> {
  const card = cardProvider === 'test' ? { name: TEST_PROVIDER } : undefined;
  const refusedAt = (at: string, error: unknown) => (file ? inFile(file, at, error) : error);
  return inTransaction(db, (connection) => openShop(connection, opening, { baseUrl, card, mistakesInRow, refusedAt }));
}

/** The content of a file, with a generated login if the file names none. */
export function openingIn({ name, currency, staff, settings, shipping_options, products }: ShopFile): Unhashed {
  return {
    ...{ name, currency, settings, shipping_options, products },
    staff: { email: staff?.email ?? inventedEmail(name), name: staff?.name ?? `${name} (owner)` },
  };
}

/**
 * The JSON output. It contains URLs only if BASE_URL or PORT is set. Otherwise the server's base URL may differ from
 * the one that this command assumes.
 */
export function asJson({ credentials, missing, can_sell }: Opened, { baseUrl, baseUrlAssumed }: Config) {
  return {
    ...(!baseUrlAssumed && { base_url: baseUrl, panel_url: `${baseUrl}/panel` }),
    ...credentials,
    setup: { can_sell, missing: missing.map(({ code }) => code) },
  };
}
