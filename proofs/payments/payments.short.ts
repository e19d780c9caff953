import { shortForm } from '../testing/short-form.ts';
import { D9 } from './bank-transfers.ts';
import { K1 } from './crashes-during-payment.ts';
import { K4 } from './late-payments.ts';
import { K2 } from './provider-webhooks.ts';
import { K3 } from './refund-races.ts';

shortForm(D9, K1, K2, K3, K4);
