import type { Outcome, PaymentKey, PaymentProvider } from './provider.ts';

/**
 * A provider that takes no money: its tokens determine the outcome of the payment. The outcome is part of the reference, so
 * that it needs no storage and survives a restart. Unknown tokens are declined.
 */
export const testProvider: PaymentProvider = {
  name: 'test_card',
  async begin({ id, means }) {
    const outcome = means.kind === 'card_token' ? OUTCOMES[means.token] : undefined;
    return answerOf(outcome ?? 'declined', id);
  },
  outcomeOf: async (payment) => later(payment),
  capture: async (payment) => later(payment) ?? answerOf('declined', payment.id),
  cancel: async ({ id, reference }) => ({ ...answerOf('declined', id, reference), status: 'cancelled', reason: null }),
  refund: async (_payment, { id }) => ({ status: 'succeeded', reference: `test_refund_${id}`, reason: null }),
  receive: async () => undefined,
};

type TestOutcome = 'success' | 'declined' | 'authorized' | 'late_success' | 'late_declined';

const OUTCOMES: Partial<Record<string, TestOutcome>> = {
  tok_success: 'success',
  tok_declined: 'declined',
  tok_authorized: 'authorized',
  tok_late_success: 'late_success',
  tok_late_declined: 'late_declined',
};

/** The later outcome, when the server asks about a payment. */
const LATER: Record<TestOutcome, TestOutcome> = {
  success: 'success',
  declined: 'declined',
  authorized: 'success',
  late_success: 'success',
  late_declined: 'declined',
};

const STATUSES = {
  success: 'succeeded',
  declined: 'failed',
  authorized: 'authorized',
  late_success: 'pending',
  late_declined: 'pending',
} as const;

function later({ reference }: PaymentKey): Outcome | undefined {
  const [, outcome, id] = /^test_(\w+?)_([0-9a-f-]{36})$/.exec(reference ?? '') ?? [];
  return id ? answerOf(LATER[outcome as TestOutcome], id, reference) : undefined;
}

function answerOf(outcome: TestOutcome, id: string, reference: string | null = `test_${outcome}_${id}`): Outcome {
  return {
    status: STATUSES[outcome],
    reference: reference ?? '',
    reason: outcome === 'declined' ? 'card_declined' : null,
    next_action: null,
    amount: null,
    currency: null,
  };
}
