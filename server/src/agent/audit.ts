import type { Handler } from '../http/contract.ts';
import * as agentAudit from '../shop/agent-audit.ts';

export const listAudit: Handler<'agent.listAudit'> = ({ shop, query }) => agentAudit.listOwn(shop, query);
