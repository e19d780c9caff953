/** The page that a buy link opens. */
export const buy = {
  title: 'Your selection',
  intro: 'Someone has put this selection together for you. Nothing has been ordered yet.',
  go: 'Go to checkout',
  after: 'At the checkout, you enter your address and can review everything before you order.',
  quantity: 'Quantity',
  quantity_of: 'Quantity of {name}',
  update: 'Update quantities',
  delivery_later: 'Delivery and discounts are added at the checkout.',
  code: 'Code: {code}',
  gone: 'These items are no longer available',
  gone_text: 'This shop no longer sells the items in this link. Ask the person who gave you the link for a new one.',
  short: 'Some items are not available in this quantity. Try again later, or ask the person who gave you the link.',
  missing:
    '{count, plural, one {One of the items in the link is no longer for sale.} other {# of the items in the link are no longer for sale.}}',
} as const;
