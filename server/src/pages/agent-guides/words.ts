import type { AgentShop } from '@commerce-backend/spec';
import { document, type Operation, operationTable } from '../../http/contract/contract.ts';
import { plainText } from '../../http/pipeline/markdown-text.ts';

/** The shop's data in the guides. */
export interface GuidedShop extends AgentShop {
  /** Origin of the shop's API. */
  origin: string;
  /** Base URL of the shop's own endpoints: its host, or its issuer's path. */
  issuer: string;
  /** Whether the tools at /mcp/public can be called. */
  public_tools: boolean;
  /** The page on which consumers withdraw from contracts; null if it is off. */
  withdrawal_form_url: string | null;
}

/** The agent operations that require a scope, by tag, in the order of the contract. */
export const OPERATIONS_BY_TAG: Map<string, Operation[]> = Map.groupBy(
  operationTable.filter(({ surface, scope }) => surface === 'agent' && scope !== undefined),
  ({ path, method }) => String((document.paths[path]?.[method]?.tags as string[] | undefined)?.[0]),
);

export function summaryOf({ path, method }: Operation): string {
  return String(document.paths[path]?.[method]?.summary);
}

/** The shop's data as a Markdown list. Merchants chose its names, so they are escaped. */
export function factsOf(shop: GuidedShop): string[] {
  const { content, delivery, agents, currency, currency_digits } = shop;
  const budget = (agents.max_budget_cents / 10 ** currency_digits).toFixed(currency_digits);
  const reach = delivery.everywhere ? 'every country' : delivery.countries.join(', ') || 'no country yet';
  const categories = content.categories
    .slice(0, 20)
    .map(({ title, value }) => plainText(title === value ? value : `${title} (${value})`));
  return [
    `- Currency: ${currency}; prices ${shop.prices_include_tax ? 'include' : 'are without'} tax`,
    `- Delivery to: ${reach}${delivery.pickup ? '; pickup is possible' : ''}`,
    `- Payment, by the customer: ${shop.payment_methods.join(', ') || 'not set up yet'}`,
    agents.enabled
      ? `- Agents: a budget of at most ${budget} ${currency}, for at most ${agents.max_lifetime_days} days`
      : '- Agents: this shop does not let agents in',
    ...(categories.length > 0 ? [`- Categories: ${categories.join(', ')}`] : []),
  ];
}
