import { type Attempted, type Egress, UNANSWERED } from '../../egress/post.ts';
import { traced, traceHeaders } from '../../tracing/span.ts';
import type { Due } from './attempts.ts';
import { signatureHeaders, unseal } from './secrets.ts';

const NOT_SIGNED: Attempted = { ...UNANSWERED, outcome: 'not_signed', duration_ms: 0 };

/**
 * Sends an event to its webhook, signed with each valid secret. Do not call it in a transaction. Returns failures and
 * never throws.
 */
export async function sendSigned(egress: Egress, secretKey: string, due: Due): Promise<Attempted> {
  const secrets = opened(secretKey, due);
  if (!secrets) return NOT_SIGNED;
  const signed = signatureHeaders(due.event_id, due.payload, secrets);
  return traced(
    // Omits the webhook's URL, which may contain a secret of the receiver.
    () => ({ name: 'POST webhook', kind: 'client', attributes: { 'commerce.event_id': due.event_id } }),
    async (span) => {
      const attempted = await egress.post(due.url, { ...signed, ...traceHeaders() }, due.payload);
      const { outcome, response_status } = attempted;
      span?.set({ 'commerce.outcome': outcome, 'http.response.status_code': response_status ?? undefined });
      return attempted;
    },
  );
}

/** Decrypts the secrets. Returns undefined if one of them is damaged or was encrypted with another SECRET_KEY. */
function opened(secretKey: string, { webhook_id, secret, previous_secret }: Due): string[] | undefined {
  const sealed = previous_secret ? [secret, previous_secret] : [secret];
  try {
    return sealed.map((one) => unseal(secretKey, webhook_id, one));
  } catch {
    return undefined;
  }
}
