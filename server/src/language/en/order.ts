/** An order on a page of its own: for its customer, and for whoever has its link. */
export const order = {
  placed: 'Placed on {moment}',
  payment: 'Payment',
  payment_by: '{method}: {state}',
  delivery: 'Delivery',
  delivery_by: '{method}: {state}',
  cancelled_on: 'The order was cancelled on {moment}.',
  parcels: 'Shipments',
  parcel: 'Sent on {moment}',
  parcel_delivered: 'Delivered on {moment}',
  carrier: 'Carrier',
  tracking_number: 'Tracking number',
  track: 'Track this shipment',
  track_number: 'Track shipment {number}',
  refunds: 'Refunds',
  refund_done: '{amount} was refunded on {moment}.',
  refund_pending: '{amount} is being refunded. This can take a few days.',
  refund_due: 'We still owe you {amount}.',
  tax_at: 'Tax, {rate}',
  tax_contained_at: 'Includes {amount} tax ({rate})',

  answer: 'E-mail or postal code of the order',
  answer_hint: 'Enter one of the two to see the full address.',
  answer_button: 'Show the full address',
  answer_empty: 'Enter the e-mail or the postal code of the order.',
  answer_wrong: 'This is neither the e-mail nor a postal code of the order. Check the spelling.',
  answers_over: 'Too many wrong answers',
  answers_over_text:
    'Wait 15 minutes, then open the link in the mail again. The full address is also in the mail that confirmed the order.',
  link_dead: 'This link does not lead to an order',
  link_dead_text:
    'It may have been cut off or mistyped. Open the link in the newest mail about the order.\nIf that does not help, ask the shop.',
  link_over: 'This link has expired',
  link_over_text:
    'A link in a mail shows an order until 90 days after its last change.\nIf you have a question about the order, write to the shop and name the order number, which is in the mail.',
} as const;
