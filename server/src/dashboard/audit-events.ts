import type { Handler } from '../http/pipeline/handler.ts';
import * as agentAudit from '../shop/agents/audit.ts';

export const listAuditEvents: Handler<'dashboard.listAuditEvents'> = ({ shop, query }) => agentAudit.list(shop, query);
