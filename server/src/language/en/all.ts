export { access } from './access.ts';
export { account } from './account.ts';
export { checkout } from './checkout.ts';
export { consent } from './consent.ts';
export { mail } from './mail.ts';
export { order } from './order.ts';
export { page } from './page.ts';
export { payment } from './payment.ts';
