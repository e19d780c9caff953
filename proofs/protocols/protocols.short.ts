import { shortForm } from '../testing/short-form.ts';
import { H7 } from './independent-validators.ts';
import { M3 } from './malformed-messages.ts';

shortForm(H7, M3);
