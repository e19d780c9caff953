import { unwrap } from '@commerce-backend/sdk';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { api, type Inputs, type Schemas } from '../../api.ts';
import { useCan } from '../../session/use-me.ts';

export type AgentToken = Schemas['AgentToken'];
export type Status = Inputs['AgentTokenStatus'];

export function useAgentTokens(status: string | null, page: number) {
  // The URL may contain any status. The API rejects unknown ones, and the list shows the error.
  const query = { page, limit: 20, ...(status && { status: status as Status }) };
  return useQuery({
    queryKey: ['agents', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/api/dashboard/agent-tokens', { params: { query }, signal })),
    placeholderData: keepPreviousData,
  });
}

const MOST_PAGES = 20;

/** Finds an agent's token in the API's list, because the API has no call for a single one. */
export function useAgentToken(agent_token_id: string) {
  return useQuery({
    queryKey: ['agents', agent_token_id],
    queryFn: async ({ signal }) => {
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const params = { query: { page, limit: 100 } };
        const { agent_tokens, pages } = await unwrap(api.GET('/api/dashboard/agent-tokens', { params, signal }));
        const found = agent_tokens.find(({ id }) => id === agent_token_id);
        if (found || page >= pages) return found ?? null;
      }
      return null;
    },
  });
}

/** E-mail addresses of customers by id. Missing while they load, or if the user may not read customers. */
export function useCustomerEmails(ids: (string | null)[]): Map<string, string> {
  const can = useCan();
  const distinct = can('customers:read') ? [...new Set(ids.filter((id) => id !== null))] : [];
  const results = useQueries({
    queries: distinct.map((customer_id) => ({
      queryKey: ['customers', customer_id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        unwrap(api.GET('/api/dashboard/customers/{customer_id}', { params: { path: { customer_id } }, signal })),
      staleTime: 60_000,
    })),
  });
  return new Map(results.flatMap(({ data }) => (data?.email ? [[data.id, data.email] as const] : [])));
}
