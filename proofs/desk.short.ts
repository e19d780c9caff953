import { L3 } from './l3-two-editors.ts';
import { shortForm } from './short-form.ts';

shortForm(L3);
