/**
 * Who takes money for the shop. A provider is foreign: it is called outside every transaction, may be slow, and may answer
 * neither yes nor no. The same `id` names the same payment however often it is sent.
 */
export interface PaymentProvider {
  /** The provider's name in the records. */
  readonly name: string;
  /** Takes the money, or says that the answer comes later. Throws when the outcome is unknown: ask again with the same id. */
  charge(charge: Charge): Promise<Outcome>;
  /** How a payment stands that was answered with `pending` or `authorized`, or not at all. */
  outcomeOf(payment: { id: string; reference: string | null }): Promise<Outcome | undefined>;
  /** Gives back what was taken, or sees to it that nothing will be. Doing it twice is harmless. */
  cancel(payment: { id: string; reference: string | null }): Promise<void>;
}

export interface Charge {
  /** Ours, a UUID. */
  id: string;
  /** Minor units. */
  amount: number;
  currency: string;
  /** What the provider's form gave the shopper's browser. */
  card_token: string;
}

export interface Outcome {
  status: 'pending' | 'authorized' | 'succeeded' | 'failed';
  /** What the provider calls the payment. */
  reference: string;
  /** Of a failed one: why, in a word. */
  reason: string | null;
}
