import type { Handler } from '../http/pipeline/handler.ts';
import * as agentAudit from '../shop/agents/audit.ts';

export const listAudit: Handler<'agent.listAudit'> = ({ shop, query }) => agentAudit.listOwn(shop, query);
