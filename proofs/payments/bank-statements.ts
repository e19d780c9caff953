/**
 * Bank statements with one transfer of 15.00 for an order of 15.00. The transfer is matched only if both are in the
 * shop's currency.
 */

import type { OpenShop } from '../testing/test-server.ts';

const CURRENCIES = ['EUR', 'USD', 'CHF'];

const FORMATS: Record<string, (order_number: string, currency: string) => string> = {
  'CSV with a column': (order_number, currency) =>
    `Date;Payer;Purpose;Amount;Currency\n21.11.26;June;${order_number};15,00;${currency}\n`,
  'CSV with amounts': (order_number, currency) =>
    `Date;Payer;Purpose;Amount\n21.11.26;June;${order_number};"15,00 ${currency}"\n`,
  CAMT: (order_number, currency) =>
    `<?xml version="1.0"?><Document><BkToCstmrStmt><Stmt><Ntry><Amt Ccy="${currency}">15.00</Amt><CdtDbtInd>CRDT</CdtDbtInd>
     <Sts><Cd>BOOK</Cd></Sts><NtryDtls><TxDtls><RmtInf><Ustrd>${order_number}</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt>
     </BkToCstmrStmt></Document>`,
};

/**
 * Matches transfers in each currency with orders in each currency, and returns the faults. `newOrder` creates an order
 * in this currency that awaits a transfer, and returns the order's number.
 */
export async function matchCurrencies(
  shop: OpenShop,
  newOrder: (currency: string) => Promise<string>,
): Promise<string[]> {
  const faults: string[] = [];
  for (const ordered of CURRENCIES) {
    const order_number = await newOrder(ordered);
    for (const sent of CURRENCIES) {
      for (const [format, write] of Object.entries(FORMATS)) {
        const body = { statement: write(order_number, sent) };
        const { transfers } = await shop.must('dashboard.matchTransfers', { body });
        const outcome = transfers.map((one) => one.outcome).join();
        const isRight = ordered === 'EUR' && sent === 'EUR' ? outcome === 'matched' : outcome !== 'matched';
        if (!isRight) faults.push(`${sent} for an order in ${ordered}, ${format}: ${outcome}`);
      }
    }
  }
  return faults;
}
