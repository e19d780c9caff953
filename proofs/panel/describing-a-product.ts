/**
 * Tests formatted descriptions in the product editor. The visual editor must not lose anything that the server allows.
 */

import { unwrap } from '@commerce-backend/sdk';
import { expect } from 'vitest';
import { PATIENCE_MS } from '../../server/test/tab.ts';
import { inPanel, inPanelAndOnPhone, type Visit } from './visit.ts';

/** One text for each element that descriptions may contain. */
const ELEMENTS: Record<string, string> = {
  ...Object.fromEntries(
    'h1 h2 h3 h4 h5 h6 div pre section article p'.split(' ').map((tag) => [tag, `<${tag}>In it</${tag}>`]),
  ),
  ...Object.fromEntries(
    'span b strong i em u s del ins small mark sub sup code kbd abbr cite q'
      .split(' ')
      .map((tag) => [tag, `<p>Before <${tag}>in it</${tag}> after</p>`]),
  ),
  br: '<p>One<br>two</p>',
  wbr: '<p>One<wbr>two</p>',
  blockquote: '<blockquote><p>In it</p></blockquote>',
  hr: '<p>One</p><hr><p>two</p>',
  ul: '<ul><li>Oak</li><li>Oil</li></ul>',
  ol: '<ol start="3" type="a" reversed><li value="4">Oak</li></ol>',
  dl: '<dl><dt>Wood</dt><dd>Oak</dd></dl>',
  table: '<table><caption>Sizes</caption><tbody><tr><th scope="row">S</th><td colspan="2">40</td></tr></tbody></table>',
  colgroup: '<table><colgroup><col span="2"></colgroup><thead><tr><td>S</td></tr></thead></table>',
  a: '<p><a href="https://shop.example/" title="More">in it</a></p>',
  img: '<p>One <img src="https://shop.example/a.png" alt="A tray" width="20"></p>',
  figure: '<figure><img src="https://shop.example/a.png" alt=""><figcaption>In it</figcaption></figure>',
  details: '<details open><summary>Care</summary><p>Oil it.</p></details>',
  lang: '<p lang="fr" dir="ltr">Plateau</p>',
};

inPanel(
  'a description is formatted with the keyboard, pasted text loses its styles, and HTML can be edited',
  async (visit) => {
    const { open, press, fill, sees, look, tab, dashboard, width } = visit;
    const { id } = await unwrap(
      dashboard.POST('/api/dashboard/products', {
        body: { name: `Tray ${width}`, price: '30.00', description: 'Of oak & oil.', metadata: { material: 'oak' } },
      }),
    );
    const params = { path: { product_id: id } };
    const read = () => unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
    await open(`/products/${id}`);
    await fill('Title for search engines', 'An oak tray');
    await save(visit);
    // Saving other fields does not turn a plain description into a formatted one.
    expect(await read()).toMatchObject({
      description: 'Of oak & oil.',
      description_html: null,
      seo_title: 'An oak tray',
    });

    await tab.locator(TEXT).click();
    await tab.keyboard.down('Control');
    await tab.keyboard.press('End');
    await tab.keyboard.up('Control');
    await tab.keyboard.press('Enter');
    await press('Bold');
    await tab.keyboard.type('Heavy');
    await press('Bold');
    await tab.keyboard.press('Enter');
    // The whole toolbar is one Tab stop, and the arrow keys move within it.
    await tab.keyboard.down('Shift');
    await tab.keyboard.press('Tab');
    await tab.keyboard.up('Shift');
    const focused = () => tab.evaluate(`document.activeElement.getAttribute('aria-label')`);
    for (let moves = 0; moves < 12 && (await focused()) !== 'List'; moves += 1) await tab.keyboard.press('ArrowRight');
    expect(await focused()).toBe('List');
    await tab.keyboard.press('Enter');
    // The editor regains the focus in the next frame.
    await tab.waitForFunction(`document.activeElement.matches('.rich-text')`);
    await tab.keyboard.type('Cut by hand');
    await tab.keyboard.press('Enter');
    await paste(
      visit,
      `<p class="MsoNormal" style="margin:0"><o:p></o:p><span style="color:red;font-family:Calibri">Pasted <b>text</b></span></p>`,
    );
    await look('product-description');
    await save(visit);
    const formatted =
      '<p>Of oak &amp; oil.</p><p><strong>Heavy</strong></p><ul><li>Cut by hand</li><li>Pasted <strong>text</strong></li></ul>';
    expect(await read()).toMatchObject({
      description_html: formatted,
      description: expect.stringMatching(/^Of oak & oil\.\s+Heavy\s+- Cut by hand\s+- Pasted text$/),
      metadata: { material: 'oak' },
    });

    // After all changes are undone, there is nothing to save.
    await tab.locator(TEXT).click();
    await tab.keyboard.type('x');
    await sees('Not saved yet.');
    await press('Undo');
    await tab.waitForFunction(`!document.querySelector('.save-bar')`);
    await press('Edit as HTML');
    expect(await htmlIn(visit)).toBe(formatted);
    await type(
      visit,
      `<p>Typed</p><script>console.error('run')</script><img src="data:," onerror="console.error('run')">`,
    );
    await sees('The visual editor would lose parts of this description: onerror');
    await tab.locator('details.preview > summary').click();
    await tab.waitForFunction(`document.querySelector('iframe')?.srcdoc.includes('onerror')`);
    const sandbox = await tab.$eval('iframe', (frame) => [frame.sandbox.length, frame.hasAttribute('sandbox')]);
    expect(sandbox).toEqual([0, true]);
    const previewed = async () => {
      const frame = await (await tab.waitForSelector('details[open] iframe'))?.contentFrame();
      return String(await frame?.evaluate('document.body.innerText')).trim();
    };
    await expect.poll(previewed, { timeout: PATIENCE_MS }).toBe('Typed');
    await look('product-description-html');
    await save(visit);
    expect(await read()).toMatchObject({ description_html: '<p>Typed</p>', description: 'Typed' });
    await press('Visual editor');
    await fill('Description', '');
    await save(visit);
    expect(await read()).toMatchObject({ description_html: null, description: '' });
  },
);

