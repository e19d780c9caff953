import { K2 } from './k2-provider-webhooks.ts';
import { K3 } from './k3-refund-races.ts';
import { shortForm } from './short-form.ts';

shortForm(K2, K3);
