/** Payments through a provider. */
export const payment = {
  open: 'Your payment is not finished yet',
  open_text:
    'Your order is placed as soon as the payment of {amount} has gone through. The goods are reserved for you until {until}.',
  processing_text:
    'The payment provider has not confirmed the payment yet. Please wait a moment: you will not be charged twice.',
  go_on: 'Continue to payment',
  look_again: 'Check the payment status',
  end: 'Cancel the payment and change the order',
  leave: 'Redirecting to the payment page',
  leave_text: 'You will pay {amount} at {host} and then return to this shop.',
  leave_link: 'Continue to {host}',
  not_made: 'The payment did not go through',
  not_made_text: 'Nothing was ordered or charged. Try again, or choose another payment method.',
  was_cancelled: 'The payment was cancelled',
  was_cancelled_text: 'Nothing was ordered or charged. You can change your order or try to pay again.',
  given_back: 'The payment could not be completed',
  given_back_text: 'Nothing was ordered. If you were charged, we will refund the money automatically.',
  budget_in_use: 'Another payment is pending',
  budget_in_use_text:
    'It uses the rest of the assistant’s budget. Complete or cancel that payment first. Nothing was ordered here.',
  test: 'Test payment',
  test_text: 'This page simulates the page of a payment provider, where people confirm a payment. No money is taken.',
  test_approve: 'Approve the payment of {amount}',
  test_decline: 'Decline it',
  test_back: 'Go back without paying',
  test_decided: 'Your choice has been recorded',
  test_decided_link: 'Go back to the shop',
  test_with_question: 'Payment asks you to confirm',
  test_page: 'Payment on the payment provider’s page',
} as const;
