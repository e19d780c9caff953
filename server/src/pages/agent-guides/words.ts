import type { AgentShop } from '@commerce-backend/spec';
import { document, type Operation, operationTable } from '../../http/contract/contract.ts';
import { plainText } from '../../http/pipeline/markdown-text.ts';

/** The text of both guides, in Markdown. */

/** A shop as the guides describe it. */
export interface GuidedShop extends AgentShop {
  /** The origin of its API. */
  origin: string;
  /** The base URL of this shop's own endpoints: its host, or the path of its issuer. */
  issuer: string;
}

/** The operations of agents by their tag, in the order of the contract. */
export const OPERATIONS_BY_TAG: Map<string, Operation[]> = Map.groupBy(
  operationTable.filter(({ surface, scope }) => surface === 'agent' && scope !== undefined),
  ({ path, method }) => String((document.paths[path]?.[method]?.tags as string[] | undefined)?.[0]),
);

export function summaryOf({ path, method }: Operation): string {
  return String(document.paths[path]?.[method]?.summary);
}

/** The facts of a shop as a list. The merchant chose the names in it. */
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
