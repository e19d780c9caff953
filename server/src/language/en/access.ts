/** The links next to every login: a forgotten password and a new account. */
export const access = {
  check: 'Please check these fields',
  sent: 'Check your mailbox',
  back: 'Back to the login',

  forgot: 'Forgot your password?',
  forgot_title: 'Set a new password',
  forgot_why: 'Enter the e-mail address of your account at {shop}. We send you a link for choosing a new password.',
  forgot_button: 'Send the link',
  forgot_sent_text:
    'If there is an account at {shop} with this address, a mail with a link is on its way. It works for {life}.\nNo mail after a few minutes? Check your spam folder, and the spelling of the address.',

  register: 'Create an account',
  register_why: 'With an account at {shop} you see your orders, and order again with a few clicks.',
  register_button: 'Create the account',
  register_after: 'We send a mail to your address. The link in it activates the account.',
  register_sent_text:
    'We have sent you a mail. Open the link in it to activate your account at {shop}, and log in. It works for {life}.\nNo mail after a few minutes? Check your spam folder, and the spelling of the address.',
  have_account: 'I have an account',
} as const;
