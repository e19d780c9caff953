import { createStorefrontClient, isError, unwrap } from '@commerce-backend/sdk';

/**
 * A product of a shop on another site's page, such as a blog:
 *
 *     <buy-button shop="https://shop.example" site-id="…" token="stk_…" product="rowan-stoneware-mug"></buy-button>
 *
 * It calls the storefront's public API from the page's own origin, and redirects the shopper to the shop's hosted checkout. The
 * token is public: anyone may read it, and it can be limited to certain origins.
 */
class BuyButton extends HTMLElement {
  async connectedCallback() {
    const { shop, product, token } = Object.fromEntries([...this.attributes].map(({ name, value }) => [name, value]));
    this.storefront = createStorefrontClient({
      baseUrl: shop ?? '',
      siteId: this.getAttribute('site-id') ?? '',
      storefrontToken: token ?? '',
    });
    this.root = this.attachShadow({ mode: 'open' });
    try {
      const params = { path: { id_or_slug: product ?? '' } };
      this.show(await unwrap(this.storefront.GET('/api/storefront/products/{id_or_slug}', { params })));
    } catch (error) {
      // An error message would disturb readers of the article.
      console.error(error);
      this.remove();
    }
  }

  show({ name, currency, images, variants }) {
    const money = new Intl.NumberFormat(document.documentElement.lang || 'en', { style: 'currency', currency });
    this.root.replaceChildren(TEMPLATE.content.cloneNode(true));
    const [image, title, choice, form, says] = ['img', 'strong', 'select', 'form', 'output'].map((tag) =>
      this.root.querySelector(tag),
    );
    Object.assign(image, { src: images[0]?.url ?? '', hidden: images.length === 0 });
    title.textContent = name;
    for (const { id, option1, option2, option3, price, available } of variants) {
      const words = [option1, option2, option3].filter(Boolean).join(', ');
      const option = new Option([words, money.format(price)].filter(Boolean).join(' – '), id);
      option.disabled = !available;
      choice.append(option);
    }
    choice.value = variants.find(({ available }) => available)?.id;
    form.querySelector('button').disabled = !variants.some(({ available }) => available);
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      try {
        location.assign(await this.checkoutOf(choice.value));
      } catch (error) {
        says.value = isError(error, 'insufficient_stock') ? 'This has just sold out.' : 'Please try again in a moment.';
      }
    });
  }

  /** Creates a checkout with one item. Returns the URL of the hosted checkout. */
  async checkoutOf(variant_id) {
    const { id: cart_id } = await unwrap(this.storefront.POST('/api/storefront/cart'));
    const params = { path: { cart_id } };
    const body = { variant_id, quantity: 1 };
    await unwrap(this.storefront.POST('/api/storefront/cart/{cart_id}/items', { params, body }));
    return (await unwrap(this.storefront.POST('/api/storefront/checkout', { body: { cart_id } }))).checkout_url;
  }
}

const TEMPLATE = document.createElement('template');
TEMPLATE.innerHTML = `<style>
  form { display: grid; grid-template-columns: 5rem 1fr; gap: 0.5rem 1rem; align-items: center; max-width: 24rem; padding: 1rem;
    font: 1rem / 1.4 system-ui, sans-serif; color: #22241f; background: #faf8f4; border: 1px solid #ddd6c8; border-radius: 1rem; }
  img { grid-row: span 2; width: 100%; border-radius: 0.6rem; }
  select, button { min-height: 2.75rem; font: inherit; border-radius: 0.6rem; border: 1px solid #8d8a7f; background: #fff; color: inherit; }
  button { grid-column: 1 / -1; font-weight: 600; color: #fff; background: #2f4a3c; cursor: pointer; }
  button:disabled { background: #5f6058; cursor: default; }
  output { grid-column: 1 / -1; }
  output:empty { display: none; }
</style>
<form><img alt="" width="80" height="80"><strong></strong><select aria-label="Choice"></select><button>Buy</button><output></output></form>`;

customElements.define('buy-button', BuyButton);
