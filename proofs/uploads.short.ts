import { L2 } from './processes/l2-uploads.ts';
import { shortForm } from './short-form.ts';

shortForm(L2);
