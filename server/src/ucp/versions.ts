/**
 * Requests and responses of older versions of UCP. The functions use the newest version. In 2026-04-08, consent is a
 * flag for each of four purposes; the other fields that this server uses are the same.
 */

const MARKETING = 'dev.ucp.consent.marketing';

type Data = Record<string, unknown>;

function dataIn(value: unknown): Data | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Data) : undefined;
}

/** Converts the body of a request to the newest version. */
export function requestFrom(version: string, body: unknown): unknown {
  const buyer = dataIn(dataIn(body)?.buyer);
  const consent = dataIn(buyer?.consent);
  if (version !== '2026-04-08' || !consent) return body;
  const { marketing } = consent;
  const granted = marketing === undefined ? {} : { [MARKETING]: { granted: marketing } };
  return { ...dataIn(body), buyer: { ...buyer, consent: granted } };
}

/** Converts a response to a version. */
export function responseIn(version: string, answer: object): object {
  if (version !== '2026-04-08') return answer;
  const { buyer, messages } = answer as { buyer?: Data; messages?: { path?: string }[] };
  const consent = dataIn(buyer?.consent)?.[MARKETING];
  return {
    ...answer,
    ...(consent !== undefined && { buyer: { ...buyer, consent: { marketing: dataIn(consent)?.granted === true } } }),
    ...(messages && { messages: messages.map(withOlderPath) }),
  };
}

function withOlderPath<Message extends { path?: string }>(message: Message): Message {
  const { path } = message;
  return path?.includes(MARKETING) ? { ...message, path: '$.buyer.consent.marketing' } : message;
}
