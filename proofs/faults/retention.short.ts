import { shortForm } from '../testing/short-form.ts';
import { L6 } from './retention.ts';

shortForm(L6);
