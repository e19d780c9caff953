import { M3 } from './m3-malformed-protocols.ts';
import { shortForm } from './short-form.ts';

shortForm(M3);
