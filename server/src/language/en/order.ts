/** The page of an order, for its customer and for anyone with its link. */
export const order = {
  placed: 'Placed on {moment}',
  payment: 'Payment',
  payment_by: '{method}: {state}',
  delivery: 'Delivery',
  delivery_by: '{method}: {state}',
  cancelled_on: 'The order was cancelled on {moment}.',
  parcels: 'Parcels',
  parcel: 'Sent on {moment}',
  parcel_delivered: 'Delivered on {moment}',
  carrier: 'Carrier',
  tracking_number: 'Tracking number',
  track: 'Track this parcel',
  track_number: 'Track parcel {number}',
  refunds: 'Refunds',
  refund_done: '{amount} was refunded on {moment}.',
  refund_pending: '{amount} is being refunded. This can take a few days.',
  refund_due: 'We still owe you {amount}.',
  exchange_credit: 'Your return pays {amount} of this order.',
  amount_due: 'Still to pay',
  amount_due_text:
    '{amount} of this order is still to be paid. Please write to us, and we will agree with you how to pay it.',
  tax_at: 'Tax, {rate}',
  tax_contained_at: 'Includes {amount} tax ({rate})',

  answer: 'E-mail address or postal code of the order',
  answer_hint: 'Enter one of the two to see the full address.',
  answer_button: 'Show the full address',
  answer_empty: 'Enter the e-mail address or the postal code of the order.',
  answer_wrong: 'This is neither the e-mail address nor a postal code of the order. Check the spelling.',
  answers_over: 'Too many wrong answers',
  answers_over_text:
    'Wait 15 minutes, then open the link in the e-mail again. The full address is also in the e-mail that confirmed the order.',
  link_dead: 'This link does not lead to an order',
  link_dead_text:
    'It may have been cut off or mistyped. Open the link in the most recent e-mail about the order.\nIf that does not help, contact the shop.',
  link_over: 'This link has expired',
  link_over_text:
    'Links in our e-mails show an order until 90 days after its last change.\nIf you have a question about the order, write to the shop and mention the order number from the e-mail.',
} as const;
