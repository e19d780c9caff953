import { decimal } from '../../server/src/shop/money.ts';
import { type AgentTerms, openAgent } from '../testing/agents.ts';
import { openAccount, openCustomerSession } from '../testing/customers.ts';
import { onlyVariantOf, putOnSale } from '../testing/products-and-checkouts.ts';
import type { Answer, OpenShop, Request } from '../testing/test-server.ts';

type Buy = NonNullable<Request<'agent.findAndBuy'>['body']>;
type Add = NonNullable<Request<'agent.findAndAdd'>['body']>;
export type Confirmation = Answer<'storefront.completeCheckout'>;

export interface Goods {
  product_id: string;
  variant_id: string;
}

/** An agent's budget and spending, in minor units of the currency. */
export interface Spending {
  budget: number;
  used: number;
  /** The total of all orders, except orders that were cancelled before payment. */
  ordered: number;
  /** The number of all orders. */
  orders: number;
}

/** A logged-in customer, with an agent that prepares purchases, which the customer confirms. */
export class AgentPurchases {
  readonly shop: OpenShop;
  readonly agent: { id: string; secret: string };
  /** The credentials of the customer and of the agent, in the form that requests take. */
  readonly as: { customer_token: string };
  readonly by: { agent_token: string };
  /** The number of confirmation attempts. */
  confirmations = 0;

  private constructor(shop: OpenShop, customer_token: string, agent: { id: string; secret: string }) {
    this.shop = shop;
    this.agent = agent;
    this.as = { customer_token };
    this.by = { agent_token: agent.secret };
  }

  /**
   * Creates a customer with an agent that has this budget and these categories; an empty list allows all categories.
   */
  static async open(
    shop: OpenShop,
    budget_cents: number,
    categories: string[] = [],
    terms: AgentTerms = {},
  ): Promise<AgentPurchases> {
    const { premises, site_id } = shop;
    const tenant = { site_id, canary: 'proof' };
    const { id } = await openAccount(premises, tenant);
    const customer_token = await openCustomerSession(premises, tenant, id);
    return new AgentPurchases(
      shop,
      customer_token,
      await openAgent(premises, tenant, id, budget_cents, { categories, ...terms }),
    );
  }

  /** Formats minor units of the shop's currency as an amount. */
  amount(cents: number): string {
    return decimal(cents, this.shop.tenant.currency_digits);
  }

  /** Creates a product with this price and unlimited stock. */
  async sell(cents: number, input: Parameters<typeof putOnSale>[1] = {}): Promise<Goods> {
    const product = await putOnSale(this.shop, {
      ...{ price: this.amount(cents), requires_shipping: false, track_inventory: false },
      ...input,
    });
    return { product_id: product.id, variant_id: onlyVariantOf(product) };
  }

  add(body: Add) {
    return this.shop.ask('agent.findAndAdd', { ...this.by, body });
  }

  buy(body: Buy) {
    return this.shop.ask('agent.findAndBuy', { ...this.by, body });
  }

  /** The agent creates a checkout that is ready for the customer to confirm. */
  async prepare(body: Buy): Promise<{ id: string; cart_id: string }> {
    const { checkout } = await this.shop.must('agent.findAndBuy', { ...this.by, body });
    if (!checkout) throw new Error(`The agent made no checkout of ${JSON.stringify(body)}.`);
    await this.payBy(checkout.id);
    return checkout;
  }

  payBy(checkout_id: string, more: NonNullable<Request<'storefront.updateCheckout'>['body']> = {}) {
    // The customer's own phone number contains the tenant's marker or a hostile text, so none is used by default.
    const body = { payment_method: 'bank_transfer', phone: null, ...more } as const;
    return this.shop.must('storefront.updateCheckout', { ...this.as, path: { checkout_id }, body });
  }

  confirm(checkout_id: string): Promise<Confirmation> {
    this.confirmations += 1;
    return this.shop.ask('storefront.completeCheckout', { ...this.as, path: { checkout_id }, body: {} });
  }

  /** Starts a card payment that stays pending until the customer acts at the provider. */
  async beginPayment(checkout_id: string): Promise<Confirmation> {
    await this.payBy(checkout_id, { payment_method: 'card' });
    const body = { payment: { card_token: 'tok_3ds' } };
    return this.shop.ask('storefront.completeCheckout', { ...this.as, path: { checkout_id }, body });
  }

  /** Confirms a checkout, and confirms each new total if the shop reports a changed price, at most five times. */
  async confirmWhatever(checkout_id: string): Promise<Confirmation> {
    const path = { checkout_id };
    let answer = await this.confirm(checkout_id);
    for (let times = 0; answer.refusal?.error === 'price_changed' && times < 5; times += 1) {
      this.confirmations += 1;
      const body = { expected_total: String(answer.refusal.total) };
      answer = await this.shop.ask('storefront.completeCheckout', { ...this.as, path, body });
    }
    return answer;
  }

  async spending(): Promise<Spending> {
    const { rows } = await this.shop.premises.owner.query<Spending>(
      `select a.budget_cents::float8 as budget, a.budget_used_cents::float8 as used, (
         select coalesce(sum(o.total * 10::numeric ^ s.currency_digits), 0)::float8 from commerce.orders o
         where o.site_id = a.site_id and o.agent_token_id = a.id
           and (o.status <> 'cancelled' or o.payment_confirmed_at is not null)) as ordered, (
         select count(*)::int from commerce.orders o where o.site_id = a.site_id and o.agent_token_id = a.id) as orders
       from commerce.agent_tokens a join commerce.sites s using (site_id) where a.site_id = $1 and a.id = $2`,
      [this.shop.site_id, this.agent.id],
    );
    const [spending] = rows;
    if (!spending) throw new Error(`The agent ${this.agent.id} is gone.`);
    return spending;
  }
}
