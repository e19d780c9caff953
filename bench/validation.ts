import { operationTable } from '../server/src/http/contract/contract.ts';
import { alternate, type Load } from './load.ts';
import { startFile, stop } from './processes.ts';
import { percent, report, table, whole } from './report.ts';

const FEW = 10;

/** What validation costs: a bare Express route against the same route behind it, with few operations mounted and all. */
export async function validation(load: Load): Promise<void> {
  const all = operationTable.length;
  const servers = await Promise.all(
    ['bare', String(FEW), String(all)].map((mode) => startFile('validation-server.ts', [mode])),
  );
  const [bare, few, many] = servers.map(({ url }) => ({
    url: `${url}/api/storefront/products?limit=20&in_stock=true`,
    headers: { 'X-Site-ID': crypto.randomUUID(), 'X-Service-Token': 'stk_none' },
  }));
  if (!bare || !few || !many) throw new Error('A server is missing.');
  try {
    const rates = await alternate({ bare, few, many }, load);
    const row = (name: string, { requests, p50, p99 }: (typeof rates)['bare']) => [
      ...[name, whole(requests), percent(requests, rates.bare.requests), p50, p99],
    ];
    await report('validation', undefined, [
      ...table(
        ['Route', 'requests/s', 'of bare', 'p50 ms', 'p99 ms'],
        [
          row('bare Express 5', rates.bare),
          row(`with validation, ${FEW} operations mounted`, rates.few),
          row(`with validation, all ${all} operations mounted`, rates.many),
        ],
      ),
    ]);
  } finally {
    await stop(...servers);
  }
}
