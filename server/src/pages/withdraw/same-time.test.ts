import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { formWith, PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';
import { moveToEu } from '../../../test/withdrawals.ts';

/** FULL=1 repeats each case 1,000 times. */
const EACH = process.env.FULL ? 1_000 : 150;
const MOST_MS = 5;
const MOST_ROUNDS = 3;

function median(times: number[]): number {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}

test('submitting a withdrawal takes the same time whether or not it matches an order', {
  timeout: 600_000,
}, async () => {
  const shop = await openShop();
  await moveToEu(shop);
  const email = `jo-${crypto.randomUUID()}@example.com`;
  const variant_id = (await shop.givenProduct()).variants[0]?.id ?? '';
  const { order_number } = await shop.givenOrder({ email, content: [{ variant_id, quantity: 1 }] });
  const browser = new PaperBrowser(shop.baseUrl);
  const path = `/sites/${shop.site_id}/withdraw`;
  const fields = formWith((await browser.open(path)).html, 'review');
  const state = async (entries: Record<string, string>) => {
    for (const [name, value] of Object.entries({ ...entries, name: 'Jo', action: 'confirm' })) fields.set(name, value);
    fields.set('statement', crypto.randomUUID());
    const began = performance.now();
    const { response } = await browser.open(path, {
      method: 'POST',
      body: new URLSearchParams(fields),
      headers: { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
    });
    expect([response.status, response.headers.get('Location')]).toEqual([303, `${path}?sent=yes`]);
    return performance.now() - began;
  };
  for (let i = 0; i < 20; i += 1) await state({ email, contract: order_number });

  // Measures both cases in turn, so that load and the growing number of statements affect both equally.
  const differenceOfMedians = async () => {
    const matched: number[] = [];
    const unmatched: number[] = [];
    for (let i = 0; i < EACH; i += 1) {
      matched.push(await state({ email, contract: order_number }));
      unmatched.push(await state({ email, contract: `${order_number}0` }));
    }
    return Math.abs(median(matched) - median(unmatched));
  };

  // Other processes may disturb one round; a real difference appears in each.
  const differences: number[] = [];
  while (differences.length < MOST_ROUNDS && !differences.some((one) => one < MOST_MS)) {
    differences.push(await differenceOfMedians());
  }
  expect(Math.min(...differences), `milliseconds in each round: ${differences.join(', ')}`).toBeLessThan(MOST_MS);
});
