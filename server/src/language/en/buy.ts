/** The page that a link to buy leads to. */
export const buy = {
  title: 'Your selection',
  intro: 'Somebody has put this together for you. Nothing is ordered yet.',
  go: 'Go to checkout',
  after: 'There you enter your address and check everything before you order.',
  code: 'Code: {code}',
  gone: 'Nothing to buy here',
  gone_text: 'This shop no longer sells the items of this link. Ask the person who gave it to you for a new one.',
  short: 'There is not enough of this left. Try again later, or ask the person who gave you the link.',
  missing:
    '{count, plural, one {One item of the link is no longer for sale.} other {# items of the link are no longer for sale.}}',
  item: '{name} × {quantity}',
} as const;
