import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { openShop } from '../../../test/shop.ts';
import { operationTable } from '../../http/contract/contract.ts';

const BANK_DETAILS = { account_holder: 'Alder & Finch GmbH', iban: 'DE89370400440532013000' };

test("llms.txt and skill.md contain a shop's data and the agent operations, with unchanged URLs and enum values", async () => {
  const shop = await openShop();
  const legal = {
    terms_url: 'https://shop.example/_terms_/a_b#returns',
    privacy_url: null,
    imprint_url: null,
    withdrawal_url: null,
  };
  await shop.dashboard.PATCH('/api/dashboard/settings', {
    body: { name: 'Alder # [Finch](x)', bank_details: BANK_DETAILS, legal: { ...legal, terms_required: false } },
  });
  await shop.givenShippingOption({ countries: ['DE'] });
  await shop.givenProduct({ product_type: 'Mugs' });
  const get = (path: string) => fetch(`${shop.baseUrl}${path}`);
  const [llms, skill] = [await get(`/sites/${shop.site_id}/llms.txt`), await get(`/sites/${shop.site_id}/skill.md`)];

  for (const answer of [llms, skill]) {
    expect([answer.status, answer.headers.get('Content-Type'), answer.headers.get('Cache-Control')]).toEqual([
      200,
      'text/markdown; charset=utf-8',
      'public, max-age=300',
    ]);
  }
  const [first, second] = [await llms.text(), await skill.text()];
  expect(first.startsWith('# Alder \\# \\[Finch\\](x)\n\n> ')).toBe(true);
  expect(first).toContain(`(http://localhost/sites/${shop.site_id}/skill.md)`);
  expect(first).toContain('[Terms](https://shop.example/_terms_/a_b#returns)');
  expect(first).not.toContain('[Privacy]');
  expect(second).toMatch(/^---\nname: shop-[0-9a-f-]{36}\ndescription: ".*"\n---\n/);
  for (const text of [first, second]) {
    expect(text).toContain('- Delivery to: DE');
    expect(text).toContain('- Categories: Mugs');
    expect(text).toContain(`http://localhost/sites/${shop.site_id}/mcp/public`);
    expect(text).toContain('- Payment, by the customer: bank_transfer');
  }
  for (const { id, path, surface, scope } of operationTable) {
    if (surface !== 'agent' || scope === undefined) continue;
    expect(first).toContain(id);
    expect(second).toContain(path);
  }
  expect([(await get(`/sites/${randomUUID()}/llms.txt`)).status, (await get('/skill.md')).status]).toEqual([404, 404]);
});
