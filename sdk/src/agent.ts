import { type Client, type ClientOptions, createSurfaceClient } from './client.ts';
import type { SurfacePaths } from './contract.ts';
import { given } from './credentials.ts';

export type AgentPaths = SurfacePaths<'agent'>;
export type AgentClient = Client<AgentPaths>;

export type AgentOptions = ClientOptions & {
  /** The token (`agt_…`) from `requestConsent` or `finishAuthorization`. It identifies the shop and the customer. */
  agentToken: string;
};

/**
 * A client for the agent surface. It acts for the customer who gave the consent. The token is a secret. Throws a
 * TypeError without a token or with an invalid `baseUrl`. Budgets are in the currency's minor unit, prices are decimal
 * strings.
 *
 *     const agent = createAgentClient({ baseUrl: 'https://shop.example', agentToken });
 *     const { candidates } = await unwrap(agent.POST('/api/agent/intent/find', { body: { query: 'a mug under 20 euros' } }));
 */
export function createAgentClient({ agentToken, ...options }: AgentOptions): AgentClient {
  return createSurfaceClient<AgentPaths>(options, { Authorization: `Bearer ${given('agentToken', agentToken)}` });
}
