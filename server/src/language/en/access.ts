/** Links next to every login form (forgotten password, new account), and the pages that they open. */
export const access = {
  check: 'Please check these fields',
  sent: 'Check your inbox',
  back: 'Back to login',

  forgot: 'Forgot your password?',
  forgot_title: 'Request a new password',
  forgot_why: 'Enter the e-mail address of your account at {shop}. We will send you a link to choose a new password.',
  forgot_button: 'Send the link',
  forgot_sent_text:
    'If there is an account at {shop} with this address, an e-mail with a link is on its way. The link is valid for {life}.\nNo e-mail after a few minutes? Check your spam folder and the spelling of the address.',

  register: 'Create an account',
  register_why: 'With an account at {shop}, you can see your orders and order again with a few clicks.',
  register_button: 'Create the account',
  register_after: 'We will send an e-mail to your address. The link in it activates the account.',
  register_sent_text:
    'We have sent you an e-mail. Open the link in it to activate your account at {shop}, then log in. The link is valid for {life}.\nNo e-mail after a few minutes? Check your spam folder and the spelling of the address.',
  have_account: 'I already have an account',
} as const;