inPanel('each element of a description survives a change in the visual editor, or is edited as HTML', async (visit) => {
  const { open, press, sees, fill, tab, dashboard, width } = visit;
  const description_html = Object.values(ELEMENTS).join('\n');
  const body = { name: `Everything ${width}`, price: '30.00', description_html };
  const { id, description_html: stored } = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
  await open(`/products/${id}`);
  await sees('The visual editor would lose parts of this description:');
  await fill('Vendor', 'Joiner');
  await save(visit);
  const params = { path: { product_id: id } };
  const now = await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }));
  expect(now).toMatchObject({ vendor: 'Joiner', description_html: stored });

  const visual: string[] = [];
  for (const [name, html] of Object.entries(ELEMENTS)) {
    await type(visit, '<p>Before</p>');
    await tab.waitForSelector(`${VISUAL}:not([disabled], [aria-disabled="true"])`);
    await type(visit, html);
    if (!(await canBeVisual(visit))) continue;
    visual.push(name);
    await tab.$eval(VISUAL, (button) => (button as unknown as { click(): void }).click());
    await tab.waitForSelector(TEXT);
    await tab.focus(TEXT);
    await tab.keyboard.down('Control');
    await tab.keyboard.press('End');
    await tab.keyboard.up('Control');
    await tab.keyboard.type('!');
    await press('Edit as HTML');
    await tab.waitForSelector(HTML);
    const text = await htmlIn(visit);
    const parts = (of: string) =>
      (of.match(/<[^>]+>/g) ?? []).map((tag) => SYNONYMS[tag] ?? tag).filter((tag) => !/^<\/?span>$/.test(tag));
    expect(text, name).toContain('!');
    expect(parts(text), name).toEqual(parts(html));
  }
  expect(visual).toEqual(expect.arrayContaining(['p', 'h2', 'h3', 'ul', 'b', 'em', 'a', 'br', 'hr', 'blockquote']));
  expect(visual).not.toEqual(expect.arrayContaining(['table']));
});

inPanelAndOnPhone('a product with twelve variants and formatted text is published within 12 clicks', async (visit) => {
  const { open, press, sees, look, tab, dashboard, width } = visit;
  await open('/products');
  await tab.evaluate(`(() => {
    window.clicks = 0;
    addEventListener('click', ({ isTrusted, detail }) => { if (isTrusted && detail > 0) window.clicks += 1; }, true);
  })()`);
  await press('Add product', 'link');
  await tab.waitForFunction(`document.activeElement?.name === 'name'`);
  const name = `Rain hat ${width}`;
  await tab.keyboard.type(name);
  await tab.locator(TEXT).click();
  await press('List');
  await press('Bold');
  await tab.keyboard.type('Dry');
  await tab.keyboard.press('Enter');
  await tab.keyboard.type('Warm');
  await tab.keyboard.press('Tab');
  expect(await tab.evaluate(`document.activeElement?.closest('[role="textbox"][aria-multiline]')`), 'Tab leaves').toBe(
    null,
  );
  await tab.locator('::-p-aria([name="Price"][role="textbox"])').click();
  await tab.keyboard.type('24.90');
  for (const [option, values] of [
    ['Size', 'S, M, L, XL'],
    ['Colour', 'Red, Blue, Black'],
  ] as const) {
    await press('Add an option');
    await tab.waitForFunction(`/^options/.test(document.activeElement?.name)`);
    await tab.keyboard.type(option);
    await tab.keyboard.press('Tab');
    await tab.keyboard.type(values);
    await tab.keyboard.press('Enter');
  }
  await sees('Variants (12)');
  await look('product-with-variants');
  await press('Save and publish');
  await sees('Saved and published.');
  expect(await tab.evaluate('window.clicks')).toBeLessThanOrEqual(12);
  const query = { q: name, limit: 1 };
  const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
  expect(products[0]).toMatchObject({
    ...{
      name,
      status: 'active',
      description_html: '<ul><li><strong>Dry</strong></li><li><strong>Warm</strong></li></ul>',
    },
  });
  const { variants = [] } = products[0] ?? {};
  expect(variants.map(({ option1, option2, price }) => `${option1} ${option2} ${price}`)).toEqual(
    ['S', 'M', 'L', 'XL'].flatMap((size) => ['Red', 'Blue', 'Black'].map((colour) => `${size} ${colour} 24.90`)),
  );
});

