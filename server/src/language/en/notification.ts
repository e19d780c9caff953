/** The mails that are not about orders: accounts, agents and notices to staff. */
export const notification = {
  link_life: 'The link works once, for {life}. If the shop asks for a code, this is it:',
  code: 'Code',

  verify_subject: 'Confirm your address for {shop}',
  verify_button: 'Confirm the address',
  verify_welcome: 'Welcome to {shop}. Confirm your address to activate your account.',
  verify_requested: 'The account was requested on {moment}. It gets the password that was chosen then.',
  verify_several:
    'An account was requested with this address more than once. Open only the link of your own request. If you are not sure which one is yours, confirm the address and then request a new password from the shop.',
  verify_not_you: 'If you did not request an account at that time, do not open the link, and no account is created.',
  verify_own: 'Your account at {shop} has this address. Confirm it to log in again.',

  registered_subject: 'You have an account at {shop}',
  registered: 'Someone, probably you, asked for an account at {shop} with this address. You have one already.',
  registered_next: 'If you forgot the password, ask for a new one where you log in. If it was not you, do nothing.',

  change_subject: 'Confirm your new address for {shop}',
  change: 'Confirm that your account at {shop} gets this address. Until then it keeps the old one.',
  change_not_you: 'If you did not ask for this, do nothing.',
  taken_subject: 'Someone wanted to use your address at {shop}',
  taken: 'Someone wanted this address for another account at {shop}. It stays with yours.',
  taken_next: 'If that was you, log in to the account that has it.',
  requested_subject: 'A new e-mail address for your account at {shop}',
  requested:
    'Staff of {shop} entered another e-mail address for your account. It takes effect once it is confirmed; until then, your account keeps this address.',
  requested_not_you: 'If you did not ask for this, contact the shop at once.',
  changed_subject: 'Your address at {shop} has changed',
  changed: 'Your account at {shop} now has another e-mail address. This one is no longer used.',
  changed_not_you: 'If you did not change it, contact the shop at once.',

  reset_subject: 'A new password for {shop}',
  reset: 'Someone, probably you, requested a new password for your account at {shop}.',
  reset_button: 'Choose a new password',
  reset_not_you: 'If it was not you, do nothing. Your password does not change.',
  password_subject: 'Your password at {shop} has changed',
  password: 'Your account at {shop} has a new password.',
  password_not_you: 'If you did not set it, request a new one where you log in, and tell the shop.',

  delay_subject: 'Logging in to {shop} is delayed',
  delay:
    'Someone has tried several wrong passwords for your account at {shop}. To prevent further guessing, logging in is delayed for a while.',
  delay_staff_subject: 'Logging in to the dashboard is delayed',
  delay_staff:
    'Someone has tried several wrong passwords for your account at the dashboard. To prevent further guessing, logging in is delayed for a while.',
  delay_open: 'If you want to log in now, open this link in the browser in which you log in:',
  delay_button: 'Log in without waiting',
  delay_life: 'The link works once, for {life}. You still need your password.',
  delay_code: 'If the shop asks for a code, enter this one:',
  delay_command: 'On the command line: commerce login --unlock, which asks for this code.',
  delay_nothing: 'If you do not want to log in now, do nothing.',

  invitation_subject: 'You are invited to run {shop}',
  invitation: '{name} invites you to run {shop} together.',
  invitation_button: 'Accept the invitation',
  invitation_life:
    'The link works once, for {life}. If you have a login already, log in to accept; otherwise you choose a name and a password.',
  invitation_command: 'On the command line: commerce staff accept, which asks for this code.',
  invitation_nothing: 'If you do not know what this is about, do nothing.',

  staff_reset_subject: 'A new password for the dashboard',
  staff_reset: '{name}, someone, probably you, requested a new password for your account at the dashboard.',
  staff_reset_life:
    'The link works once, for {life}. On the command line, commerce account reset-password asks for this code:',
  staff_changed_subject: 'Your account at the dashboard was changed',
  staff_password:
    'Your account at the dashboard has a new password. Everyone who was logged in with it was logged out.',
  staff_two_factor_on:
    'Logging in to your account at the dashboard now needs a code of your authenticator app as well.',
  staff_two_factor_off: 'Logging in to your account at the dashboard no longer needs a code of an authenticator app.',
  staff_recovery_codes:
    'The recovery codes of your account at the dashboard were replaced. The earlier ones no longer work.',
  staff_not_you: 'If it was not you, request a new password where you log in, and tell the owners of the shop.',
  sensitive_subject: 'A sensitive change at {shop}',
  sensitive_keys: 'The access keys of {shop} were changed.',
  sensitive_payments: 'The payment account of {shop} was changed.',
  sensitive_settings: 'The bank details of {shop}, or the addresses to which its shoppers are sent, were changed.',
  sensitive_staff: 'Staff access or permissions of {shop} were changed.',
  sensitive_by: 'By',
  sensitive_key: 'an API key',
  sensitive_at: 'On',
  sensitive_next:
    'If this was not meant to happen, revoke all sessions and keys that you do not recognize, and undo the changes.',

  agent_subject: 'You allowed an assistant to shop for you at {shop}',
  agent: 'You allowed an assistant to shop for you at {shop}. Every purchase still waits for your confirmation.',
  agent_name: 'Self-reported name',
  agent_budget: 'It may spend',
  agent_per_order: 'Limit per purchase',
  agent_categories: 'In',
  agent_everything: 'the whole shop',
  agent_until: 'Until',
  agent_not_you: 'If it was not you, or you have changed your mind, stop it in your account.',
  agent_button: 'Look at your assistants',

  webhook_subject: 'A webhook of {shop} was disabled',
  webhook_gone:
    'The webhook to {url} was disabled. Its receiver answered 410, which means that it no longer wants events.',
  webhook_failing: 'The webhook to {url} was disabled. Every delivery to its receiver failed for five days.',
  webhook_enable: 'Once it works again, run: {command}',
  webhook_replay: 'To replay the failed deliveries: {command}',

  capture_subject: 'The payment for order {number} could not be captured',
  capture_failed:
    'The payment provider did not capture {amount} for order {number} ({reason}). The money is only authorized, and the authorization expires after some days.',
  capture_again: 'Once the cause is resolved, run: {command}',

  refund_subject: 'A refund for order {number} failed',
  refund_failed:
    'The payment provider did not return {amount} for order {number} ({reason}). The money is with you, and can be refunded once more.',
  refund_again: 'To do so: {command}',

  payment_kept_subject: 'A payment of {amount} could not be returned',
  payment_kept:
    'A payment of {amount} belongs to no order and has to be returned, but the payment provider did not return all of it ({reason}).',
  payment_kept_return:
    'Please return the rest in your account at the payment provider, where its reference is {reference}.',
  reason_lost_card: 'the card was reported lost or stolen',
  reason_ended_card: 'the card has expired or was cancelled',
  reason_declined: 'the bank declined it',
  reason_insufficient_funds: 'the balance of your account is too low',
  reason_already_refunded: 'the payment was refunded already',
  reason_no_account: 'the account that took the payment can no longer be reached',
  reason_unknown: 'no reason was given',

  new_order_subject: 'New order {number}: {amount}',
  new_order: 'Order {number} has come in.',
  new_order_payment: 'Payment',
  new_order_customer: 'Customer',
  new_order_phone: 'Phone',
  new_order_method: 'Delivery',
  new_order_note: 'Note of the customer: {note}',
  new_order_answer: 'Replies to this mail go to the customer.',
  new_order_command: 'Details on the command line: {command}',
  new_order_panel: 'Open it in the panel',

  webhook_panel: 'Open it in the panel',

  low_stock_subject: 'Stock is running low at {shop} ({count})',
  low_stock: 'The stock of these products has fallen to your alert level:',
  low_stock_left: '{count} left',
  low_stock_more: 'And {count} more.',
  low_stock_panel: 'See the stock in the panel',
} as const;
