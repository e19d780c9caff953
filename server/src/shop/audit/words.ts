import type { AuditDetails, AuditEvent } from '@commerce-backend/spec';
import type { Language } from '../../language/language.ts';

/** The reader of the sentence: the customer or the shop's staff. */
export type Audience = 'customer' | 'merchant';

type Call = Pick<AuditEvent, 'action' | 'status' | 'details'>;

interface Context {
  language: Language;
  audience: Audience;
  details: AuditDetails | null;
}

/** Describes an agent's call in a sentence for the customer or for staff. */
export function inWords(language: Language, { action, status, details }: Call, audience: Audience): string {
  const { say } = language;
  const context = { language, audience, details };
  if (status >= 400) {
    const reason = reasonOf(language, details?.outcome, status, audience);
    const what = details?.query ?? refusedPurchase(language, details) ?? workInWords(context, action, status);
    return say('audit.refused', { reason, what });
  }
  const work = workInWords(context, action, status);
  switch (details?.outcome) {
    case 'dry_run':
      return say('audit.tried', { work });
    case 'needs_choice':
      return say('audit.asked_back', { work: soughtIn(language, details) ?? work });
    case 'not_found':
      return say('audit.nothing_found', { work: soughtIn(language, details) ?? work });
    default:
      return work;
  }
}

/** Descriptions by operation name, without the name of the API. */
const WORK: Record<string, (context: Context) => string> = {
  searchCatalog: searched,
  findProducts: searched,
  listProducts: searched,
  suggest: searched,
  getProduct: ({ language: { say }, details }) => {
    const product = productIn(details)?.content.name;
    return product ? say('audit.product', { product }) : say('audit.some_product');
  },
  findAndAdd: added,
  addCartItem: added,
  updateCartItem: ({ language: { say }, details }) => {
    const { quantity, content } = productIn(details) ?? {};
    return quantity && content && details?.products.length === 1
      ? say('audit.changed', { product: content.name, quantity })
      : say('audit.changed_some');
  },
  removeCartItem: ({ language: { say } }) => say('audit.removed'),
  findAndBuy: purchase,
  createCheckout: purchase,
  cancelCart: ({ language: { say } }) => say('audit.cart_ended'),
  cancelCheckout: ({ language: { say } }) => say('audit.purchase_ended'),
  applyDiscount: ({ language: { say }, details }) =>
    details?.code ? say('audit.code', { code: details.code }) : say('audit.changed_some'),
  removeDiscount: ({ language: { say } }) => say('audit.code_removed'),
  getCart: ({ language: { say } }) => say('audit.cart'),
  listCarts: ({ language: { say } }) => say('audit.cart'),
  createCart: ({ language: { say } }) => say('audit.cart_begun'),
  listCartShippingOptions: ({ language: { say } }) => say('audit.shipping'),
  getShop: ({ language: { say } }) => say('audit.shop'),
  getToken: ({ language: { say } }) => say('audit.access'),
  requestConsent: ({ language: { say } }) => say('audit.other_terms'),
  getCheckout: ({ language: { say } }) => say('audit.checkout'),
  getCustomer: ({ language: { say }, audience }) =>
    audience === 'customer' ? say('audit.profile') : say('audit.their_profile'),
  listOrders: orders,
  listCustomerOrders: orders,
  getOrder: order,
  getCustomerOrder: order,
  prepareReturn: ({ language: { say }, details }) =>
    details?.order_number ? say('audit.return_numbered', { number: details.order_number }) : say('audit.return_some'),
  listAudit: ({ language: { say } }) => say('audit.activity'),
  revokeToken: ({ language: { say } }) => say('audit.ended'),
  unknown: ({ language: { say } }) => say('audit.unknown'),
};

/** Describes the operation of a call, with a generic sentence if `WORK` has no entry for it. */
function workInWords(context: Context, action: string, status: number): string {
  const { language, details } = context;
  // MCP and UCP check credentials before they parse the message, so the operation is unknown.
  if (action === 'unknown' && status === 401) return language.say('audit.called');
  const known = WORK[action.slice(action.lastIndexOf('.') + 1)];
  if (known) return known(context);
  const work = language.say('audit.other', { action });
  const amount = amountIn(language, details);
  return amount ? language.say('audit.of_amount', { work, amount }) : work;
}

function searched({ language, details }: Context): string {
  return soughtIn(language, details) ?? language.say('audit.searched');
}

function soughtIn({ say }: Language, details: AuditDetails | null): string | undefined {
  return details?.query ? say('audit.looked_for', { query: details.query }) : undefined;
}

function added({ language: { say }, details }: Context): string {
  const { quantity, content } = productIn(details) ?? {};
  return quantity && content ? say('audit.added', { quantity, product: content.name }) : say('audit.added_some');
}

function purchase({ language: { say }, language, details }: Context): string {
  const amount = amountIn(language, details);
  if (!amount) return say('audit.purchase_some');
  const { quantity, content } = productIn(details) ?? {};
  if (!quantity || !content) return say('audit.purchase', { amount });
  const others = (details?.products.length ?? 1) - 1;
  return say('audit.purchase_of', { amount, quantity, product: content.name, others });
}

function refusedPurchase(language: Language, details: AuditDetails | null): string | undefined {
  const amount = amountIn(language, details);
  return amount && language.say('audit.refused_purchase', { amount });
}

function orders({ language: { say }, audience }: Context): string {
  return audience === 'customer' ? say('audit.orders') : say('audit.their_orders');
}

function order({ language: { say }, details }: Context): string {
  return details?.order_number ? say('audit.order_numbered', { number: details.order_number }) : say('audit.order');
}

function productIn(details: AuditDetails | null): AuditDetails['products'][number] | undefined {
  return details?.products[0];
}

function amountIn(language: Language, details: AuditDetails | null): string | undefined {
  return details?.amount && details.currency ? language.amount(details.amount, details.currency) : undefined;
}

const REASONS = {
  budget_exceeded: 'audit.over_budget',
  category_not_allowed: 'audit.not_its_category',
  insufficient_stock: 'audit.sold_out',
} as const;

const STATUSES = {
  401: 'audit.no_access',
  402: 'audit.over_budget',
  403: 'audit.not_allowed',
  404: 'audit.not_there',
  410: 'audit.too_late',
  422: 'audit.not_understood',
  429: 'audit.too_often',
} as const;

function reasonOf({ say }: Language, code: string | undefined, status: number, audience: Audience): string {
  if (code === 'human_confirmation_required') {
    return audience === 'customer' ? say('audit.needs_you') : say('audit.needs_customer');
  }
  if (code?.startsWith('discount_')) return say('audit.code_refused');
  const known = REASONS[code as keyof typeof REASONS] ?? STATUSES[status as keyof typeof STATUSES];
  if (known) return say(known);
  return status >= 500 ? say('audit.failed') : (code ?? say('audit.not_allowed'));
}