inPanel(
  'a duplicated product is a draft with the same texts, pictures and prices, but without SKUs and stock',
  async (visit) => {
    const { open, press, fill, sees, tab, dashboard, width } = visit;
    const query = { limit: 5, sort: 'oldest' as const };
    const { products } = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query } }));
    const url = products.flatMap(({ images }) => images)[0]?.url ?? '';
    const name = `Bench ${width}`;
    const body = {
      ...{ name, description_html: '<p>Of <strong>oak</strong></p>', vendor: 'Joiner', tags: ['wood'] },
      ...{ status: 'active' as const, metadata: { wood: 'oak' }, images: [{ url, alt: 'The bench' }] },
      options: [{ name: 'Length', values: ['1 m', '2 m'] }],
      variants: [
        { option1: '1 m', price: '80.00', sku: `BENCH-1-${width}`, barcode: `4006381333931`, inventory_quantity: 3 },
        { option1: '2 m', price: '120.00', inventory_quantity: 4, image_url: url },
      ],
    };
    const original = await unwrap(dashboard.POST('/api/dashboard/products', { body }));
    const title = `Gifts ${width}`;
    const { id: collection_id } = await unwrap(
      dashboard.POST('/api/dashboard/collections', { body: { title, type: 'manual' } }),
    );
    const collection = { path: { collection_id } };
    await unwrap(
      dashboard.POST('/api/dashboard/collections/{collection_id}/products', {
        params: collection,
        body: { product_ids: [original.id] },
      }),
    );
    await open(`/products/${original.id}`);
    await press('Duplicate product', 'link');
    await sees('New product');
    await tab.waitForFunction(`document.querySelector('input[name="name"]')?.value === '${name} (copy)'`);
    await fill('Vendor', 'Other joiner');
    await press('Save as draft');
    await sees('Saved as a draft.');
    const made = await unwrap(
      dashboard.GET('/api/dashboard/products', { params: { query: { q: `${name} (copy)`, limit: 1 } } }),
    );
    const copy = made.products[0];
    expect(copy).toMatchObject({
      ...{ name: `${name} (copy)`, status: 'draft', description_html: '<p>Of <strong>oak</strong></p>' },
      ...{ vendor: 'Other joiner', tags: ['wood'], metadata: { wood: 'oak' }, images: [{ url, alt: 'The bench' }] },
      variants: [
        { option1: '1 m', price: '80.00', sku: null, barcode: null, inventory_quantity: 0 },
        { option1: '2 m', price: '120.00', sku: null, inventory_quantity: 0, image_url: url },
      ],
    });
    expect(copy?.slug).not.toBe(original.slug);
    const gifts = await unwrap(dashboard.GET('/api/dashboard/products', { params: { query: { collection_id } } }));
    expect(gifts.products.map(({ id }) => id).toSorted()).toEqual([original.id, copy?.id].toSorted());
    const params = { path: { product_id: original.id } };
    expect(await unwrap(dashboard.GET('/api/dashboard/products/{product_id}', { params }))).toEqual(original);
  },
);

const TEXT = '.rich-text[contenteditable="true"]';
const HTML = 'textarea[name="description_html"]';
const VISUAL = '.rich-text-field > button';
const SYNONYMS: Record<string, string> = { '<b>': '<strong>', '</b>': '</strong>', '<i>': '<em>', '</i>': '</em>' };

async function save({ press, tab }: Visit): Promise<void> {
  await press('Save');
  await tab.waitForFunction(`!document.querySelector('.save-bar')`);
}

/** Waits until the HTML is checked. Returns whether it can be edited visually. */
async function canBeVisual({ tab }: Visit): Promise<boolean> {
  const checked = await tab.waitForFunction(`(() => {
    if (document.querySelector('.rich-text-field .hint').textContent.includes('would lose')) return 'no';
    return document.querySelector('${VISUAL}').matches('[disabled], [aria-disabled="true"]') ? '' : 'yes';
  })()`);
  return (await checked.jsonValue()) === 'yes';
}

function htmlIn({ tab }: Visit): Promise<string> {
  return tab.$eval(HTML, (field) => field.value);
}

/** Replaces the whole HTML in one step, because typing it takes long. */
async function type({ tab }: Visit, html: string): Promise<void> {
  await tab.waitForSelector(HTML);
  await tab.evaluate(`(() => {
    const field = document.querySelector('${HTML}');
    Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, ${JSON.stringify(html)});
    field.dispatchEvent(new Event('input', { bubbles: true }));
  })()`);
}

async function paste({ tab }: Visit, html: string): Promise<void> {
  await tab.evaluate(`(() => {
    const clipboardData = new DataTransfer();
    clipboardData.setData('text/html', ${JSON.stringify(html)});
    document.querySelector('${TEXT}').dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  })()`);
}
