import type { Handler } from '../http/contract.ts';
import * as agentAudit from '../shop/agent-audit.ts';

export const listAuditEvents: Handler<'dashboard.listAuditEvents'> = ({ shop, query }) => agentAudit.list(shop, query);
