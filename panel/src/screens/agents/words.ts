const ACTIONS: Record<string, string> = {
  'agent.searchCatalog': 'Searched the shop',
  'agent.getProduct': 'Looked at a product',
  'agent.findProducts': 'Looked for something',
  'agent.findAndAdd': 'Looked for something and put it into the cart',
  'agent.findAndBuy': 'Looked for something and prepared the purchase',
  'agent.getCart': 'Looked into the cart',
  'agent.getCheckout': 'Looked at a purchase that it had prepared',
  'agent.getCustomer': "Read the customer's profile",
  'agent.listOrders': "Read the customer's orders",
  'agent.getOrder': 'Read an order of the customer',
  'agent.listAudit': 'Read what it had done',
  'agent.getToken': 'Read what it may do and spend',
  'agent.requestConsent': 'Asked for other terms',
  'agent.revokeToken': 'Gave its access back',
};

/** An amount with how often it is there anew. */
export function eachPeriod(amount: string, period: string): string {
  return period === 'once' ? amount : `${amount} a ${period}`;
}

/** What an agent did. An operation that is not known here is told by its own name: `storefront.addCartItem`, "Add cart item". */
export function actionInWords(action: string): string {
  const known = ACTIONS[action];
  if (known) return known;
  const name = action.split('.').at(-1) ?? action;
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const OUTCOMES: Record<number, string> = {
  401: 'No access',
  402: 'Over the budget',
  403: 'Not allowed',
  404: 'Not found',
  422: 'Not understood',
  429: 'Too often',
};

export function outcomeInWords(status: number): string {
  return OUTCOMES[status] ?? (status >= 500 ? 'Failed' : 'Refused');
}
