import { shortForm } from '../testing/short-form.ts';
import { L7 } from './moving-shops.ts';

shortForm(L7);
