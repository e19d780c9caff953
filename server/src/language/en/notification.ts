/** Mails about accounts and agents, and notices to staff. */
export const notification = {
  link_life: 'The link works only once and is valid for {life}. If the shop asks for a code, enter this one:',
  code: 'Code',

  verify_subject: 'Confirm your e-mail address for {shop}',
  verify_button: 'Confirm the address',
  verify_welcome: 'Welcome to {shop}. Confirm your e-mail address to activate your account.',
  verify_requested:
    'The request to create an account was made on {moment}. The account will have the password that was chosen at that time.',
  verify_several:
    'Someone has asked more than once to create an account with this address. Open only the link from your own request. If you are not sure which one is yours, confirm the address and then request a new password from the shop.',
  verify_not_you:
    'If you did not request an account at that time, do not open the link. Without it, no account is created.',
  verify_own: 'Your account at {shop} has this e-mail address. Confirm it so that you can log in again.',

  registered_subject: 'You already have an account at {shop}',
  registered: 'Someone, probably you, tried to create an account at {shop} with this address. You already have one.',
  registered_next:
    'If you have forgotten your password, request a new one on the login page. If this was not you, you do not need to do anything.',

  change_subject: 'Confirm your new e-mail address for {shop}',
  change: 'Confirm this address for your account at {shop}. Until then, the account keeps the old one.',
  change_not_you: 'If you did not ask for this, you do not need to do anything.',
  taken_subject: 'Someone wanted to use your e-mail address at {shop}',
  taken: 'Someone wanted to use this address for another account at {shop}. It stays with your account.',
  taken_next: 'If that was you, log in with this address to the account you already have.',
  requested_subject: 'A new e-mail address for your account at {shop}',
  requested:
    'The staff of {shop} entered a different e-mail address for your account. It takes effect once it is confirmed; until then, your account keeps this address.',
  requested_not_you: 'If you did not ask for this, contact the shop at once.',
  changed_subject: 'Your e-mail address at {shop} has changed',
  changed:
    'Your account at {shop} now has a different e-mail address. The address that received this e-mail is no longer used.',
  changed_not_you: 'If you did not change it, contact the shop at once.',

  reset_subject: 'Choose a new password for {shop}',
  reset: 'Someone, probably you, requested a new password for your account at {shop}.',
  reset_button: 'Choose a new password',
  reset_not_you: 'If this was not you, you do not need to do anything. Your password will not change.',
  password_subject: 'Your password at {shop} has changed',
  password: 'Your account at {shop} has a new password.',
  password_not_you: 'If you did not set it, request a new one on the login page and inform the shop.',

  delay_subject: 'Logging in to {shop} is delayed',
  delay:
    'Someone has tried several wrong passwords for your account at {shop}. To prevent further guessing, logging in is delayed for a while.',
  delay_staff_subject: 'Logging in to the panel is delayed',
  delay_staff:
    'Someone has tried several wrong passwords for your merchant account. To prevent further guessing, logging in is delayed for a while.',
  delay_open: 'To log in now, open this link in the browser in which you want to log in:',
  delay_button: 'Log in without waiting',
  delay_life: 'The link works only once and is valid for {life}. You still need your password.',
  delay_code: 'If the shop asks for a code, enter this one:',
  delay_command: 'On the command line, “commerce login --unlock” asks for this code:',
  delay_nothing: 'If you do not want to log in now, you do not need to do anything.',

  invitation_subject: 'You are invited to help run {shop}',
  invitation: '{name} invites you to help run {shop}.',
  invitation_button: 'Accept the invitation',
  invitation_life:
    'The link works only once and is valid for {life}. If you already have an account, log in to accept; otherwise, choose a name and a password.',
  invitation_nothing: 'If you do not know what this is about, you can ignore this e-mail.',

  staff_reset_subject: 'Choose a new password for the panel',
  staff_reset: 'Hello {name}. Someone, probably you, requested a new password for your merchant account.',
  staff_reset_life:
    'The link works only once and is valid for {life}. On the command line, “commerce account reset-password” asks for this code:',
  staff_changed_subject: 'Your merchant account was changed',
  staff_password: 'Your merchant account has a new password. Everyone who was logged in to it was logged out.',
  staff_two_factor_on: 'Logging in to your merchant account now also requires a code from your authenticator app.',
  staff_two_factor_off: 'Logging in to your merchant account no longer requires a code from an authenticator app.',
  staff_recovery_codes: 'The recovery codes of your merchant account were replaced. The earlier ones no longer work.',
  staff_not_you: 'If this was not you, request a new password on the login page and inform the owners of the shop.',
  sensitive_subject: 'Security-related change at {shop}',
  sensitive_assistants: 'A staff member of {shop} has connected an assistant.',
  sensitive_keys: 'The access keys of {shop} were changed.',
  sensitive_payments: 'The account of {shop} with its payment provider was changed.',
  sensitive_settings:
    'The bank details of {shop}, or the web addresses to which its customers are redirected, were changed.',
  sensitive_staff: 'The staff of {shop} or their permissions were changed.',
  sensitive_by: 'By',
  sensitive_key: 'an API key',
  sensitive_at: 'On',
  sensitive_next:
    'If this was not intended, revoke all sessions and keys that you do not recognize, and undo the change.',

  agent_subject: 'You allowed an assistant to shop for you at {shop}',
  agent: 'You allowed an assistant to shop for you at {shop}. You still have to confirm every purchase yourself.',
  agent_name: 'Self-reported name (not verified)',
  agent_budget: 'It may spend',
  agent_per_order: 'Limit per purchase',
  agent_categories: 'Product categories',
  agent_everything: 'all',
  agent_until: 'Until',
  agent_not_you: 'If this was not you, or you have changed your mind, revoke the assistant’s access in your account.',
  agent_button: 'View your assistants',

  webhook_subject: 'A webhook of {shop} was disabled',
  webhook_gone:
    'The webhook to {url} was disabled. Its receiver responded with 410, which means that it no longer accepts events.',
  webhook_failing: 'The webhook to {url} was disabled. Every delivery to its receiver failed for five days.',
  webhook_enable: 'Once the receiver works again, run: {command}',
  webhook_replay: 'To replay the failed deliveries, run: {command}',

  capture_subject: 'The payment for order {number} could not be captured',
  capture_failed:
    'The payment provider did not capture {amount} for order {number} ({reason}). The money is only authorized, and the authorization expires after a few days.',
  capture_again: 'Once the problem is fixed, run: {command}',

  refund_subject: 'A refund for order {number} failed',
  refund_failed:
    'The payment provider did not refund {amount} for order {number} ({reason}). You still have the money and can retry the refund.',
  refund_again: 'To retry the refund, run: {command}',

  dispute_open_subject: 'The payment for order {number} is disputed',
  dispute_open:
    'The customer disputes {amount} of the payment for order {number}, and the bank has taken the money back. Shipping is on hold. Send your evidence from your account with the payment provider. The reference of the dispute there is {reference}.',
  dispute_due: 'Send evidence by',
  dispute_won_subject: 'You won the dispute about order {number}',
  dispute_won: 'The bank decided the dispute {reference} about order {number} for you. The {amount} are yours again.',
  dispute_lost_subject: 'You lost the dispute about order {number}',
  dispute_lost:
    'The bank decided the dispute {reference} about order {number} for the customer, who keeps the {amount}. Do not refund them again.',

  new_return_subject: 'Return {number} was requested',
  new_return: 'A customer wants to return items of order {order}. Approve or decline the return.',
  new_return_approved: 'A customer returns items of order {order}. The return was approved automatically.',

  new_withdrawal_subject: '{name} has withdrawn from a contract',
  new_withdrawal:
    'A consumer has withdrawn from order {order}. Items that have not shipped are withheld until you decide. Shipped items are coming back as a return. The refund is due by {day}.',
  new_withdrawal_unmatched:
    'A consumer has withdrawn from a contract, and no order has this number and e-mail address. Find the order, and link it. The refund is due by {day}.',

  payment_kept_subject: 'A payment of {amount} could not be refunded',
  payment_kept:
    'A payment of {amount} belongs to no order and has to be refunded, but the payment provider did not refund all of it ({reason}).',
  payment_kept_return:
    'Please refund the rest from your account with the payment provider. The reference of the payment there is {reference}.',
  reason_lost_card: 'the card was reported lost or stolen',
  reason_ended_card: 'the card has expired or was cancelled',
  reason_declined: 'the bank declined it',
  reason_insufficient_funds: 'the balance of your account is too low',
  reason_already_refunded: 'the payment was already refunded',
  reason_no_account: 'the account that took the payment can no longer be reached',
  reason_unknown: 'no reason was given',

  new_order_subject: 'New order {number}: {amount}',
  new_order: 'Order {number} has come in.',
  new_order_customer: 'Customer',
  new_order_phone: 'Phone',
  new_order_details: 'Order details',
  new_order_note: 'Note from the customer: {note}',
  new_order_answer: 'Replies to this e-mail go to the customer.',
  new_order_command: 'Details on the command line: {command}',
  new_order_panel: 'Open in the panel',

  webhook_panel: 'Open in the panel',

  low_stock_subject: 'Stock is running low at {shop}: {count, plural, one {# product} other {# products}}',
  low_stock: 'The stock of these products has fallen to your low stock threshold:',
  low_stock_left: '{count} left',
  low_stock_more: 'And {count} more.',
  low_stock_panel: 'View the stock in the panel',
} as const;
