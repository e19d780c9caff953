import type { Pool } from 'pg';
import type { Config } from '../../config.ts';
import { inTransaction } from '../../db/transaction.ts';
import { mistakesInRow } from '../../http/contract/rows.ts';
import { inventedEmail, type Opened, type Opening, openShop } from '../../shop/merchant/opening.ts';
import type { NewPassword } from '../../shop/merchant/sites.ts';
import { TEST_PROVIDER } from '../../shop/payments/test-provider.ts';
import { inFile, type ShopFile } from './shop-file.ts';

type Unhashed = Omit<Opening, 'password'>;

/** Opens a shop in a transaction of its own. A refusal names the place in the file, if it came of one. */
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

/** What a file opens, with a login made up where it names none. */
export function openingIn({ name, currency, staff, settings, shipping_options, products }: ShopFile): Unhashed {
  return {
    ...{ name, currency, settings, shipping_options, products },
    staff: { email: staff?.email ?? inventedEmail(name), name: staff?.name ?? `${name} (owner)` },
  };
}

/** What programs read. Without a configured address, it says none: only the settings of the server do. */
export function asJson({ credentials, missing, can_sell }: Opened, { baseUrl, baseUrlAssumed }: Config) {
  return {
    ...(!baseUrlAssumed && { base_url: baseUrl, panel_url: `${baseUrl}/panel` }),
    ...credentials,
    setup: { can_sell, missing: missing.map(({ code }) => code) },
  };
}
