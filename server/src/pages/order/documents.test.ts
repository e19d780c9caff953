import { expect, test } from 'vitest';
import { givenInvoice } from '../../../test/invoices.ts';
import { mailsTo } from '../../../test/mail.ts';
import { type Page, PaperBrowser } from '../../../test/paper-browser.ts';
import { openShop } from '../../../test/shop.ts';

const CODE = '10115';

async function givenInvoiced() {
  const shop = await openShop();
  const customer = await shop.givenCustomer();
  const order = await shop.givenOrder({ email: customer.email, client: customer.client });
  const document_id = await givenInvoice(shop, order.id);
  const { html = '', attached = [] } = (await mailsTo(shop, customer.email)).at(-1) ?? {};
  const [, link = ''] = /href="([^"]*\/orders\/ord_[0-9A-Za-z]{38})"/.exec(html) ?? [];
  return { shop, customer, order, document_id, attached, link, browser: new PaperBrowser(shop.baseUrl) };
}

const isPdf = ({ response, html }: Page) =>
  response.headers.get('content-type')?.startsWith('application/pdf') === true &&
  /^attachment; filename=INV-\d{4}-1\.pdf$/.test(response.headers.get('content-disposition') ?? '') &&
  html.startsWith('%PDF-1.7');

test('a guest downloads the invoice with the mailed link and the postal code, and gets 422 without the postal code', async () => {
  const { link, document_id, browser } = await givenInvoiced();
  const shown = await browser.open(link);
  expect(shown.html).not.toContain(document_id);
  const known = await browser.press(shown, 'show_address', { proof: CODE });

  const file = await browser.press(known, 'download_document', { document: document_id });
  const refused = await browser.press(known, 'download_document', { document: document_id, proof: '10116' });

  expect(isPdf(file)).toBe(true);
  expect([refused.response.status, isPdf(refused)]).toEqual([422, false]);
});

test('the link of one order cannot download the invoice of another (404)', async () => {
  const [one, other] = [await givenInvoiced(), await givenInvoiced()];
  const known = await one.browser.press(await one.browser.open(one.link), 'show_address', { proof: CODE });

  const foreign = await one.browser.press(known, 'download_document', { document: other.document_id });

  expect([foreign.response.status, isPdf(foreign)]).toEqual([404, false]);
});

test('a customer downloads the invoice in the account only when logged in', async () => {
  const { shop, customer, order, document_id, browser } = await givenInvoiced();
  const path = `/account?site_id=${shop.site_id}&order=${order.id}`;
  const address = `${path}&document=${document_id}`;
  expect(isPdf(await browser.open(address))).toBe(false);
  await browser.press(await browser.open(path), 'log_in', { email: customer.email, password: customer.password });

  const page = await browser.open(path);

  expect(page.html).toContain(`document=${document_id}`);
  expect(isPdf(await browser.open(address))).toBe(true);
});

test('the invoice mail has the PDF attached', async () => {
  const { attached } = await givenInvoiced();

  expect(attached).toEqual([expect.stringMatching(/^INV-\d{4}-1\.pdf$/)]);
});
