import { D8 } from './d8-sync-orders.ts';
import { shortForm } from './short-form.ts';

shortForm(D8);
