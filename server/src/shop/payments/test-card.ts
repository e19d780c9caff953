import type { Outcome, PaymentProvider } from './provider.ts';

/**
 * A card provider that takes no money: its tokens say what is to become of the payment. What it answers lies in the
 * reference, so that it needs no memory and survives a restart. Unknown tokens are declined.
 */
export const testCard: PaymentProvider = {
  name: 'test_card',
  charge: async ({ id, card_token }) => answerOf(FATES[card_token] ?? 'declined', id),
  async outcomeOf({ reference }) {
    const [, fate, id] = /^test_(\w+?)_([0-9a-f-]{36})$/.exec(reference ?? '') ?? [];
    return id ? answerOf(LATER[fate as Fate], id, reference) : undefined;
  },
  cancel: async () => undefined,
};

type Fate = 'success' | 'declined' | 'authorized' | 'late_success' | 'late_declined';

const FATES: Partial<Record<string, Fate>> = {
  tok_success: 'success',
  tok_declined: 'declined',
  tok_authorized: 'authorized',
  tok_late_success: 'late_success',
  tok_late_declined: 'late_declined',
};

/** What becomes of a payment once it is asked about. */
const LATER: Record<Fate, Fate> = {
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

function answerOf(fate: Fate, id: string, reference: string | null = `test_${fate}_${id}`): Outcome {
  return { status: STATUSES[fate], reference: reference ?? '', reason: fate === 'declined' ? 'card_declined' : null };
}
