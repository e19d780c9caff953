import { shortForm } from '../testing/short-form.ts';
import { L3 } from './two-editors.ts';
import { L2 } from './uploads.ts';

shortForm(L2, L3);
