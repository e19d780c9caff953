import sql, { type Sql } from 'sql-template-tag';
import { actorName } from './actor-names.ts';

/** An AuditEvent of the contract, from `audit_events e`. */
export const auditColumns: Sql = sql`e.id, e.actor_type, e.actor_id, ${actorName} as actor_name, e.action, e.status,
  e.targets, e.fields, encode(e.payload_hash, 'hex') as payload_hash, e.ip, e.buyer_ip, e.user_agent, e.correlation_id,
  e.created_at`;
